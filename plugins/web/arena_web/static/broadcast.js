// The live page shows one match: a table that is being played, or a replay of the leaders' latest match at a readable
// pace; and when it is over the next one. The server chooses, and is told what was shown here already.

import { Board } from "./board.js";
import { byId, element, find } from "./elements.js";
import { LivePart } from "./live_part.js";
import { MAX_LAG_MILLISECONDS, Pace } from "./pace.js";
import { fetchJson } from "./replies.js";
import { getText } from "./texts.js";

/** @typedef {import("./pace.js").Moment} Moment */

const FASTEST_STEP_MILLISECONDS = 350; // of a step
const MAX_REPLAY_MILLISECONDS = 180_000; // of a replay, if its steps can still be read
const REST_MILLISECONDS = 4000; // between two matches
const RETRY_MILLISECONDS = 10_000; // until the server is asked again, if it had nothing
const MAX_SHOWN_KEYS = 30; // matches
const END = { end: "", said: "", outcome: null, rows: [] }; // of which nothing is told

/** @type {(step: SeatStep) => Moment} */
const toMoment = (step) => ({ kind: "step", step });

class Broadcast {
  #root = byId("broadcast");
  #live;
  #title = find(this.#root, "h2");
  #kind = find(this.#root, ".kind");
  #words = find(this.#root, ".told");
  /** @type {HTMLButtonElement} */
  #pauseButton = find(this.#root, ".pause");
  /** @type {HTMLButtonElement} */
  #nextButton = find(this.#root, ".next");
  /** @type {HTMLAnchorElement} */
  #link = find(this.#root, ".whole"); // to the page of the match
  /** @type {string[]} */
  #shownKeys = []; // of the latest matches
  #request = new AbortController(); // is aborted once another match is asked for: nothing is heard of this one any more
  #pace = new Pace((moments) => moments.forEach((moment) => this.#take(moment)), () => 1);
  /** @type {string[]} */
  #names = []; // of the players, by their seats
  #board = new Board(find(this.#root, ".shown"), { nameSeat: (seat) => this.#names[seat] });
  #rest = 0; // milliseconds until the next match, once this one is over; 0 before
  #timer = 0; // of that
  #isPaused = false;

  /** @param {LivePart} live - the part of the page by whose stream matches are followed */
  constructor(live) {
    this.#live = live;
    this.#nextButton.addEventListener("click", () => this.next());
    this.#pauseButton.addEventListener("click", () => this.#pause(!this.#isPaused));
    document.addEventListener("visibilitychange", () => this.#holdOrGo());
  }

  /** Show the next match. */
  async next() {
    this.#stop();
    this.#pause(false);
    this.#request = new AbortController();
    const { signal } = this.#request;
    try {
      /** @type {FeaturedMatch | NoFeaturedMatch} */
      const chosen = await fetchJson(`${this.#root.dataset.next}?seen=${this.#shownKeys.join(",")}`, { signal });
      if (chosen.kind === "live") this.#follow(chosen);
      else if (chosen.kind === "replay") await this.#replay(chosen, signal);
      else this.#showNone();
    } catch {
      if (!signal.aborted) this.#wait(RETRY_MILLISECONDS); // the server is away
    }
  }

  /**
   * @param {FeaturedMatch} chosen
   * @param {AbortSignal} signal
   */
  async #replay(chosen, signal) {
    /** @type {ReplaySteps} */
    const { steps } = await fetchJson(`${this.#root.dataset.base}m/${encodeURIComponent(chosen.key)}/steps?eye=all`, {
      signal,
    });
    this.#begin(chosen);
    const within = Math.max(MAX_REPLAY_MILLISECONDS, FASTEST_STEP_MILLISECONDS * steps.length);
    this.#queue([...steps.map(toMoment), { kind: "end", end: END }], within);
  }

  /** @param {FeaturedMatch} chosen */
  #follow(chosen) {
    this.#begin(chosen);
    const limitTime = () => (this.#live.isReplaying ? 0 : MAX_LAG_MILLISECONDS);
    /** @param {MatchEnd} end */
    const finish = (end) => {
      this.#queue([{ kind: "end", end }], limitTime());
      this.#live.stopWatching();
    };
    this.#live.watch(chosen.key, {
      steps: (steps) => this.#queue(steps.map(toMoment), limitTime()),
      end: finish,
      gone: () => finish(END),
    });
  }

  #showNone() {
    this.#title.textContent = "No match can be shown yet";
    this.#kind.textContent = "A match is shown here as soon as its hands are public.";
    this.#wait(RETRY_MILLISECONDS);
  }

  /** @param {FeaturedMatch} match */
  #begin({ kind, key, names }) {
    this.#shownKeys.push(key);
    this.#shownKeys.splice(0, this.#shownKeys.length - MAX_SHOWN_KEYS);
    this.#root.dataset.kind = kind;
    this.#title.textContent = names.join(", ");
    this.#kind.textContent = kind === "live" ? `Match ${key}, being played` : `Match ${key}, a replay`;
    this.#board.show({});
    this.#board.reset();
    this.#names = names;
    this.#showWords([]);
    this.#link.href = `${this.#root.dataset.base}${kind === "live" ? "live" : "m"}/${encodeURIComponent(key)}`;
    this.#link.hidden = this.#nextButton.disabled = this.#pauseButton.disabled = false;
    this.#pauseButton.hidden = kind === "live";
    if (kind === "live") this.#pause(false);
  }

  /**
   * @param {Moment[]} moments
   * @param {number} [within] - milliseconds
   */
  #queue(moments, within) {
    this.#pace.add(moments, within);
    if (this.#isHeld) this.#pace.hold();
  }

  /** @param {Moment} moment */
  #take(moment) {
    if (moment.kind === "step") {
      this.#board.apply(moment.step.z);
      if (moment.step.t?.length) this.#showWords(moment.step.t);
    } else if (moment.kind === "end") {
      if (moment.end.said) this.#showWords([moment.end.said]);
      this.#wait(REST_MILLISECONDS);
    }
  }

  /** @param {(string | MarkedLine)[]} lines */
  #showWords(lines) {
    this.#words.replaceChildren(...lines.map((line) => element("span", {}, getText(line))));
  }

  /** @param {number} milliseconds */
  #wait(milliseconds) {
    this.#rest = milliseconds;
    this.#holdOrGo();
  }

  get #isHeld() {
    return this.#isPaused || document.hidden;
  }

  /** Stand still, between two matches too, while that is wanted or nobody looks. */
  #holdOrGo() {
    clearTimeout(this.#timer);
    if (this.#isHeld) this.#pace.hold();
    else if (this.#rest) this.#timer = setTimeout(() => this.next(), this.#rest);
    else this.#pace.go();
  }

  /** @param {boolean} isWanted */
  #pause(isWanted) {
    this.#isPaused = isWanted;
    this.#pauseButton.textContent = isWanted ? "Continue" : "Pause";
    this.#holdOrGo();
  }

  #stop() {
    this.#request.abort();
    this.#live.stopWatching();
    this.#pace.clear();
    this.#rest = 0;
    clearTimeout(this.#timer);
  }
}

new Broadcast(new LivePart(find(document, "[data-live]"))).next();
