// What is said of a match beside its steps: notes, each at its line. What a seat has done is marked and listed, figures
// make a curve, and what is said of the match as a whole stands above all.
"use strict";
(() => {
  const { element } = arena;
  const signed = (figure) => `${figure > 0 ? "+" : figure < 0 ? "−" : ""}${Math.abs(Number(figure.toFixed(2)))}`;
  const { svg: draw } = arena;
  arena.Notes = class {
    /**
     * @param {string | undefined} study - where a note's query leads, if it leads anywhere
     * @param {string} name - of seat 0, whose curve it is
     * @param {number | undefined} own - the seat of who looks, if it is one
     */
    constructor(study, name, own) {
      this.study = study;
      this.name = name;
      this.own = own;
      /** @type {PlacedNote[]} */
      this.all = [];
      this.steps = 1; // of the match
      this.curve = element("figure", { class: "curve", hidden: true });
      this.remarks = element("div", { class: "remarks", hidden: true });
    }

    /**
     * Show other notes.
     * @param {PlacedNote[]} notes
     * @param {number} steps - of the match
     */
    show(notes, steps) {
      this.all = notes.filter(({ text, figure, query }) => text || query || figure !== undefined);
      this.steps = steps;
      const whole = this.all.filter((note) => note.whole);
      this.remarks.hidden = !whole.length;
      this.remarks.replaceChildren(...whole.map(({ text }) => element("p", {}, text)));
      this.#drawCurve(this.all.filter(({ figure }) => figure !== undefined));
    }

    /** What is marked on the line of time. */
    get moments() {
      return this.all.filter((note) => note.text && note.seat !== undefined).map((note) => ({ ...note, kind: "noted" }));
    }

    /** Whether anything is said at steps. */
    get areAtSteps() {
      return this.all.some(({ whole }) => !whole);
    }

    /**
     * What is said at a step, and the way to its position: as one's own seat saw it, or who is remarked on.
     * @param {number} at - the step
     * @returns {HTMLElement[]}
     */
    build(at) {
      const here = this.all.filter((note) => note.at === at && !note.whole);
      const marked = here.filter(({ text, seat }) => text && seat !== undefined), plain = here.filter((note) => !marked.includes(note));
      const texts = [
        ...marked.map(({ text }) => element("p", { class: "note marked" }, text)),
        ...plain.filter(({ text }) => text).map(({ text }) => element("p", { class: "note" }, text)),
        ...here.filter(({ figure }) => figure !== undefined).map((note) => element("p", { class: "note" }, `${this.#describeLead(note)}: ${signed(note.figure)}.`)),
      ];
      const noted = here.filter(({ query }) => query);
      const note = noted.find(({ seat }) => seat === this.own) || noted.find(({ text }) => text) || noted[0];
      return note ? [...texts, element("p", { class: "note" }, ...this.buildWay(note.query))] : texts;
    }

    /**
     * The way to what is known of a position.
     * @param {Note["query"]} query
     * @returns {(string | HTMLElement)[]}
     */
    buildWay(query) {
      if (!query || !this.study) return [];
      return [" ", element("a", { href: `${this.study}?${new URLSearchParams(query)}` }, "Explore this round")];
    }

    #describeLead({ of: seat = 0 }) {
      return seat === this.own ? "Your expected lead" : `Expected lead of ${this.name}`;
    }

    #findX(at) {
      return (1000 * at) / Math.max(1, this.steps - 1);
    }

    #drawCurve(noted) {
      this.curve.hidden = noted.length < 2;
      if (this.curve.hidden) return;
      const figures = noted.map((note) => note.figure);
      const [low, high] = [Math.min(0, ...figures), Math.max(0, ...figures)];
      const y = (figure) => 96 - (92 * (figure - low)) / (high - low || 1);
      const points = noted.map(({ at, figure }) => `${this.#findX(at).toFixed(1)},${y(figure).toFixed(1)}`).join(" ");
      this.here = draw("line", { class: "here", y1: 0, y2: 100 });
      const zero = draw("line", { class: "zero", x1: 0, x2: 1000, y1: y(0), y2: y(0) });
      const size = { viewBox: "0 0 1000 100", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" };
      this.curve.replaceChildren(
        element("figcaption", {}, this.#describeLead(noted[0])),
        element("div", {}, draw("svg", size, zero, this.here, draw("polyline", { points })),
          element("span", { class: "high" }, signed(high)), element("span", { class: "low" }, signed(low))),
      );
    }

    /**
     * Mark on the curve where one is.
     * @param {number} at - the step
     */
    markStep(at) {
      if (this.here) for (const key of ["x1", "x2"]) this.here.setAttribute(key, String(this.#findX(at)));
    }
  };
})();
