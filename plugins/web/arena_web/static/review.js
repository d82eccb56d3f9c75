// After a match: the moments that decided it, and what each of the person's answers cost, the worst first. Each leads to
// its step in the replay.
"use strict";
(() => {
  const { element } = arena;

  /**
   * @param {string} address
   * @returns {Promise<any>} null: the server cannot say it now
   */
  const fetchJson = async (address) => {
    const answer = await fetch(address);
    return answer.ok ? answer.json() : null;
  };

  // The last step that is not behind a line of the transcript, counted from 1 as addresses count
  const findStep = (steps, line) => Math.max(1, steps.filter((step) => step.l <= line).length);

  // The way to the position of an answer, where a plugin has solved it
  const buildWay = (study, query, answer) =>
    (study && query ? [" ", element("a", { href: `${study}?${new URLSearchParams(query)}`, "aria-label": `Explore this round: ${answer}` }, "Explore this round")] : []);

  /**
   * @param {DOMStringMap} place
   * @param {number} seat
   * @param {ReplayStep[]} steps
   * @param {CostNote} note
   */
  const buildRow = ({ table, study }, seat, steps, { line, cost, query }) => element("tr", {},
    element("th", { scope: "row" }, element("a", { href: `${table}/replay#step=${findStep(steps, line)}&eye=${seat}` }, cost.answer)),
    element("td", {}, cost.is_best ? "0" : cost.amount.toFixed(2)),
    element("td", { class: "words" }, cost.best, ...buildWay(study, query, cost.answer)));

  const buildTable = (rows) => element("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": "Costs of your answers" },
    element("table", {},
      element("caption", { class: "hidden" }, "Costs of your answers, in points"),
      element("thead", {}, element("tr", {}, ...["your answer", "cost", "best answers, likeliest first"].map((name) => element("th", { scope: "col" }, name)))),
      element("tbody", {}, ...rows)));

  // `judged`: a word where not all answers are
  const summarize = (costs, judged) => {
    const best = costs.filter(({ cost }) => cost.is_best).length;
    const total = costs.reduce((sum, { cost }) => sum + cost.amount, 0);
    return `${best} of your ${costs.length} ${judged}answers were best. Together they cost you ${total.toFixed(2)} points on average.`;
  };

  const fetchSteps = async (table, seat) => {
    /** @type {?ReplaySteps} */
    const replay = await fetchJson(`${table}/replay/steps?eye=${seat}`).catch(() => null);
    return replay && replay.steps;
  };

  // The first step that is not before a line: what was answered there, or what came of it
  const findNext = (steps, line) => {
    const step = steps.findIndex(({ l }) => l >= line);
    return step < 0 ? steps.length : step + 1;
  };

  const buildMoment = (table, seat, steps, { line, title, words, better }) =>
    element("li", {},
      element("a", { href: `${table}/replay#step=${findNext(steps, line)}&eye=${seat}` }, title),
      words && `: ${words}`, better && element("p", {}, better));

  const showMoments = async (section, seat) => {
    const { table } = section.dataset, status = section.querySelector("[role=status]");
    status.textContent = "Thinking about it: one moment…";
    /** @type {[?MatchReview, ?ReplayStep[]]} */
    const [found, steps] = await Promise.all([fetchJson(`${table}/moments?seat=${seat}`).catch(() => null), fetchSteps(table, seat)]);
    if (!found || !steps) {
      status.textContent = "The server is busy. Load this page again to see what decided the match.";
      return;
    }
    if (!found.summary) { // there is nothing to say
      status.remove();
      return;
    }
    status.before(element("h3", {}, found.title));
    const [first, ...others] = found.moments.map((moment) => buildMoment(table, seat, steps, moment));
    status.replaceChildren(found.summary, ...(first ? [element("ol", {}, first)] : [])); // the first is read out, too
    status.after(...(others.length ? [element("ol", { start: 2 }, ...others)] : []), element("p", { class: "hint" }, found.method));
  };

  // Show the costs of a seat's answers in a section, if a plugin knows any
  const showCosts = async (section, seat) => {
    const { table } = section.dataset;
    /** @type {?MatchNotes} */
    const found = await fetchJson(`${table}/notes`).catch(() => null);
    if (!found) return;
    leadToLastRound(section.dataset.study, found.notes, seat);
    const costs = /** @type {CostNote[]} */ (found.notes.filter((note) => note.cost && note.seat === seat));
    const steps = costs.length && (await fetchSteps(table, seat));
    if (!steps) return;
    const whole = found.notes.filter((note) => note.whole && note.text);
    costs.sort((one, other) => other.cost.amount - one.cost.amount || one.line - other.line);
    section.replaceChildren(element("details", {},
      element("summary", { id: "costs-title" }, "What each of your answers cost"),
      ...whole.map(({ text }) => element("p", {}, text)),
      element("p", {}, summarize(costs, whole.length ? "judged " : "")),
      buildTable(costs.map((note) => buildRow(section.dataset, seat, steps, note))),
    ));
    section.hidden = false;
  };

  // Let the ways to the explorer lead to the last position of the match that is known
  const leadToLastRound = (study, notes, seat) => {
    const known = notes.filter(({ query }) => query), last = known.findLast((note) => note.seat === seat) || known.at(-1);
    if (!study || !last) return;
    /** @type {NodeListOf<HTMLAnchorElement>} */
    const ways = document.querySelectorAll("[data-explore]");
    for (const way of ways) way.href = `${study}?${new URLSearchParams(last.query)}`;
  };

  arena.review = {
    /**
     * Show what there is to say of a match once it is over.
     * @param match - with the seat of who has played it
     */
    show: ({ seat }) => {
      showMoments(arena.byId("review"), seat);
      showCosts(arena.byId("costs"), seat);
    },
  };

  const replay = arena.byId("replay"); // which shows it below
  if (replay) arena.review.show({ seat: Number(replay.dataset.own) });
})();
