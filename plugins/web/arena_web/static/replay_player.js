// Plays a replay: each step stays until it can be read. One waits at a time, since somebody may move on meanwhile.

import { Pace } from "./pace.js";

export class ReplayPlayer {
  #isPlaying = false;
  #pace;
  #findNext;
  #showPlaying;

  /**
   * @param {() => ReplayStep | undefined} findNext - the step behind the one that is shown
   * @param {() => void} advance - shows that step
   * @param {() => number} slowness - how long a step is shown, as a share of its usual time
   * @param {(isPlaying: boolean) => void} showPlaying
   */
  constructor(findNext, advance, slowness, showPlaying) {
    this.#findNext = findNext;
    this.#showPlaying = showPlaying;
    this.#pace = new Pace(() => {
      advance();
      if (this.#isPlaying) this.#queue();
    }, slowness);
  }

  get isPlaying() {
    return this.#isPlaying;
  }

  /** Play from the step that is shown. */
  play() {
    this.#isPlaying = true;
    this.#queue();
    this.#showPlaying(true);
  }

  /** Stay at the step that is shown. */
  stop() {
    if (!this.#isPlaying) return;
    this.#pace.clear();
    this.#isPlaying = false;
    this.#showPlaying(false);
  }

  #queue() {
    this.#pace.add([{ kind: "step", step: this.#findNext() ?? {} }]);
  }
}
