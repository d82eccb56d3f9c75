// The log of a replay: all steps in words, of which the one that is shown is marked.
"use strict";
(() => {
  const { element } = arena;

  /** What a step says as elements. */
  arena.buildLines = (lines) => lines.map((line) =>
    Array.isArray(line) ? element("span", { class: `line ${line[0]}` }, line[1]) : element("span", { class: "line" }, line));

  arena.ReplayLog = class {
    constructor() {
      this.root = element("ol", { class: "log", tabindex: 0, "aria-label": "all steps" });
    }

    /**
     * Show other steps.
     * @param {(string | MarkedLine)[][]} words - the lines of each step
     * @param {(at: number) => string} buildAddress - of a step
     */
    show(words, buildAddress) {
      this.root.replaceChildren(...words.map((lines, at) =>
        element("li", {}, element("a", { href: buildAddress(at), tabindex: -1 }, ...arena.buildLines(lines)))));
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
      const { root } = this, before = root.querySelector("[aria-current]");
      if (before) before.removeAttribute("aria-current");
      const entry = /** @type {HTMLElement} */ (root.children[at]), top = entry.offsetTop;
      entry.setAttribute("aria-current", "step");
      if (top < root.scrollTop || top + entry.offsetHeight > root.scrollTop + root.clientHeight) root.scrollTop = top - root.clientHeight / 3;
    }
  };
})();
