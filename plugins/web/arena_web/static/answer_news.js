// What came of the last answer, above the hand, where the log is out of sight; with the tip of the game.

import { buildSentence } from "./cards.js";
import { byId, element } from "./elements.js";

const MAX_LINES = 4;

export class AnswerNews {
  /** @type {MarkedLine[]} */
  #lines = []; // since the last answer
  #hasBegun = false; // whether an answer was given

  /**
   * Add lines; of what comes before the first answer there is no news.
   * @param {MarkedLine[]} lines
   */
  add(lines) {
    if (this.#hasBegun) this.#lines.push(...lines.filter(([mark]) => mark !== "heading"));
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
    const box = byId("told");
    /** @type {MarkedLine[]} */
    const tips = tip ? [["tip", tip]] : [];
    const lines = [...tips, ...this.#lines.filter(([, text]) => !shown.includes(text.trim()))].slice(-MAX_LINES);
    /** @type {(line: MarkedLine, index: number) => (string | HTMLElement)[]} */
    const build = ([mark, text], index) =>
      [index ? " " : "", element("span", { class: mark || null }, ...buildSentence(text.trim()))];
    do {
      box.classList.toggle("cut", lines.length > 1);
      box.replaceChildren(...lines.flatMap(build));
    } while (box.scrollHeight > box.clientHeight && lines.shift() && lines.length);
  }
}
