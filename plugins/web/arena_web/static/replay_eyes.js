// The eyes through which a match can be seen in its replay, and the view of the one that looks.

import { ReplayView } from "./replay_view.js";

export class ReplayEyes {
  #load;
  #eye; // that looks
  #request = { eye: "" }; // the latest one; another eye looks until its steps are there
  #isLoaded = false; // whether the steps are those of an eye

  /**
   * @param {Eye[]} eyes
   * @param {string | undefined} own - the seat of who looks, if this was a game of theirs
   * @param {(eye: string) => Promise<{steps: ReplayStep[]}>} load - gets the steps of an eye
   */
  constructor(eyes, own, load) {
    this.all = eyes;
    this.own = own;
    this.#load = load;
    this.#eye = own || eyes[0].key;
    this.view = new ReplayView(this.#eye, [], (seat) => this.name(seat));
  }

  /** The key of the eye that looks. */
  get eye() {
    return this.#eye;
  }

  /** Whether any eye looks. */
  get isLoaded() {
    return this.#isLoaded;
  }

  /** Whether the eye that looks sees what is said of all answers, or of its own. */
  get seesNotes() {
    return this.#eye === "all" || this.#eye === this.own;
  }

  /**
   * The seat at which who looks has sat, where another eye looks that is at no seat.
   * @returns {?number}
   */
  get ownSeat() {
    return this.own && !/^\d+$/.test(this.#eye) ? Number(this.own) : null;
  }

  /**
   * Whether there is such an eye.
   * @param {string | null} eye
   */
  has(eye) {
    return this.all.some(({ key }) => key === eye);
  }

  /**
   * Whether an eye is the one that looks, or will once its steps are there.
   * @param {string} eye
   */
  isChosen(eye) {
    return eye === this.#request.eye;
  }

  /**
   * Choose another eye, and get its steps; where they cannot be had, the one before stays chosen.
   * @param {string} eye
   * @returns {Promise<?ReplayStep[]>} null if yet another has been chosen meanwhile
   */
  async choose(eye) {
    const request = { eye };
    this.#request = request;
    try {
      const { steps } = await this.#load(eye);
      return request === this.#request ? steps : null;
    } catch (problem) {
      if (request !== this.#request) return null;
      this.#request = { eye: this.#isLoaded ? this.#eye : "" }; // so that each can be chosen
      throw problem;
    }
  }

  /**
   * Look through an eye.
   * @param {string} eye
   * @param {ReplayStep[]} steps - that it sees
   */
  look(eye, steps) {
    this.#eye = eye;
    this.#isLoaded = true;
    const seen = this.own ? steps.map((step) => ({ ...step, z: this.#callYou(step.z) })) : steps;
    this.view = new ReplayView(eye, seen, (seat) => this.name(seat));
  }

  /**
   * What a player is called in this view.
   * @param {number} seat
   */
  name(seat) {
    if (this.#eye === this.own && String(seat) === this.own) return "You";
    return this.all.find(({ key }) => key === String(seat))?.name ?? `seat ${seat}`;
  }

  /**
   * Call the hand of who looks as at the table; it is found again where all are seen by their names.
   * @param {Zones} [zones]
   */
  #callYou(zones = {}) {
    /** @type {(zone: ?Zone) => ?Zone} */
    const call = (zone) => {
      if (zone?.kind !== "hand" || String(zone.of) !== this.own) return zone;
      return { ...zone, title: this.#eye === this.own ? "You" : `${zone.title} (you)` };
    };
    return Object.fromEntries(Object.entries(zones).map(([key, zone]) => [key, call(zone)]));
  }
}
