// After a match: the moments that decided it, and what each of the person's answers cost, the worst first. Each leads to
// its step in the replay.

import { byId, element, find } from "./elements.js";
import { buildExplorerLink, buildSolveLink } from "./explorer_link.js";
import { fetchJson } from "./replies.js";

/**
 * A note of what an answer cost.
 * @typedef {Note & {cost: NotedCost}} CostNote
 *
 * What is done with a review besides.
 * @typedef {Object} ReviewOptions
 * @property {(moments: ReviewMoment[]) => void} [onMoments] - once the moments that decided the match are known
 */

/**
 * The address of a line of the transcript in the replay, through the eye of a seat.
 * @type {(table: string | undefined, seat: number, line: number) => string}
 */
const buildAddress = (table, seat, line) => `${table}/replay#line=${line}&eye=${seat}`;

/**
 * @param {DOMStringMap} place
 * @param {number} seat
 * @param {CostNote} note
 */
const buildRow = ({ table, study }, seat, { line, cost, query }) =>
  element(
    "tr",
    {},
    element("th", { scope: "row" }, element("a", { href: buildAddress(table, seat, line) }, cost.answer)),
    element("td", {}, cost.is_best ? "0" : cost.amount.toFixed(2)),
    element("td", { class: "words" }, cost.best, ...buildExplorerLink(study, query, cost.answer)),
  );

/** @param {Note} note */
const findCost = ({ cost }) => (cost && !cost.is_best ? cost.amount : 0);

/** @param {HTMLElement[]} rows */
const buildTable = (rows) =>
  element(
    "div",
    { class: "scroller", tabindex: "0", role: "region", "aria-label": "Costs of your answers" },
    element(
      "table",
      {},
      element("caption", { class: "hidden" }, "Costs of your answers, in points"),
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          ...["your answer", "cost", "best answers, likeliest first"].map((name) =>
            element("th", { scope: "col" }, name)
          ),
        ),
      ),
      element("tbody", {}, ...rows),
    ),
  );

/**
 * @param {CostNote[]} costs
 * @param {string} judged - a word where not all answers are
 */
const summarize = (costs, judged) => {
  const best = costs.filter(({ cost }) => cost.is_best).length;
  const total = costs.reduce((sum, { cost }) => sum + cost.amount, 0);
  return `${best} of your ${costs.length} ${judged}answers were best. Together they cost you ${
    total.toFixed(2)
  } points on average.`;
};

/**
 * @param {string} table
 * @param {number} seat
 * @param {ReviewMoment} moment
 */
const buildMoment = (table, seat, { line, title, words, better }) =>
  element(
    "li",
    {},
    element("a", { href: buildAddress(table, seat, line) }, title),
    words && `: ${words}`,
    better && element("p", {}, better),
  );

/**
 * Show the moments that decided the match.
 * @param {HTMLElement} section
 * @param {number} seat
 * @param {ReviewOptions["onMoments"]} onMoments
 */
const showMoments = async (section, seat, onMoments) => {
  const table = String(section.dataset.table);
  const status = find(section, "[role=status]");
  status.textContent = "Thinking about it: one moment…";
  /** @type {?MatchReview} */
  const review = await fetchJson(`${table}/moments?seat=${seat}`).catch(() => null);
  if (!review) {
    status.textContent = "The server is busy. Load this page again to see what decided the match.";
    return;
  }
  if (!review.summary) { // there is nothing to say
    status.remove();
    return;
  }
  onMoments?.(review.moments);
  status.before(element("h3", {}, review.title));
  const [first, ...others] = review.moments.map((moment) => buildMoment(table, seat, moment));
  status.replaceChildren(review.summary, ...(first ? [element("ol", {}, first)] : [])); // the first is read out, too
  status.after(
    ...(others.length ? [element("ol", { start: 2 }, ...others)] : []),
    element("p", { class: "hint" }, review.method),
  );
};

/**
 * Show the costs of a seat's answers, if a plugin knows any.
 * @param {HTMLElement} section
 * @param {number} seat
 */
const showCosts = async (section, seat) => {
  /** @type {?MatchNotes} */
  const reply = await fetchJson(`${section.dataset.table}/notes`).catch(() => null);
  if (!reply) return; // nothing else is missed without them
  const { notes } = reply;
  leadToWorstRound(section.dataset.study, notes, seat);
  const costs = notes.flatMap((note) => (note.cost && note.seat === seat ? [{ ...note, cost: note.cost }] : []));
  if (!costs.length) return;
  const whole = notes.filter((note) => note.whole && note.text);
  costs.sort((one, other) => other.cost.amount - one.cost.amount || one.line - other.line);
  const remarks = whole.map(({ text, query }) =>
    element("p", { class: "hint" }, text, ...buildSolveLink(section.dataset.study, query))
  );
  section.replaceChildren(
    ...remarks,
    element(
      "details",
      {},
      element("summary", { id: "costs-title" }, "What each of your answers cost"),
      element("p", {}, summarize(costs, whole.length ? "judged " : "")),
      buildTable(costs.map((note) => buildRow(section.dataset, seat, note))),
    ),
  );
  section.hidden = false;
};

/**
 * Let the ways to the explorer lead to the costliest answer of the seat, or to the first position that is known.
 * @param {string | undefined} study
 * @param {Note[]} notes
 * @param {number} seat
 */
const leadToWorstRound = (study, notes, seat) => {
  const known = notes.filter(({ query, whole }) => query && !whole), own = known.filter((note) => note.seat === seat);
  const [worst] = own.length ? [...own].sort((one, other) => findCost(other) - findCost(one)) : known; // of equal ones the first
  if (!study || !worst) return;
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const ways = document.querySelectorAll("[data-explore]");
  for (const way of ways) way.href = `${study}?${new URLSearchParams(worst.query)}`;
};

/**
 * Show what there is to say of a match once it is over.
 * @param {number} seat - of who has played it
 * @param {ReviewOptions} [options]
 */
export function showReview(seat, options = {}) {
  showMoments(byId("review"), seat, options.onMoments);
  showCosts(byId("costs"), seat);
}
