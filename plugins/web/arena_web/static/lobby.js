// Where one chooses a game: pictures of the games, a table in play, and the name that was given before.
"use strict";
(() => {
  const NAME_KEY = "arena-name"; // in the browser's store
  const STEP_MILLISECONDS = 1400;
  const REST_MILLISECONDS = 5000; // at the end of the table in play
  const LASTING_STEPS = 1; // for which words stand: then they are of what lies there no more

  // --- the table in play, and pictures of the games -------------------------------------------
  /** @param {ReplayStep[]} steps */
  const mergeZones = (steps) => {
    const zones = Object.assign({}, ...steps.map((step) => step.z || {}));
    return Object.fromEntries(Object.entries(zones).filter(([, zone]) => zone));
  };

  /**
   * @param {HTMLElement} place
   * @param {string[]} names
   */
  const buildBoard = (place, names) => {
    const root = arena.element("div");
    place.append(root);
    const board = new arena.Board(root);
    board.nameSeat = (seat) => names[seat];
    return board;
  };

  /**
   * @param {HTMLElement} place
   * @param {SampleMatch} match
   */
  const drawPicture = (place, { names, steps, picture }) => {
    const all = mergeZones(steps.slice(0, picture + 1));
    const middle = Object.entries(all).filter(([, { kind }]) => !["hand", "row", "text"].includes(kind));
    const zones = middle.length ? Object.fromEntries(middle) : all;
    if (Object.keys(zones).length) buildBoard(place, names).show(zones);
  };

  /**
   * @param {HTMLElement} place
   * @param {SampleMatch} match
   */
  const replay = (place, { names, steps, picture }) => {
    const stage = arena.find(place, ".shown"), told = arena.find(place, ".told"), pause = arena.find(place, "button");
    const board = buildBoard(stage, names);
    let at = picture, timer = 0;
    const fit = () => board.fit(stage.clientHeight);
    board.onresize = fit;
    const show = () => {
      const last = steps.slice(Math.max(0, at - LASTING_STEPS), at + 1).findLast((step) => step.t && step.t.length);
      board.show(mergeZones(steps.slice(0, at + 1)));
      fit();
      told.replaceChildren(...(last?.t || []).map((line) => arena.element("span", {}, arena.plain(line))));
    };
    const advance = () => {
      if (!document.hidden) at = (at + 1) % steps.length;
      show();
      timer = setTimeout(advance, at === steps.length - 1 ? REST_MILLISECONDS : STEP_MILLISECONDS);
    };
    /** @param {boolean} isWanted */
    const run = (isWanted) => {
      clearTimeout(timer);
      timer = isWanted ? setTimeout(advance, STEP_MILLISECONDS) : 0;
      pause.textContent = isWanted ? "Pause" : "Watch";
    };
    pause.addEventListener("click", () => run(!timer));
    pause.hidden = false;
    told.removeAttribute("role"); // a match that runs by itself is not read out
    show();
    run(!matchMedia("(prefers-reduced-motion: reduce)").matches);
  };

  /** @param {HTMLElement} sample */
  const showSamples = async (sample) => {
    /** @type {Record<string, SampleMatch>} */
    const samples = await arena.fetchJson(String(sample.dataset.samples));
    for (const place of document.querySelectorAll("[data-picture]")) {
      const match = samples[String(place.dataset.picture)];
      if (match) drawPicture(place, match);
    }
    const own = samples[String(sample.dataset.sample)];
    if (own && own.steps.some((step) => step.z && Object.keys(step.z).length)) replay(sample, own);
    else sample.hidden = true;
  };
  const sample = document.querySelector("[data-sample]");
  if (sample) showSamples(sample).catch(() => { // without the pictures, too, one can play
    arena.find(sample, ".told").textContent = "The server is busy. Load this page again to see a match.";
  });

  // --- the name -------------------------------------------------------------------------------
  /** @param {HTMLFormElement} form */
  const rememberName = (form) => {
    /** @type {?HTMLInputElement} */
    const field = form.querySelector("[data-name]");
    if (field && field.type !== "hidden") arena.remember(NAME_KEY, field.value);
  };
  /** @type {NodeListOf<HTMLInputElement>} */
  const names = document.querySelectorAll("[data-name]");
  for (const field of names) field.value ||= arena.recall(NAME_KEY) || "";
  for (const form of document.querySelectorAll("form")) form.addEventListener("submit", () => rememberName(form));
})();
