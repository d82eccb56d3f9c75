// A match, step by step. Steps are fetched for one eye at a time; notes are fetched after them, and shown where the eye
// sees all, or its own.

import { Board } from "./board.js";
import { element } from "./elements.js";
import { Notes } from "./notes.js";
import { ReplayAddress } from "./replay_address.js";
import { ReplayControls } from "./replay_controls.js";
import { ReplayLog } from "./replay_log.js";
import { ReplayPlayer } from "./replay_player.js";
import { ReplayEyes } from "./replay_eyes.js";
import { TurningPoints } from "./turning_points.js";

/** @typedef {import("./notes.js").PlacedNote} PlacedNote */
/** @typedef {import("./notes.js").ReplayNote} ReplayNote */
/** @typedef {import("./turning_points.js").MarkedPoint} MarkedPoint */
/** @typedef {import("./turning_points.js").TurningPoint} TurningPoint */

const GAP_PIXELS = 10; // between the board or the log and the controls
const MIN_LOG_PIXELS = 80;

export class Replay {
  #root;
  #eyes;
  #notes;
  #address = new ReplayAddress();
  #turns = new TurningPoints((point) => this.#buildItem(point));
  #log = new ReplayLog();
  #table = element("div", {});
  #board;
  #controls;
  #player;
  /** @type {Note[]} */
  #explained = []; // notes, as far as the eye sees any
  /** @type {ReplayNote[]} */
  #reviewed = []; // the moments of the review that stands on the page
  #at = 0; // the index of the step that is shown; -1 where playing has just begun anew
  #problem = ""; // why the view that was chosen cannot be shown, until there is another step

  /**
   * @param {HTMLElement} root
   * @param {ReplayEyes} eyes
   * @param {Notes} notes
   */
  constructor(root, eyes, notes) {
    this.#root = root;
    this.#eyes = eyes;
    this.#notes = notes;
    this.#controls = new ReplayControls(this, eyes, this.#turns, notes.here);
    this.#player = new ReplayPlayer(
      () => this.#view.all[this.#at + 1],
      () => this.go(this.#at + 1),
      () => this.#controls.slowness,
      (isPlaying) => this.#controls.showPlaying(isPlaying),
    );
    root.replaceChildren(
      element("div", { class: "stage" }, this.#table, this.#log.root),
      this.#controls.root,
      notes.remarks,
      notes.curve,
      this.#turns.section,
    );
    root.classList.add("replay");
    this.#board = new Board(this.#table, { nameSeat: (seat) => eyes.name(seat), onResize: () => this.#fit() });
    this.#listen();
  }

  /** The index of the step that is shown. */
  get at() {
    return this.#at;
  }

  get #view() {
    return this.#eyes.view;
  }

  /**
   * Go where an address says: that of a link, even if the one of the step before has been saved over it.
   * @param {string} hash
   */
  follow(hash) {
    const { eye, step, line, verdict } = ReplayAddress.read(hash), begins = !this.#eyes.isLoaded;
    const find = () => {
      const failure = verdict === null ? -1 : this.#view.findFailure(verdict);
      if (failure >= 0) {
        this.#scrollIntoView();
        return failure;
      }
      if (line !== null) return this.#view.findLine(line);
      if (step !== null) return this.#view.findStep(step);
      return begins ? this.#view.findOpening() : this.#at;
    };
    const target = eye !== null && this.#eyes.has(eye) ? eye : this.#eyes.eye;
    if (target === this.#eyes.eye && this.#eyes.isChosen(target) && !begins) this.go(find());
    else this.#changeEye(target, find);
  }

  /**
   * Show a step.
   * @param {number} wanted - its index, or one behind or before all
   */
  go(wanted) {
    if (!this.#eyes.isLoaded) return;
    const view = this.#view, at = Math.max(0, Math.min(view.length - 1, wanted));
    if (at !== this.#at) this.#problem = ""; // but notes that come meanwhile leave it
    this.#at = at;
    this.#board.show(view.findZones(at));
    this.#controls.showStep(view, at);
    this.#controls.say(this.#problem ? [this.#problem] : view.words[at]);
    this.#notes.showStep(at);
    this.#fit();
    this.#log.markStep(at);
    if (at === view.length - 1) this.#player.stop();
    this.#address.save(view.findNumber(at), this.#eyes.eye);
  }

  /**
   * Go to the next turning point behind this step, or the last before it.
   * @param {boolean} isForward
   */
  goToTurningPoint(isForward) {
    const point = this.#turns.find(this.#at, isForward);
    if (point) this.go(point.at);
  }

  /**
   * Look through another eye, at the same moment.
   * @param {string} eye
   */
  chooseEye(eye) {
    if (!this.#eyes.isChosen(eye) && this.#eyes.has(eye)) this.#changeEye(eye, (number) => this.#view.findStep(number));
  }

  /** Play, from the beginning where this is the end; or stop. */
  togglePlay() {
    if (!this.#eyes.isLoaded) return;
    if (this.#player.isPlaying) return this.#player.stop();
    if (this.#at === this.#view.length - 1) this.#at = -1;
    this.#player.play();
  }

  #listen() {
    window.addEventListener("resize", () => this.#fit());
    window.addEventListener("hashchange", (event) => {
      const { hash } = new URL(event.newURL);
      if (!ReplayAddress.isOfReplay(hash)) return;
      this.follow(hash);
      this.#table.scrollIntoView({ block: "nearest" });
    });
  }

  // Once a step is drawn
  #scrollIntoView() {
    requestAnimationFrame(() => this.#root.scrollIntoView());
  }

  /**
   * Look through another eye once its steps are there.
   * @param {string} eye
   * @param {(number: number) => number} find - the index of the step that it begins with, by the number of the one that is shown
   */
  async #changeEye(eye, find) {
    this.#controls.showEye(eye);
    const steps = await this.#eyes.choose(eye).catch((problem) => this.#keepEye(problem));
    if (!steps) return;
    const number = this.#view.findNumber(Math.max(0, this.#at));
    this.#eyes.look(eye, steps);
    this.#showSteps();
    this.go(find(number));
    const notes = this.#eyes.seesNotes ? await this.#notes.fetch() : [];
    if (eye === this.#eyes.eye && notes.length) this.#explain(notes);
  }

  /**
   * The eye that was chosen cannot look: the one before still does.
   * @param {Error} problem
   */
  #keepEye({ message }) {
    this.#controls.showEye(this.#eyes.eye);
    this.#problem = `This ${this.#eyes.isLoaded ? "view" : "match"} cannot be shown. ${message}`;
    this.#controls.say([this.#problem]);
    return null;
  }

  /** Show the steps of another eye, of which none is chosen yet. */
  #showSteps() {
    const { eye, ownSeat } = this.#eyes;
    this.#problem = "";
    this.#explained = [];
    this.#showNotes();
    this.#log.show(this.#view, (at) => this.#buildAddress(at));
    this.#root.dataset.eye = eye;
    this.#board.turnTo(ownSeat); // the table stays as it is
  }

  /**
   * Show notes beside what is there already.
   * @param {Note[]} notes
   */
  #explain(notes) {
    this.#explained = notes;
    this.#showNotes();
    this.go(this.#at);
  }

  /**
   * Mark the moments of the review of who looks.
   * @param {ReviewMoment[]} moments
   */
  addMoments(moments) {
    const seat = Number(this.#eyes.own);
    this.#reviewed = moments.map(({ line, title, better }) => ({
      line,
      seat,
      text: better || `${title} is a moment of your review.`,
      isReviewed: true,
    }));
    if (this.#eyes.isLoaded) this.#explain(this.#explained);
  }

  #showNotes() {
    /** @type {(note: ReplayNote) => PlacedNote} */
    const place = (note) => ({ ...note, at: this.#view.findLine(note.line) });
    const reviewed = this.#eyes.seesNotes ? this.#reviewed.map(place) : [];
    /** @type {(point: {at: number, seat?: number}) => boolean} */
    const isReviewed = ({ at, seat }) => seat === Number(this.#eyes.own) && reviewed.some((moment) => moment.at === at);
    // what the review says of an answer is not said again in other words
    const explained = this.#explained.map(place).map((note) => (isReviewed(note) ? { ...note, text: "" } : note));
    this.#notes.show([...reviewed, ...explained], this.#view.length);
    const turns = this.#listTurns().filter(({ at, kind }) =>
      kind === "verdict" || reviewed.every((moment) => moment.at !== at)
    );
    const points = [...turns, ...this.#notes.moments];
    this.#turns.show(
      points.map((point) => ({
        ...point,
        address: this.#buildAddress(point.at),
        place: this.#view.findPlace(point.at),
      })),
      this.#view.length,
    );
    this.#controls.showTurningPoints(this.#turns.points.length > 0);
  }

  /** @returns {TurningPoint[]} of which the steps tell: verdicts, too */
  #listTurns() {
    return this.#view.all.flatMap(({ bad, turn, weight = 0 }, at) => [
      ...(bad ? [{ at, kind: "verdict", text: this.#describeFailure(bad) }] : []),
      ...(turn ? [{ at, kind: "turn", text: turn, weight }] : []),
    ]);
  }

  /** @param {FailureMark} failure */
  #describeFailure({ seat, kind, detail }) {
    return `${this.#eyes.name(seat)}: ${kind}${detail ? `, ${detail}` : ""}`;
  }

  /**
   * An entry of the list of turning points.
   * @param {MarkedPoint} point
   */
  #buildItem({ at, kind, text, query, address, place }) {
    const step = `step ${this.#view.findNumber(at)}`;
    const link = element("a", { href: address }, place ? `${place} (${step})` : step);
    return element("li", { class: kind }, link, ` ${text}`, ...this.#notes.buildLink(query));
  }

  /** @param {number} at */
  #buildAddress(at) {
    return ReplayAddress.build(this.#view.findNumber(at), this.#eyes.eye);
  }

  /**
   * The board is seen as a whole with the controls below it, from the top of the page; where they stand beside it, lists
   * of the past may be lower. A log below the board ends above the controls.
   */
  #fit() {
    /** @type {(part: HTMLElement, below: number) => number} */
    const findRoom = (part, below) =>
      window.innerHeight - (part.getBoundingClientRect().top + window.scrollY) - below - GAP_PIXELS;
    const panel = this.#controls.root,
      isBeside = panel.getBoundingClientRect().left >= this.#table.getBoundingClientRect().right;
    this.#board.fit(findRoom(this.#table, isBeside ? 0 : this.#controls.maxHeight), !isBeside);
    this.#log.fit(
      Math.max(MIN_LOG_PIXELS, findRoom(this.#log.root, isBeside ? 0 : panel.getBoundingClientRect().height)),
    );
  }
}

/**
 * Show a replay.
 * @param {HTMLElement} root - `data-own` is the seat of who looks, if this was a game of theirs, `data-study` where a note's query leads
 * @param {Eye[]} eyes - through which it is seen
 * @param {(eye: string) => Promise<{steps: ReplayStep[]}>} load - gets the steps of an eye
 * @param {() => Promise<Note[]>} [explain] - gets the notes, if there may be any
 */
export function showReplay(root, eyes, load, explain) {
  const { own, study } = root.dataset;
  const replayEyes = new ReplayEyes(eyes, own, load);
  const notes = new Notes(study, replayEyes.name(0), own ? Number(own) : undefined, explain);
  const replay = new Replay(root, replayEyes, notes);
  replay.follow(location.hash);
  return replay;
}
