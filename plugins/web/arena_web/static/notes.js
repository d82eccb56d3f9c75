// What is said of a match beside its steps: notes, each at its line. What a seat has done is marked and listed, figures
// make a curve, and what is said of the match as a whole stands above all.

import { byId, element, svg } from "./elements.js";
import { buildExplorerLink, buildSolveLink } from "./explorer_link.js";

/**
 * A note, which may be a moment of the review that stands on the page.
 * @typedef {Note & {isReviewed?: boolean}} ReplayNote
 *
 * A note with the index of its step.
 * @typedef {ReplayNote & {at: number}} PlacedNote
 */

/** @param {number} figure */
const signed = (figure) => `${figure > 0 ? "+" : figure < 0 ? "−" : ""}${Math.abs(Number(figure.toFixed(2)))}`;

/** The link from a moment to the review, which stands below and says more of it. */
const buildReviewLink = () => {
  const link = element("a", { href: "#review" }, "Back to the review");
  link.addEventListener("click", (event) => {
    event.preventDefault(); // the address is that of the step
    const review = byId("review");
    review.tabIndex = -1;
    review.focus({ preventScroll: true });
    review.scrollIntoView();
  });
  return link;
};

export class Notes {
  #study;
  #name;
  #own;
  #explain;
  /** @type {Promise<Note[]> | undefined} */
  #fetched; // the notes, once they were asked for
  /** @type {PlacedNote[]} */
  #all = [];
  #steps = 1; // of the match
  #mark = svg("line", { class: "here", y1: 0, y2: 100 }); // of where one is on the curve

  /**
   * @param {string | undefined} study - where a note's query leads, if it leads anywhere
   * @param {string} name - of seat 0, whose curve it is
   * @param {number | undefined} own - the seat of who looks, if it is one
   * @param {() => Promise<Note[]>} [explain] - gets the notes, if there may be any
   */
  constructor(study, name, own, explain) {
    this.#study = study;
    this.#name = name;
    this.#own = own;
    this.#explain = explain;
    this.curve = element("figure", { class: "curve", hidden: true });
    this.remarks = element("div", { class: "remarks", hidden: true });
    this.here = element("div", { class: "noted-here", hidden: true }); // what is said at a step
  }

  /**
   * The notes, of which there are none where they cannot be had now; then they are asked for again the next time.
   * @returns {Promise<Note[]>}
   */
  async fetch() {
    this.#fetched ??= this.#explain?.();
    try {
      return await this.#fetched ?? [];
    } catch {
      this.#fetched = undefined;
      return [];
    }
  }

  /**
   * Show other notes.
   * @param {PlacedNote[]} notes
   * @param {number} steps - of the match
   */
  show(notes, steps) {
    this.#all = notes.filter(({ text, figure, query }) => text || query || figure !== undefined);
    this.#steps = steps;
    const whole = this.#all.filter((note) => note.whole);
    this.remarks.hidden = !whole.length;
    this.remarks.replaceChildren(
      ...whole.map(({ text, query }) => element("p", {}, text, ...buildSolveLink(this.#study, query))),
    );
    this.here.hidden = this.#all.every((note) => note.whole); // else there is room for it at each step, so that no button moves
    this.#drawCurve(this.#all.flatMap((note) => (note.figure === undefined ? [] : [{ ...note, figure: note.figure }])));
  }

  /** What is marked on the line of time. */
  get moments() {
    return this.#all.filter((note) => note.text && note.seat !== undefined)
      .map((note) => ({ ...note, kind: note.isReviewed ? "reviewed" : "noted" }));
  }

  /**
   * Say what there is to say at a step, and mark it on the curve.
   * @param {number} at - the step
   */
  showStep(at) {
    this.here.replaceChildren(...this.#build(at));
    for (const key of ["x1", "x2"]) this.#mark.setAttribute(key, String(this.#findX(at)));
  }

  /**
   * What is said at a step, and the way to its position: as one's own seat saw it, or who is remarked on.
   * @param {number} at - the step
   * @returns {HTMLElement[]}
   */
  #build(at) {
    const here = this.#all.filter((note) => note.at === at && !note.whole);
    const marked = here.filter(({ text, seat }) => text && seat !== undefined),
      plain = here.filter((note) => !marked.includes(note));
    const texts = [
      ...marked.map(({ text }) => element("p", { class: "note marked" }, text)),
      ...plain.filter(({ text }) => text).map(({ text }) => element("p", { class: "note" }, text)),
      ...here.flatMap((
        note,
      ) => (note.figure === undefined
        ? []
        : [element("p", { class: "note" }, `${this.#describeLead(note)}: ${signed(note.figure)}.`)])
      ),
    ];
    const noted = here.filter(({ query }) => query);
    const note = noted.find(({ seat }) => seat === this.#own) || noted.find(({ text }) => text) || noted[0];
    const links = [
      ...(note ? this.buildLink(note.query) : []),
      ...(here.some(({ isReviewed }) => isReviewed) ? [" ", buildReviewLink()] : []),
    ];
    return links.length ? [...texts, element("p", { class: "note" }, ...links)] : texts;
  }

  /**
   * The link to what is known of a position.
   * @param {Note["query"]} query
   */
  buildLink(query) {
    return buildExplorerLink(this.#study, query);
  }

  /** @param {Note} note - with a figure */
  #describeLead({ of: seat = 0 }) {
    return seat === this.#own ? "Your expected lead" : `Expected lead of ${this.#name}`;
  }

  /** @param {number} at - the step */
  #findX(at) {
    return (1000 * at) / Math.max(1, this.#steps - 1);
  }

  /** @param {(PlacedNote & {figure: number})[]} noted */
  #drawCurve(noted) {
    this.curve.hidden = noted.length < 2;
    if (this.curve.hidden) return;
    const figures = noted.map((note) => note.figure);
    const [low, high] = [Math.min(0, ...figures), Math.max(0, ...figures)];
    /** @param {number} figure */
    const y = (figure) => 96 - (92 * (figure - low)) / (high - low || 1);
    const points = noted.map(({ at, figure }) => `${this.#findX(at).toFixed(1)},${y(figure).toFixed(1)}`).join(" ");
    const zero = svg("line", { class: "zero", x1: 0, x2: 1000, y1: y(0), y2: y(0) });
    const size = { viewBox: "0 0 1000 100", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" };
    this.curve.replaceChildren(
      element("figcaption", {}, this.#describeLead(noted[0])),
      element(
        "div",
        {},
        svg("svg", size, zero, this.#mark, svg("polyline", { points })),
        element("span", { class: "high" }, signed(high)),
        element("span", { class: "low" }, signed(low)),
      ),
    );
  }
}
