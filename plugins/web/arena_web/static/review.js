// After a match: the moments that decided it, when a person asks for them, the weightiest first, and what each of the
// person's answers cost in expectation, the worst first. Each leads to its step in the replay.
"use strict";
(() => {
  const { element } = arena;
  const at = (id) => document.getElementById(id);
  const SHOWN = 3; // moments that are shown at once

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

  const fetchSteps = async (table, eye = "all") => {
    const replay = await fetchJson(`${table}/replay/steps?eye=${eye}`).catch(() => null);
    return replay && replay.steps;
  };

  const sayLead = (lead) => (lead ? `${Math.abs(lead)} ${lead > 0 ? "ahead" : "behind"}` : "level");

  // The first step that is not before a line: what was answered there, or what came of it
  const findNext = (steps, line) => {
    const step = steps.findIndex(({ l }) => l >= line);
    return step < 0 ? steps.length : step + 1;
  };

  const sayChange = ({ leads }) => leads[0] === leads[1] ? "" : ` You went from ${sayLead(leads[0])} to ${sayLead(leads[1])}.`;

  const buildMoment = (table, seat, steps, moment, measure) => {
    const step = findNext(steps, moment.line);
    return element("li", {},
      element("a", { href: `${table}/replay#step=${step}&eye=${seat}` }, moment.title || `Step ${step}`),
      moment.words.length ? `: ${moment.words.join(" ")}` : "",
      measure ? "" : sayChange(moment), element("p", {}, moment.better));
  };

  // Fill in, one after the other, what would have been better
  const compare = async (table, seat, { moments, source }, items, say) => {
    const asked = moments.slice(0, SHOWN).map((moment, at) => [moment, items[at]]).filter(([moment]) => source && moment.asked);
    for (const [at, [{ line }, item]] of asked.entries()) {
      say(`${source} looks at moment ${at + 1} of ${asked.length}`);
      const found = await fetchJson(`${table}/better?seat=${seat}&line=${line}`).catch(() => null);
      item.lastChild.textContent = found ? found.better : "What would have been better could not be found out: the server is busy.";
    }
  };

  const sayMeasure = ({ expected, direction, measure, playouts, source, noise }) => {
    if (expected) return "The rounds in which the result that the exact solution expects changed most.";
    if (measure === "points")
      return `The answers that cost most points on average, by playing the deal on after each card, with the cards dealt anew that you did not see. Left out is what may be chance, up to ± ${noise.toFixed(1)} points.`;
    if (measure === "unsure") return "Answers that may have cost something, the likeliest first: each difference may be chance.";
    if (!playouts) return `The rounds in which your lead over the best of the others ${direction > 0 ? "grew" : direction < 0 ? "shrank" : "changed"} most.`;
    return `The answers that cost most of your chance to win. A chance is the share that you win of ${playouts} games from there: ${source[0].toLowerCase()}${source.slice(1)} plays them on in all seats, and the cards that you did not see are dealt anew. Left out is what may be chance, up to ± ${Math.round(100 * noise)} points.`;
  };

  const findMoments = async (section, seat) => {
    const { table } = section.dataset, status = element("p", { role: "status" });
    const say = (text) => { status.textContent = text; };
    section.replaceChildren(element("h3", {}, "What decided this match"), status);
    say("Playing the match again to find the moments that decided it, which may take some seconds");
    const [found, steps] = await Promise.all([fetchJson(`${table}/moments?seat=${seat}`).catch(() => null), fetchSteps(table, seat)]);
    if (!found || !steps) return say("The moments could not be found: the server is busy. Load the page again and ask once more.");
    const items = found.moments.map((moment) => buildMoment(table, seat, steps, moment, found.measure)), rest = items.slice(SHOWN);
    status.before(...found.story.map((sentence) => element("p", { class: "story" }, sentence)));
    status.before(element("ol", {}, ...items.slice(0, SHOWN)));
    if (rest.length) status.before(element("details", {}, element("summary", {}, `${rest.length} more`), element("ul", {}, ...rest)));
    await compare(table, seat, found, items, say);
    say(items.length ? sayMeasure(found) : "No round changed the score in the direction of the result.");
  };

  // Offer to look for the moments that decided the match for a seat
  const offer = (section, seat) => {
    const ask = element("button", { type: "button" }, "What decided this match?");
    ask.addEventListener("click", () => findMoments(section, seat));
    section.replaceChildren(ask);
  };

  // Show the costs of a seat's answers in a section, if a plugin knows any
  const showCosts = async (section, seat) => {
    const { table } = section.dataset;
    const found = await fetchJson(`${table}/notes`).catch(() => null);
    const costs = found ? found.notes.filter((note) => note.cost && note.seat === seat) : [];
    const steps = costs.length && (await fetchSteps(table));
    if (!steps) return;
    const whole = found.notes.filter(({ line, seat: whose, figure, text }) => line === 1 && whose === undefined && figure === undefined && text);
    costs.sort((one, other) => other.cost.amount - one.cost.amount || one.line - other.line);
    section.replaceChildren(
      element("h3", { id: "costs-title" }, "What your answers cost"),
      element("p", {}, summarize(costs)),
      ...whole.map(({ text }) => element("p", { class: "hint" }, text)),
      buildTable(costs.map((note) => buildRow(table, steps, note))),
    );
    section.hidden = false;
  };

  arena.review = {
    // Show what there is to say of a match once it is over
    show: ({ seat }) => {
      offer(at("review"), seat);
      showCosts(at("costs"), seat);
    },
  };
})();
