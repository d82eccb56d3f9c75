// Where one chooses a game: pictures of the games, a table in play, and the name that was given before.
"use strict";
(() => {
  const { element } = arena;
  const NAME = "arena-name";
  const PACE = 1400; // milliseconds a step
  const LOOK = 1000; // milliseconds until one looks how far a preparation is
  const REST = 5000; // milliseconds at the end
  const sample = document.querySelector("[data-sample]");

  // --- the table in play, and pictures of the games -----------------------------------------
  const merge = (steps) => {
    const zones = Object.assign({}, ...steps.map((step) => step.z || {}));
    return Object.fromEntries(Object.entries(zones).filter(([, zone]) => zone));
  };

  const paint = (place, { names, steps, picture }) => {
    const all = merge(steps.slice(0, picture + 1));
    const middle = Object.entries(all).filter(([, { kind }]) => !["hand", "row", "text"].includes(kind));
    const zones = middle.length ? Object.fromEntries(middle) : all;
    if (!Object.keys(zones).length) return;
    const root = element("div");
    place.append(root);
    const board = new arena.Board(root);
    board.name = (seat) => names[seat];
    board.show(zones);
  };

  const replay = ({ names, steps, picture }) => {
    const [shown, told, pause] = [".shown", ".told", "button"].map((part) => sample.querySelector(part));
    let [at, timer] = [picture, 0];
    const show = () => {
      const said = steps.slice(0, at + 1).findLast((step) => step.t && step.t.length);
      board.show(merge(steps.slice(0, at + 1)));
      board.onresize();
      told.replaceChildren(...(said ? said.t : []).map((word) => element("span", {}, arena.plain(word))));
    };
    const step = () => {
      if (!document.hidden) at = (at + 1) % steps.length;
      show();
      timer = setTimeout(step, at === steps.length - 1 ? REST : PACE);
    };
    const run = (wanted) => {
      clearTimeout(timer);
      timer = wanted ? setTimeout(step, PACE) : 0;
      pause.textContent = wanted ? "Pause" : "Watch";
    };
    const root = element("div");
    shown.append(root);
    const board = new arena.Board(root);
    board.name = (seat) => names[seat];
    board.onresize = () => board.fit(shown.clientHeight);
    pause.addEventListener("click", () => run(!timer));
    show();
    run(!matchMedia("(prefers-reduced-motion: reduce)").matches);
  };

  const load = async () => {
    const answer = await fetch(sample.dataset.samples);
    if (!answer.ok) return;
    const samples = await answer.json();
    for (const place of document.querySelectorAll("[data-picture]"))
      if (samples[place.dataset.picture]) paint(place, samples[place.dataset.picture]);
    const own = samples[sample.dataset.sample];
    if (own && own.steps.some((step) => step.z && Object.keys(step.z).length)) replay(own);
  };

  // --- the name -----------------------------------------------------------------------------
  const remember = (event) => {
    const field = event.target.querySelector("[data-name]");
    if (field && field.type !== "hidden") arena.remember(NAME, field.value);
  };

  // --- bots that are being prepared, such as by solving their game --------------------------
  const follow = async (place) => {
    const answer = await fetch(place.dataset.preparing).catch(() => null);
    const { share, over } = answer && answer.ok ? await answer.json() : { over: true };
    if (over) return location.assign(location.pathname + location.search);
    place.textContent = `Being prepared: ${Math.floor(100 * share)}\u00a0%`;
    setTimeout(() => follow(place), LOOK);
  };
  for (const place of document.querySelectorAll("[data-preparing]")) setTimeout(() => follow(place), LOOK);

  for (const field of document.querySelectorAll("[data-name]")) field.value ||= arena.recall(NAME) || "";
  for (const form of document.querySelectorAll("form")) form.addEventListener("submit", remember);
  if (sample) load().catch(() => {}); // without the pictures, too, one can play
})();
