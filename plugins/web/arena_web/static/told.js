// What came of the last answer, above the hand, where the log is out of sight; with the tip of the game.

const MAX_LINES = 4;

export class Told {
  /** @type {MarkedLine[]} */
  #lines = []; // since the last answer
  #hasBegun = false;

  /** Whether an answer was given, of which something may come. */
  get hasBegun() {
    return this.#hasBegun;
  }

  /** @param {MarkedLine[]} lines - that are new */
  add(lines) {
    this.#lines.push(...lines.filter(([mark]) => mark !== "heading"));
  }

  /** Begin anew: an answer was given. */
  clear() {
    this.#lines = [];
    this.#hasBegun = true;
  }

  /**
   * Show as many of the last lines as there is room for.
   * @param {string} shown - what stands elsewhere and is not repeated
   * @param {string} tip
   */
  draw(shown, tip) {
    const box = arena.byId("told");
    /** @type {MarkedLine[]} */
    const tips = tip ? [["tip", tip]] : [];
    const lines = [...tips, ...this.#lines.filter(([, text]) => !shown.includes(text.trim()))].slice(-MAX_LINES);
    /** @type {(line: MarkedLine, index: number) => (string | HTMLElement)[]} */
    const build = ([mark, text], index) =>
      [index ? " " : "", arena.element("span", { class: mark || null }, ...arena.sentence(text.trim()))];
    do {
      box.classList.toggle("cut", lines.length > 1);
      box.replaceChildren(...lines.flatMap(build));
    } while (box.scrollHeight > box.clientHeight && lines.shift() && lines.length);
  }
}
