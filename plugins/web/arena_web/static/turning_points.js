// The turning points of a match, which are failures of players and notes, too: marked on a line of time, and listed.
"use strict";
(() => {
  const MAX_MARKED = 10; // that are marked, at most
  const MAX_LISTED = 3; // of these that are listed at once, if there are many
  /** @type {Record<string, string>} */
  const KINDS = { turn: "turning point", noted: "answer that cost something", verdict: "failure of a player" };
  const { element } = arena;

  /**
   * So many of these: failures and what cost or changed most points, the weightiest first, of equal ones the latest.
   * @param {TurningPoint[]} points
   * @param {number} count
   */
  const chooseWeightiest = (points, count) => {
    /** @param {TurningPoint} point */
    const weigh = ({ kind, weight, cost }) => (kind === "verdict" ? Infinity : cost ? cost.amount : weight || 0);
    return [...points].sort((one, other) => weigh(other) - weigh(one) || other.at - one.at).slice(0, count);
  };

  arena.TurningPoints = class {
    #buildItem;
    #list = element("ul", { class: "moments" });
    #rest = element("ul", { class: "others" });
    #summary = element("summary", {});
    #others = element("details", {}, this.#summary, this.#rest);

    /** @param {(point: TurningPoint) => HTMLElement} buildItem - an entry of the list */
    constructor(buildItem) {
      this.#buildItem = buildItem;
      /** @type {TurningPoint[]} */
      this.points = []; // in their order, once they are shown
      this.marks = element("div", { class: "marks", "aria-hidden": "true" });
      this.legend = element("p", { class: "legend", hidden: true });
      this.section = element("section", { class: "points", "aria-labelledby": "points-title", hidden: true },
        element("h2", { id: "points-title" }, "Turning points"), this.#list, this.#others);
    }

    /**
     * Show other points, the weightiest of them.
     * @param {TurningPoint[]} points
     * @param {number} steps - of the match
     */
    show(points, steps) {
      this.points = chooseWeightiest(points, MAX_MARKED).sort((one, other) => one.at - other.at);
      this.marks.replaceChildren(...this.points.map(({ at, kind }) => {
        const mark = element("span", { class: `mark ${kind}` });
        mark.style.left = `${(100 * at) / Math.max(1, steps - 1)}%`;
        return mark;
      }));
      const kinds = Object.keys(KINDS).filter((kind) => this.points.some((point) => point.kind === kind));
      this.legend.replaceChildren(...kinds.flatMap((kind) => [element("span", { class: `mark ${kind}` }), element("span", {}, KINDS[kind])]));
      this.legend.hidden = !kinds.length;
      this.section.hidden = !this.points.length;
      const top = this.points.length <= MAX_LISTED + 1 ? this.points : chooseWeightiest(this.points, MAX_LISTED).sort((one, other) => one.at - other.at);
      const rest = this.points.filter((point) => !top.includes(point));
      this.#list.replaceChildren(...top.map((point) => this.#buildItem(point)));
      this.#others.hidden = !rest.length;
      this.#summary.textContent = `${rest.length} more`;
      this.#rest.replaceChildren(...rest.map((point) => this.#buildItem(point)));
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
  };
})();
