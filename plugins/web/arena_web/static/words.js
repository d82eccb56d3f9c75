// What happens in a match, in words: written in the log, and said to screen readers once and in order.

import { buildSentence, spell } from "./cards.js";
import { byId, element } from "./elements.js";

const MAX_SAID = 20; // sentences that the region for screen readers keeps

export class Words {
  /** @type {MarkedLine[]} */
  #unwritten = []; // lines of the log
  /** @type {string[]} */
  #unsaid = []; // sentences

  /** @param {MarkedLine[]} lines - what is to be written, and said */
  add(lines) {
    this.#unwritten.push(...lines);
    this.addSaid(...lines.map(([, text]) => text.trim()));
  }

  /** @param {...string} sentences - what is to be said only */
  addSaid(...sentences) {
    this.#unsaid.push(...sentences);
  }

  /** Say nothing of what has come so far. */
  forgetSaid() {
    this.#unsaid = [];
  }

  /** Whether anything stands in the log. */
  get hasBegun() {
    return byId("lines").children.length > 0;
  }

  /** Write what is new in the log. */
  write() {
    if (!this.#unwritten.length) return;
    for (const [mark, text] of this.#unwritten)
      if (text.trim()) byId("lines").append(element("li", { class: mark || null }, ...buildSentence(text)));
    this.#unwritten = [];
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
    say(...this.#unsaid.filter((text) => !title.includes(text)), tip, title);
    this.forgetSaid();
  }
}

/**
 * Say sentences to screen readers, suits as words.
 * @param {...string} sentences - empty ones are not said
 */
export function say(...sentences) {
  const region = byId("say");
  region.append(...sentences.filter(Boolean).map((text) => element("p", {}, spell(text))));
  while (region.children.length > MAX_SAID) region.firstChild?.remove();
}
