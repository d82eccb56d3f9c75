// The time that is left for the open question, in sight and at times aloud.

import { byId } from "./elements.js";
import { say } from "./words.js";

const SPOKEN_SECONDS = [30, 10]; // that are said aloud, the last one as the time that is nearly over

export class Clock {
  #clock = byId("clock");
  /** @type {?QuestionForm} */
  #question = null; // whose time is shown
  #spoken = Infinity; // seconds that were last said of it

  /**
   * Show the time that is left.
   * @param {?QuestionForm} question - that is open
   * @param {number} lag - seconds by which the clock of the server is behind the one here
   */
  show(question, lag) {
    if (question !== this.#question) this.#spoken = Infinity;
    this.#question = question;
    if (!question || question.allowed === null) {
      this.#clock.textContent = "";
      return;
    }
    const left = Math.max(0, Math.ceil(question.at + question.allowed - (Date.now() / 1000 - lag)));
    this.#clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left`;
    this.#clock.classList.toggle("soon", left <= Math.min(...SPOKEN_SECONDS));
    if (!SPOKEN_SECONDS.includes(left) || left >= this.#spoken || left >= question.allowed) return;
    this.#spoken = left;
    say(`${left} seconds left`);
  }
}
