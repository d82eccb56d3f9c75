// A match that a page follows, for who plays and for who watches: steps come, are drawn at a pace, and lead to the end.

import { byId, element } from "./elements.js";
import { MAX_LAG_MILLISECONDS, Pace, PaceSetting } from "./pace.js";
import { showResult } from "./result.js";
import { Stream } from "./stream.js";
import { Words } from "./words.js";

/** @typedef {import("./pace.js").Moment} Moment */
/** @typedef {import("./stream.js").Handlers} Handlers */
/** @typedef {import("./stream.js").StreamState} StreamState */

/**
 * What a page does with its match besides, where a person plays or only watches.
 * @typedef {Object} Viewer
 * @property {boolean} isKeptHidden - whether events come while nobody looks, too
 * @property {Handlers} handlers - what is done at events, behind what each page does
 * @property {(moments: Moment[]) => number | undefined} [limitTime] - the milliseconds within which moments that are news are drawn, if not the usual ones
 * @property {(moment: Moment, lines: MarkedLine[]) => void} [take] - takes note of a moment, before all that come together are drawn
 * @property {() => void} draw - says what is new, and draws how things stand
 * @property {(end: MatchEnd) => void} finish - draws how the match ended, before its result
 * @property {() => string} describeTurn - what stands above the table, in a word or two
 * @property {(state: StreamState) => void} showConnection
 */

/** @type {Partial<Record<StreamState, string>>} */
const PROBLEMS = { // of the stream
  lost: "Connection lost: you can answer once it is back. Trying again…",
  stopped: "The server has stopped. The match goes on here once it is back.",
  gone: "The server no longer has this table, so the match ends here and does not count.",
};

const PRESSED = "a, button, input, label, select, summary"; // what a click or a key is for itself
const TAKING_SPACE = `${PRESSED}, textarea, [tabindex="0"]`; // that, and what can be scrolled

/**
 * What a moment says.
 * @param {Moment} moment
 * @returns {MarkedLine[]}
 */
function readLines(moment) {
  if (moment.kind === "lost") return [["lost", `${moment.lost.why} ${moment.lost.then}`]];
  if (moment.kind === "end") return [];
  return (moment.step.t ?? []).map((line) => (Array.isArray(line) ? line : ["", line]));
}

export class Match {
  #table;
  #viewer;
  /** @type {?MatchEnd} */
  #end = null; // how it ended, until that is shown
  #skipTime = -Infinity; // in milliseconds, before which nothing is skipped
  /** @type {string[]} */
  #names = [];
  /** @type {?number} */
  #seat = null;
  #lag = 0;

  /**
   * @param {import("./table.js").Table} table
   * @param {Viewer} viewer
   */
  constructor(table, viewer) {
    this.root = byId("match");
    this.base = String(this.root.dataset.base); // the address of the seat or of the table
    this.#table = table;
    this.#viewer = viewer;
    this.words = new Words();
    const setting = new PaceSetting(document.querySelectorAll("select.pace"));
    this.pace = new Pace((moments) => {
      for (const moment of moments) this.#take(moment);
      this.draw();
    }, () => setting.factor);
    this.stream = new Stream((state) => this.#showConnection(state), viewer.isKeptHidden);
    document.addEventListener("click", (event) => this.#skip(event, true), true);
    document.addEventListener("keydown", (event) => {
      this.#skip(event, [" ", "Enter"].includes(event.key));
      if (event.key === " " && !event.target.closest(TAKING_SPACE) && !table.isOver) event.preventDefault(); // one press too many scrolls nothing
    }, true);
  }

  /** The names of the players, by their seats. */
  get names() {
    return this.#names;
  }

  /** The seat of the person; null for who only watches. */
  get seat() {
    return this.#seat;
  }

  /** The seconds by which the clock of the server is behind the one here. */
  get lag() {
    return this.#lag;
  }

  /** Follow the match, once the page is whole. */
  follow() {
    this.stream.follow(`${this.base}/events`, this.#buildHandlers(), this.#viewer.handlers);
  }

  /**
   * What is done at events on each page.
   * @returns {Handlers}
   */
  #buildHandlers() {
    return {
      now: ({ at }) => {
        this.#lag = Date.now() / 1000 - at;
      },
      match: (match) => {
        this.#names = match.names;
        this.#seat = match.seat;
        this.#table.introduce(match);
      },
      steps: (steps) => {
        const isOld = this.stream.isReplaying;
        this.#queue(steps.map((step) => ({ kind: "step", step, isOld })));
      },
      out: (lost) => this.#queue([{ kind: "lost", lost }]),
      present: ({ said }) => {
        byId("present").textContent = said;
      },
      again: ({ said, address }) => {
        const link = address ? [element("a", { href: address }, "Watch")] : [];
        byId("again").replaceChildren(`${said} `, ...link);
      },
      end: (end) => {
        this.stream.finish(end.more === true);
        this.#queue([{ kind: "end", end }]);
      },
    };
  }

  /**
   * Have moments drawn, each in its time.
   * @param {Moment[]} moments
   */
  #queue(moments) {
    const limit = this.#viewer.limitTime?.(moments) ?? MAX_LAG_MILLISECONDS;
    this.pace.add(moments, this.stream.isReplaying ? 0 : limit);
  }

  /**
   * Take note of a moment, which is drawn with those that come together.
   * @param {Moment} moment
   */
  #take(moment) {
    const lines = readLines(moment);
    if (moment.kind === "step") {
      if (moment.isOld && (this.#seat === null || "closed_question" in moment.step)) this.words.forgetSentences(); // what a player knew before the last answer
      this.#table.change(moment.step.z ?? {});
    } else if (moment.kind === "end") {
      this.#table.layOpen(moment.end.hands ?? {});
      this.#end = moment.end;
    }
    this.words.add(lines);
    this.#viewer.take?.(moment, lines);
  }

  /** Draw what has changed. */
  draw() {
    this.#table.draw();
    this.words.write();
    this.#viewer.draw();
    if (this.#end) this.#finish(this.#end);
    byId("turn").textContent = this.#viewer.describeTurn();
    this.#table.fit();
  }

  /** @param {MatchEnd} end - which is shown once what led to it was */
  #finish(end) {
    this.#end = null;
    this.#viewer.finish(end);
    showResult(end, ({ seat }) => this.#table.listLastCards(seat));
    this.#table.finish();
    this.words.scrollToEnd();
    byId("ended-title").focus();
  }

  /**
   * Skip nothing for a while.
   * @param {number} milliseconds
   */
  blockSkips(milliseconds) {
    this.#skipTime = performance.now() + milliseconds;
  }

  /**
   * Skip what is shown, by a click or a key that nothing else waits for. It answers nothing: the question that this
   * shows is one that nobody can have read yet.
   * @param {UIEvent} event
   * @param {boolean} isPress - whether it could press a button
   */
  #skip(event, isPress) {
    if (!isPress || event.target.closest(PRESSED) || !this.pace.isPausing || performance.now() < this.#skipTime) return;
    event.preventDefault();
    event.stopPropagation();
    this.pace.skip();
  }

  /** @param {StreamState} state */
  #showConnection(state) {
    this.showProblem(PROBLEMS[state] ?? "");
    byId("present").hidden = state !== "open"; // nobody knows who is there
    this.#viewer.showConnection(state);
    if (state === "gone") this.draw();
  }

  /** @param {string} problem - such as of the connection; empty for none */
  showProblem(problem) {
    byId("connection").textContent = problem;
  }
}
