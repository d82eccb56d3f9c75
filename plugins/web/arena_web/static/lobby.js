// Where one chooses a game: pictures of the games, a table in play, and the name that was given before.
"use strict";
(() => {
  const NAME_KEY = "arena-name"; // in the browser's store
  const STEP_MILLISECONDS = 1400;
  const REST_MILLISECONDS = 5000; // at the end of the table in play
  const LASTING_STEPS = 1; // for which words stand: then they are of what lies there no more

  // --- the table in play, and pictures of the games -------------------------------------------
  /**
   * The zones of a table after some steps.
   * @param {ReplayStep[]} steps
   */
  const findZones = (steps) => {
    /** @type {Record<string, Zone>} */
    const none = {};
    return steps.reduce((zones, step) => arena.Board.merge(zones, step.z), none);
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
    const all = findZones(steps.slice(0, picture + 1));
    const middle = Object.entries(all).filter(([, { kind }]) => !["hand", "row", "text"].includes(kind));
    const zones = middle.length ? Object.fromEntries(middle) : all;
    if (Object.keys(zones).length) buildBoard(place, names).show(zones);
  };

  /** A table in play: a sample match that runs by itself, until it is paused. */
  class SampleReplay {
    #steps;
    #at; // the index of the step that is shown
    #board;
    #stage;
    #told;
    #button;
    #timer = 0; // until the next step; 0 while it stands still

    /**
     * @param {HTMLElement} place
     * @param {SampleMatch} match
     */
    constructor(place, { names, steps, picture }) {
      this.#steps = steps;
      this.#at = picture;
      this.#stage = arena.find(place, ".shown");
      this.#told = arena.find(place, ".told");
      this.#button = arena.find(place, "button");
      this.#board = buildBoard(this.#stage, names);
      this.#board.onresize = () => this.#fit();
      this.#button.addEventListener("click", () => this.#run(!this.#timer));
      this.#button.hidden = false;
      this.#told.removeAttribute("role"); // a match that runs by itself is not read out
      this.#show();
      this.#run(!matchMedia("(prefers-reduced-motion: reduce)").matches);
    }

    #fit() {
      this.#board.fit(this.#stage.clientHeight);
    }

    #show() {
      const shown = this.#steps.slice(0, this.#at + 1), last = shown.slice(-1 - LASTING_STEPS).findLast((step) => step.t?.length);
      this.#board.show(findZones(shown));
      this.#fit();
      this.#told.replaceChildren(...(last?.t ?? []).map((line) => arena.element("span", {}, arena.plain(line))));
    }

    #advance() {
      if (!document.hidden) this.#at = (this.#at + 1) % this.#steps.length;
      this.#show();
      this.#timer = setTimeout(() => this.#advance(), this.#at === this.#steps.length - 1 ? REST_MILLISECONDS : STEP_MILLISECONDS);
    }

    /** @param {boolean} isWanted */
    #run(isWanted) {
      clearTimeout(this.#timer);
      this.#timer = isWanted ? setTimeout(() => this.#advance(), STEP_MILLISECONDS) : 0;
      this.#button.textContent = isWanted ? "Pause" : "Watch";
    }
  }

  /** @param {HTMLElement} sample */
  const showSamples = async (sample) => {
    /** @type {Record<string, SampleMatch>} */
    const samples = await arena.fetchJson(String(sample.dataset.samples));
    for (const place of document.querySelectorAll("[data-picture]")) {
      const match = samples[String(place.dataset.picture)];
      if (match) drawPicture(place, match);
    }
    const own = samples[String(sample.dataset.sample)];
    if (own && own.steps.some((step) => step.z && Object.keys(step.z).length)) new SampleReplay(sample, own);
    else sample.hidden = true;
  };
  const sample = document.querySelector("[data-sample]");
  if (sample) showSamples(sample).catch(() => { // without the pictures, too, one can play
    arena.find(sample, ".told").textContent = "The server is busy. Load this page again to see a match.";
  });

  // --- results to share -----------------------------------------------------------------------
  /** @type {(button: HTMLElement, text: HTMLElement) => void} */
  const offerText = (button, text) => {
    const canShare = "share" in navigator && matchMedia("(pointer: coarse)").matches;
    const content = text.textContent ?? "";
    button.hidden = false;
    if (canShare) button.textContent = "Share";
    button.addEventListener("click", async () => {
      if (canShare) return navigator.share({ text: content }).catch(() => {});
      try {
        await navigator.clipboard.writeText(content);
        button.textContent = "Copied";
      } catch { // a browser that allows no page to do so
        getSelection()?.selectAllChildren(text);
      }
    });
  };
  const shared = document.getElementById("shared"), copy = document.getElementById("copy");
  if (shared && copy) offerText(copy, shared);

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
