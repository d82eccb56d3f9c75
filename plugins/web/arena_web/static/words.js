// What happens in a match, in words: written in the log, and said to screen readers once and in order.

import { buildSentence, spell } from "./cards.js";
import { byId, element } from "./elements.js";

const MAX_SENTENCES = 20; // sentences that the region for screen readers keeps

export class Words {
  /** @type {MarkedLine[]} */
  #lines = []; // lines of the log
  /** @type {string[]} */
  #sentences = []; // sentences

  /** @param {MarkedLine[]} lines - what is to be written, and said */
  add(lines) {
    this.#lines.push(...lines);
    this.addSentences(...lines.map(([, text]) => text.trim()));
  }

  /** @param {...string} sentences - what is to be said only */
  addSentences(...sentences) {
    this.#sentences.push(...sentences);
  }

  /** Say nothing of what has come so far. */
  forgetSentences() {
    this.#sentences = [];
  }

  /** Whether anything stands in the log. */
  get hasBegun() {
    return byId("lines").children.length > 0;
  }

  /** Write what is new in the log. */
  write() {
    if (!this.#lines.length) return;
    for (const [mark, text] of this.#lines) {
      if (text.trim()) byId("lines").append(element("li", { class: mark || null }, ...buildSentence(text)));
    }
    this.#lines = [];
    this.scrollToEnd();
  }

  /** Have the last line of the log in sight. */
  scrollToEnd() {
    byId("log").scrollTop = byId("log").scrollHeight;
  }

  /**
   * Say what is new, and then the question: all in one region, so that nothing cuts it off.
   * @param {string} title - of the question; nothing that it contains is said before it
   * @param {string} tip - on the question
   */
  say(title, tip) {
    say(...this.#sentences.filter((text) => !title.includes(text)), tip, title);
    this.forgetSentences();
  }
}

/**
 * Say sentences to screen readers, suits as words.
 * @param {...string} sentences - empty ones are not said
 */
export function say(...sentences) {
  const region = byId("say");
  region.append(...sentences.filter(Boolean).map((text) => element("p", {}, spell(text))));
  while (region.children.length > MAX_SENTENCES) region.firstChild?.remove();
}
