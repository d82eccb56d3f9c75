// The log of a replay: all steps in words, of which the one that is shown is marked.

import { element } from "./elements.js";

/** @typedef {import("./replay_view.js").ReplayView} ReplayView */

/**
 * What a step says as elements.
 * @param {(string | MarkedLine)[]} lines
 */
export function buildLines(lines) {
  return lines.map((line) =>
    Array.isArray(line)
      ? element("span", { class: `line ${line[0]}` }, line[1])
      : element("span", { class: "line" }, line)
  );
}

export class ReplayLog {
  /** @type {HTMLElement[]} */
  #entries = []; // by the indices of steps

  constructor() {
    this.root = element("ol", { class: "log", tabindex: 0, "aria-label": "all steps" });
  }

  /**
   * Show other steps, each with its number.
   * @param {ReplayView} view
   * @param {(at: number) => string} buildAddress - of a step
   */
  show(view, buildAddress) {
    this.#entries = view.words.map((lines, at) =>
      element(
        "li",
        { value: view.findNumber(at) },
        element("a", { href: buildAddress(at), tabindex: -1 }, ...buildLines(lines)),
      )
    );
    this.root.replaceChildren(...this.#entries);
  }

  /**
   * Take no more height than this, where the log stands below the board.
   * @param {number} room - in pixels
   */
  fit(room) {
    this.root.style.setProperty("--room", `${room}px`);
  }

  /**
   * Mark the entry of a step, and scroll the log alone.
   * @param {number} at - the step
   */
  markStep(at) {
    const { root } = this;
    root.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const entry = this.#entries[at], top = entry.offsetTop;
    entry.setAttribute("aria-current", "step");
    if (top < root.scrollTop || top + entry.offsetHeight > root.scrollTop + root.clientHeight) {
      root.scrollTop = top - root.clientHeight / 3;
    }
  }
}
