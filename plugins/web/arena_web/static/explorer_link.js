// The link to a position in the explorer of a game, where a plugin has solved it, and the one to a game that it has not.

import { element } from "./elements.js";

/**
 * Build the link, with a blank before it; nothing where the position is not solved.
 * @param {string | undefined} study - the address of the explorer, if there is one
 * @param {Record<string, string> | undefined} query - the position there
 * @param {string} [subject] - of which it shows more, if that is not what stands before it
 * @returns {(string | HTMLElement)[]}
 */
export function buildExplorerLink(study, query, subject) {
  if (!study || !query) return [];
  const text = "Explore this round", label = subject ? `${text}: ${subject}` : null;
  return [" ", element("a", { href: `${study}?${new URLSearchParams(query)}`, "aria-label": label }, text)];
}

/**
 * Say where the rest of a game can be solved, behind a remark that a match is not judged from its beginning.
 * @param {string | undefined} study - the address of the explorer, if there is one
 * @param {Record<string, string> | undefined} query - the game there
 * @returns {(string | HTMLElement)[]}
 */
export function buildSolveLink(study, query) {
  if (!study || !query) return [];
  const link = element("a", { href: `${study}?${new URLSearchParams(query)}` }, "Solve it");
  return [" ", link, " to have later matches judged from their beginning."];
}
