// The page of a match, for who plays and for who watches: steps come, are drawn at a pace, and lead to the end.

import { showResult } from "./result.js";
import { Stream } from "./stream.js";
import { Words } from "./words.js";

/** @type {Partial<Record<import("./stream.js").StreamState, string>>} */
const PROBLEMS = { // of the stream
  lost: "Connection lost: you can answer once it is back. Trying again…",
  stopped: "The server has stopped. The match goes on here once it is back.",
  gone: "The server no longer has this table, so the match ends here and does not count.",
};

const PRESSED = "a, button, input, label, select, summary"; // what a click or a key is for itself
const TAKING_SPACE = `${PRESSED}, textarea, [tabindex="0"]`; // that, and what can be scrolled

/** @template {import("./table.js").Table} T - the kind of its table */
export class MatchPage {
  /** @type {?MatchEnd} */
  #end = null; // how it ended, until that is shown

  /**
   * @param {T} table
   * @param {boolean} isKeptHidden - whether its events come while nobody looks, too
   */
  constructor(table, isKeptHidden) {
    this.root = arena.byId("match");
    this.base = String(this.root.dataset.base); // the address of the seat or of the table
    this.table = table;
    this.words = new Words();
    this.pace = new arena.Pace((moments) => {
      for (const moment of moments) this.take(moment);
      this.draw();
    });
    /** @type {string[]} */
    this.names = []; // of the players, by their seats
    /** @type {?number} */
    this.seat = null; // of the person, who may only watch
    this.stream = new Stream((state) => this.showConnection(state), isKeptHidden);
    this.lag = 0; // seconds by which the clock of the server is behind the one here
    table.board.nameSeat = (seat) => this.nameSeat(seat);
    document.addEventListener("click", (event) => this.skip(event, true), true);
    document.addEventListener("keydown", (event) => {
      this.skip(event, [" ", "Enter"].includes(event.key));
      if (event.key === " " && !event.target.closest(TAKING_SPACE) && !this.table.isOver) event.preventDefault(); // one press too many scrolls nothing
    }, true);
  }

  /** Begin, once the page is whole. */
  open() {
    this.stream.follow(`${this.base}/events`, this.listEvents());
  }

  /**
   * What is done at each event of the stream.
   * @returns {Hears}
   */
  listEvents() {
    return {
      now: ({ at }) => { this.lag = Date.now() / 1000 - at; },
      match: (match) => this.introduce(match),
      steps: (steps) => {
        const isOld = this.stream.isReplaying;
        this.queue(steps.map((step) => ({ step, isOld })));
      },
      present: (report) => this.showPresence(report),
      again: (news) => this.showRematch(news),
      end: (end) => this.beginEnd(end),
    };
  }

  /** @param {Introduction} match - that is shown */
  introduce({ names, seat }) {
    this.names = names;
    this.seat = seat;
  }

  /** @param {PresenceReport} report - who is here */
  showPresence({ said }) {
    arena.byId("present").textContent = said;
  }

  /** @param {RematchNews} news - who wants to play again */
  showRematch({ said, address }) {
    const link = address ? [arena.element("a", { href: address }, "Watch")] : [];
    arena.byId("again").replaceChildren(`${said} `, ...link);
  }

  /** @param {MatchEnd} end - which is shown once what led to it was */
  beginEnd(end) {
    this.stream.finish(end.more === true);
    this.queue([{ end }]);
  }

  /**
   * Have moments drawn, each in its time.
   * @param {Moment[]} moments
   */
  queue(moments) {
    this.pace.add(moments, this.stream.isReplaying ? 0 : this.limitTime(moments));
  }

  /**
   * Within how many milliseconds moments that are news are drawn.
   * @param {Moment[]} _moments
   * @returns {number}
   */
  limitTime(_moments) {
    return arena.Pace.MAX_LAG_MILLISECONDS;
  }

  /**
   * Take note of a moment, which is drawn with those that come together.
   * @param {Moment} moment
   */
  take({ step, isOld = false, end }) {
    if (step) this.takeStep(step, isOld);
    if (end) this.takeEnd(end);
  }

  /**
   * Take note of a step.
   * @param {SeatStep} step
   * @param {boolean} isOld - whether it is no news
   * @returns {MarkedLine[]} its lines
   */
  takeStep(step, isOld) {
    /** @type {MarkedLine[]} */
    const lines = (step.t || []).map((line) => (Array.isArray(line) ? line : ["", line]));
    if (this.isForgotten(step, isOld)) this.words.forgetSaid();
    this.words.add(lines);
    this.table.change(step.z || {});
    return lines;
  }

  /**
   * Take note of the end.
   * @param {MatchEnd} end
   */
  takeEnd(end) {
    this.table.layOpen(end.hands ?? {});
    this.#end = end;
  }

  /**
   * Whether all up to a step is no news to who comes now.
   * @param {SeatStep} _step
   * @param {boolean} isOld
   * @returns {boolean}
   */
  isForgotten(_step, isOld) {
    return isOld;
  }

  /** Draw what has changed. */
  draw() {
    this.table.draw();
    this.words.write();
    this.drawState();
    if (this.#end) this.finish(this.#end);
    arena.byId("turn").textContent = this.describeTurn();
    this.table.fit();
  }

  /** Say what is new, and how things stand. */
  drawState() {
    this.words.say("", "");
  }

  /**
   * What is said above the table, in a word or two.
   * @returns {string}
   */
  describeTurn() {
    throw new Error("not described");
  }

  /**
   * Show how the match ended.
   * @param {MatchEnd} end
   */
  finish(end) {
    this.#end = null;
    showResult(end, (row) => this.table.listLastCards(this.findSeat(row)));
    this.table.finish();
    this.words.scrollToEnd();
    arena.byId("ended-title").focus();
  }

  /** Show that the server knows the table no more. */
  closeTable() {
    this.draw();
  }

  /**
   * The name of a seat on the board.
   * @param {number} seat
   * @returns {string}
   */
  nameSeat(seat) {
    return seat === this.seat ? "you" : this.names[seat];
  }

  /**
   * The seat of a player in the table of results.
   * @param {PlayerResult} row
   * @returns {number}
   */
  findSeat({ name, you }) {
    return you && this.seat !== null ? this.seat : this.names.indexOf(name);
  }

  /** Whether a person may skip what is shown now. */
  canSkip() {
    return this.pace.pausing;
  }

  /**
   * Skip what is shown, by a click or a key that nothing else waits for. It answers nothing: the question that this
   * shows is one that nobody can have read yet.
   * @param {UIEvent} event
   * @param {boolean} isPress - whether it could press a button
   */
  skip(event, isPress) {
    if (!isPress || event.target.closest(PRESSED) || !this.canSkip()) return;
    event.preventDefault();
    event.stopPropagation();
    this.pace.skip();
  }

  /**
   * Say what is wrong with the connection, if anything is.
   * @param {import("./stream.js").StreamState} state
   */
  showConnection(state) {
    this.showProblem(PROBLEMS[state] ?? "");
    arena.byId("present").hidden = state !== "open"; // nobody knows who is there
    if (state === "gone") this.closeTable();
  }

  /** @param {string} problem - of the connection; empty for none */
  showProblem(problem) {
    arena.byId("connection").textContent = problem;
  }
}
