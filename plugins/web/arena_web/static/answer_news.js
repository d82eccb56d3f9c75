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
   * The lines that do not stand elsewhere. What the reader has answered is old where something newer does.
   * @param {string} elsewhere - what stands there
   */
  #choose(elsewhere) {
    const news = this.#lines.filter(([, text]) => !elsewhere.includes(text.trim()));
    const isOld = news.length > 0 && news.length < this.#lines.length && news[0] === this.#lines[0] &&
      /^You\b/.test(news[0][1]);
    return isOld ? news.slice(1) : news;
  }

  /**
   * Show as many of the last lines as there is room for.
   * @param {string} elsewhere - what stands there, and is not repeated
   * @param {string} tip
   */
  draw(elsewhere, tip) {
    const box = byId("told");
    /** @type {MarkedLine[]} */
    const tips = tip ? [["tip", tip]] : [];
    const lines = [...tips, ...this.#choose(elsewhere)].slice(-MAX_LINES);
    /** @type {(line: MarkedLine, index: number) => (string | HTMLElement)[]} */
    const build = (
      [mark, text],
      index,
    ) => [index ? " " : "", element("span", { class: mark || null }, ...buildSentence(text.trim()))];
    do {
      box.classList.toggle("cut", lines.length > 1);
      box.replaceChildren(...lines.flatMap(build));
    } while (box.scrollHeight > box.clientHeight && lines.shift() && lines.length);
  }
}
