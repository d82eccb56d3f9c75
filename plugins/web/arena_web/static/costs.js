// After a match: what each of a person's answers cost in expectation, the worst first, each leading to its moment in the replay.
"use strict";
(() => {
  const { element } = arena;

  const fetchJson = async (address) => {
    const answer = await fetch(address);
    return answer.ok ? answer.json() : null;
  };

  // The last step that is not behind a line of the transcript, counted from 1 as addresses count
  const findStep = (steps, line) => Math.max(1, steps.filter((step) => step.l <= line).length);

  const buildRow = (table, steps, { line, cost }) => element("tr", {},
    element("th", { scope: "row" }, element("a", { href: `${table}/replay#step=${findStep(steps, line)}&eye=all` }, cost.answer)),
    element("td", {}, cost.is_best ? "0" : cost.amount.toFixed(2)),
    element("td", { class: "words" }, cost.best));

  const buildTable = (rows) => element("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": "Costs of your answers" },
    element("table", {},
      element("caption", { class: "quiet" }, "Costs of your answers, in points"),
      element("thead", {}, element("tr", {}, ...["your answer", "cost", "best answers, likeliest first"].map((name) => element("th", { scope: "col" }, name)))),
      element("tbody", {}, ...rows)));

  const summarize = (costs) => {
    const best = costs.filter(({ cost }) => cost.is_best).length;
    const total = costs.reduce((sum, { cost }) => sum + cost.amount, 0);
    return `You gave a best answer in ${best} of ${costs.length}. In all, your answers cost ${total.toFixed(2)} points in expectation.`;
  };

  arena.costs = {
    // Show the costs of a seat's answers in a section, if a plugin knows any
    show: async (section, seat) => {
      const { table } = section.dataset;
      const found = await fetchJson(`${table}/notes`).catch(() => null);
      const costs = found ? found.notes.filter((note) => note.cost && note.seat === seat) : [];
      const replay = costs.length && (await fetchJson(`${table}/replay/steps?eye=all`).catch(() => null));
      if (!replay) return;
      const whole = found.notes.filter(({ line, seat: whose, figure, text }) => line === 1 && whose === undefined && figure === undefined && text);
      costs.sort((one, other) => other.cost.amount - one.cost.amount || one.line - other.line);
      const steps = Array.isArray(replay) ? replay : replay.steps;
      section.replaceChildren(
        element("h3", { id: "costs-title" }, "What your answers cost"),
        element("p", {}, summarize(costs)),
        ...whole.map(({ text }) => element("p", { class: "hint" }, text)),
        buildTable(costs.map((note) => buildRow(table, steps, note))),
      );
      section.hidden = false;
    },
  };
})();
