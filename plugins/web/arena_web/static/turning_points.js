// The turning points of a match, which are failures of players, notes and the moments of a review, too: marked on a line
// of time, where each says what it is to who points at it, and listed. By keyboard, keys and buttons lead from one to
// the next, and the line of time says at which one is.

import { element } from "./elements.js";

/**
 * A turning point of a match: a round that changed much, a failure, or an answer that cost something.
 * @typedef {Object} TurningPoint
 * @property {number} at - the index of its step
 * @property {string} kind
 * @property {string} text
 * @property {number} [weight]
 * @property {{amount: number}} [cost]
 * @property {Record<string, string>} [query]
 *
 * A turning point that is marked on the line of time, with its address and where in the match it is.
 * @typedef {TurningPoint & {address: string, place: string}} MarkedPoint
 */

const MAX_MARKED = 10; // that are marked, at most
const MAX_LISTED = 3; // of these that are listed at once, if there are many
/** @type {Record<string, string>} */
const KINDS = {
  reviewed: "moment of your review",
  turn: "turning point",
  noted: "answer that cost something",
  verdict: "failure of a player",
};

/**
 * So many of these: failures, what a review tells, and what cost or changed most points, the weightiest first, of equal ones the latest.
 * @template {TurningPoint} T
 * @param {T[]} points
 * @param {number} count
 */
const chooseWeightiest = (points, count) => {
  /** @param {TurningPoint} point */
  const weigh = (
    { kind, weight, cost },
  ) => (["verdict", "reviewed"].includes(kind) ? Infinity : cost ? cost.amount : weight || 0);
  return [...points].sort((one, other) => weigh(other) - weigh(one) || other.at - one.at).slice(0, count);
};

export class TurningPoints {
  #buildItem;
  #list = element("ul", { class: "moments" });
  #rest = element("ul", { class: "others" });
  #summary = element("summary", {});
  #others = element("details", {}, this.#summary, this.#rest);

  /** @param {(point: MarkedPoint) => HTMLElement} buildItem - an entry of the list */
  constructor(buildItem) {
    this.#buildItem = buildItem;
    /** @type {MarkedPoint[]} */
    this.points = []; // in their order, once they are shown
    this.marks = element("div", { class: "marks", "aria-hidden": "true" });
    this.legend = element("p", { class: "legend", hidden: true });
    this.section = element(
      "section",
      { class: "points", "aria-labelledby": "points-title", hidden: true },
      element("h2", { id: "points-title" }, "Turning points"),
      this.#list,
      this.#others,
    );
  }

  /**
   * Show other points, the weightiest of them.
   * @param {MarkedPoint[]} points
   * @param {number} steps - of the match
   */
  show(points, steps) {
    this.points = chooseWeightiest(points, MAX_MARKED).sort((one, other) => one.at - other.at);
    this.marks.replaceChildren(...this.points.map((point) => this.#buildMark(point, steps)));
    const kinds = Object.keys(KINDS).filter((kind) => this.points.some((point) => point.kind === kind));
    this.legend.replaceChildren(
      ...kinds.flatMap((kind) => [element("span", { class: `mark ${kind}` }), element("span", {}, KINDS[kind])]),
    );
    this.legend.hidden = !kinds.length;
    const listed = this.points.filter(({ kind }) => kind !== "reviewed"); // the review lists the others
    this.section.hidden = !listed.length;
    const top = listed.length <= MAX_LISTED + 1
      ? listed
      : chooseWeightiest(listed, MAX_LISTED).sort((one, other) => one.at - other.at);
    const rest = listed.filter((point) => !top.includes(point));
    this.#list.replaceChildren(...top.map((point) => this.#buildItem(point)));
    this.#others.hidden = !rest.length;
    this.#summary.textContent = `${rest.length} more`;
    this.#rest.replaceChildren(...rest.map((point) => this.#buildItem(point)));
  }

  /**
   * What is at a step, for the line of time; nothing where no point is.
   * @param {number} at - the step
   */
  describe(at) {
    const here = this.points.filter((point) => point.at === at);
    return here.map(({ kind }) => `, ${KINDS[kind]}`).join("");
  }

  /**
   * A mark, which leads to its step and has its words.
   * @param {MarkedPoint} point
   * @param {number} steps - of the match
   */
  #buildMark({ at, kind, text, address, place }, steps) {
    const words = `${place}${place && ": "}${text}`, share = at / Math.max(1, steps - 1);
    const mark = element("a", { class: `mark ${kind}`, href: address, tabindex: -1 });
    const tip = element("span", { class: "tip" }, words);
    mark.style.left = `${100 * share}%`;
    tip.style.setProperty("--share", String(share));
    return element("span", {}, mark, tip);
  }

  /**
   * The next turning point behind a step, or the last before it.
   * @param {number} at - the step
   * @param {boolean} forward
   * @returns {TurningPoint | undefined}
   */
  find(at, forward) {
    return forward ? this.points.find((point) => point.at > at) : this.points.findLast((point) => point.at < at);
  }
}
