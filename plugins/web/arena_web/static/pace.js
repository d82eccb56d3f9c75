// Moments of a match one after the other: each stays on the table until it can be read.
//
//   const pace = new Pace((moments) => ..., () => 1);   // draws these together; none: all was seen
//   pace.add([{ kind: "step", step }], 5000);   // behind those that wait; all are drawn within so many milliseconds
//   pace.skip();                  // draws all that wait, each for a glimpse
//
// A question is drawn with the step before it. Who plays or watches chooses the pace, which this browser keeps.

import { loadSetting, saveSetting } from "./settings.js";

/**
 * A step, which may be no news to who has just come; the loss of the own seat; or the end.
 * @typedef {{kind: "step", step: SeatStep, isOld?: boolean}} StepMoment
 * @typedef {{kind: "lost", lost: SeatLost}} LossMoment
 * @typedef {{kind: "end", end: MatchEnd}} EndMoment
 *
 * What is drawn of a match in its time.
 * @typedef {StepMoment | LossMoment | EndMoment} Moment
 */

/** The most that a spectator may lag behind the match. */
export const MAX_LAG_MILLISECONDS = 10_000;

const READ_MILLISECONDS = 1200; // for a moment with a sentence
const SEEN_MILLISECONDS = 600; // for one in which only cards move, or something begins
const GLIMPSE_MILLISECONDS = 150; // for one that is skipped, which is seen all the same
const MAX_SKIP_MILLISECONDS = 1000; // for all that are skipped, at most
const PACE_KEY = "arena-pace";
/** @type {Record<string, number>} */
const PAUSES = { slow: 2, normal: 1, fast: 0.5, none: 0 };

/** The setting of the pace, which who plays or watches has chosen. */
export class PaceSetting {
  #name;

  /** @param {NodeListOf<HTMLSelectElement>} menus - in which it is chosen */
  constructor(menus) {
    const stored = loadSetting(PACE_KEY) ?? "";
    this.#name = Object.hasOwn(PAUSES, stored) ? stored : "normal";
    for (const menu of menus) {
      menu.value = this.#name;
      menu.addEventListener("change", () => {
        this.#name = menu.value;
        saveSetting(PACE_KEY, menu.value);
      });
    }
  }

  /** How long pauses are, as a share of their usual time. */
  get factor() {
    return PAUSES[this.#name];
  }
}

/** @param {SeatStep} step */
const findStepPause = ({ t: lines = [], z: zones }) => {
  if (lines.some((line) => !(Array.isArray(line) && line[0] === "heading"))) return READ_MILLISECONDS;
  return lines.length || zones ? SEEN_MILLISECONDS : 0;
};

/** @param {Moment} moment */
const findPause = (moment) => {
  if (moment.kind === "step") return findStepPause(moment.step);
  if (moment.kind === "lost") return READ_MILLISECONDS;
  return moment.end.hands ? SEEN_MILLISECONDS : 0;
};

/** @param {Moment | undefined} moment */
const isQuestion = (moment) => moment?.kind === "step" && moment.step.ask !== undefined;

export class Pace {
  #draw;
  #factor;
  /** @type {{moment: Moment, pause: number}[]} */
  #waiting = [];
  #timer = 0; // until the next one is drawn
  #isPausing = false;
  #drawTime = 0; // when the last one was drawn

  /**
   * @param {(moments: Moment[]) => void} draw - draws moments together; none: all has been seen
   * @param {() => number} factor - how long pauses are, as a share of their usual time
   */
  constructor(draw, factor) {
    this.#draw = draw;
    this.#factor = factor;
  }

  /** Whether something is still to be seen. */
  get isPausing() {
    return this.#isPausing;
  }

  /**
   * Have moments drawn behind those that wait.
   * @param {Moment[]} moments
   * @param {number} [within] - milliseconds, in which all are drawn
   */
  add(moments, within = Infinity) {
    const factor = this.#factor();
    this.#waiting.push(...moments.map((moment) => ({ moment, pause: factor * findPause(moment) })));
    const total = this.#waiting.reduce((sum, { pause }) => sum + pause, 0);
    if (total > within) { for (const entry of this.#waiting) entry.pause *= within / total; }
    if (!this.#timer) this.#timer = setTimeout(() => this.go(), 0); // what came together is drawn together
  }

  /** Draw the next moment, with those that take no time, and wait. */
  go() {
    const paused = this.#isPausing;
    this.hold();
    const moments = [];
    let pause = 0;
    while (!pause) {
      const next = this.#waiting.shift();
      if (!next) break;
      moments.push(next.moment);
      pause = isQuestion(this.#waiting[0]?.moment) ? 0 : next.pause;
    }
    this.#isPausing = pause > 0;
    this.#drawTime = performance.now();
    if (pause) this.#timer = setTimeout(() => this.go(), pause);
    if (moments.length || paused) this.#draw(moments); // none: all has been seen
  }

  /** Draw all that wait, each for a glimpse. */
  skip() {
    const most = Math.min(GLIMPSE_MILLISECONDS, MAX_SKIP_MILLISECONDS / this.#waiting.length);
    for (const entry of this.#waiting) entry.pause = Math.min(entry.pause, most);
    const rest = GLIMPSE_MILLISECONDS - (performance.now() - this.#drawTime); // of the moment that is on the table
    clearTimeout(this.#timer);
    if (rest > 0) this.#timer = setTimeout(() => this.go(), rest);
    else this.go();
  }

  /** Draw nothing more, until `go`. */
  hold() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#isPausing = false;
  }

  /** Forget what waits. */
  clear() {
    this.hold();
    this.#waiting = [];
  }
}
