// Texts of several pages: numbers of things, and lines of steps.

/**
 * Count things: "1 card", "2 cards".
 * @param {number} number
 * @param {string} noun - for one of them
 */
export function formatCount(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/**
 * The text of a line of a step.
 * @param {string | MarkedLine} line
 */
export function getText(line) {
  return Array.isArray(line) ? line[1] : line;
}
