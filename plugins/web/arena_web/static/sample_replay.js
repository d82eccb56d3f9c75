// A sample match on the page of a game: a board that plays it step by step, again and again, until it is paused.

import { Board } from "./board.js";
import { element, find } from "./elements.js";
import { getText } from "./texts.js";

const STEP_MILLISECONDS = 1400;
const REST_MILLISECONDS = 5000; // at the end
const LASTING_STEPS = 1; // for which words stand: then they are of what lies there no more

/**
 * The zones of a table after some steps.
 * @param {ReplayStep[]} steps
 */
export function findZones(steps) {
  /** @type {Record<string, Zone>} */
  const none = {};
  return steps.reduce((zones, step) => Board.merge(zones, step.z), none);
}

/**
 * Build a board into a place.
 * @param {HTMLElement} place
 * @param {string[]} names - of the players
 * @param {() => void} [onResize]
 */
export function buildBoard(place, names, onResize) {
  const root = element("div");
  place.append(root);
  return new Board(root, { nameSeat: (seat) => names[seat], onResize });
}

export class SampleReplay {
  #steps;
  #at; // the index of the step that is shown
  #board;
  #stage;
  #words;
  #button;
  #timer = 0; // until the next step; 0 while it stands still

  /**
   * @param {HTMLElement} place
   * @param {SampleMatch} match
   */
  constructor(place, { names, steps, picture }) {
    this.#steps = steps;
    this.#at = picture;
    this.#stage = find(place, ".shown");
    this.#words = find(place, ".told");
    this.#button = find(place, "button");
    this.#board = buildBoard(this.#stage, names, () => this.#fit());
    this.#button.addEventListener("click", () => this.#run(!this.#timer));
    this.#button.hidden = false;
    this.#words.removeAttribute("role"); // a match that runs by itself is not read out
    this.#show();
    this.#run(!matchMedia("(prefers-reduced-motion: reduce)").matches);
  }

  #fit() {
    this.#board.fit(this.#stage.clientHeight);
  }

  #show() {
    const steps = this.#steps.slice(0, this.#at + 1),
      last = steps.slice(-1 - LASTING_STEPS).findLast((step) => step.t?.length);
    this.#board.show(findZones(steps));
    this.#fit();
    this.#words.replaceChildren(...(last?.t ?? []).map((line) => element("span", {}, getText(line))));
  }

  #advance() {
    if (!document.hidden) {
      this.#at = (this.#at + 1) % this.#steps.length;
      this.#show();
    }
    this.#timer = setTimeout(
      () => this.#advance(),
      this.#at === this.#steps.length - 1 ? REST_MILLISECONDS : STEP_MILLISECONDS,
    );
  }

  /** @param {boolean} isWanted */
  #run(isWanted) {
    clearTimeout(this.#timer);
    this.#timer = isWanted ? setTimeout(() => this.#advance(), STEP_MILLISECONDS) : 0;
    this.#button.textContent = isWanted ? "Pause" : "Watch";
  }
}
