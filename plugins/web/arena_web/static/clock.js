// The time that is left for the open question, in sight and at times aloud.

import { say } from "./words.js";

const SPOKEN_SECONDS = [30, 10]; // that are said aloud, the last one as the time that is nearly over

/**
 * Show the time that is left.
 * @param {?Object} question - that is open
 * @param {number} lag - seconds by which the clock of the server is behind the one here
 */
export function showTime(question, lag) {
  const clock = arena.byId("clock");
  if (!question || question.allowed === null) {
    clock.textContent = "";
    return;
  }
  const left = Math.max(0, Math.ceil(question.at + question.allowed - (Date.now() / 1000 - lag)));
  clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left`;
  clock.classList.toggle("soon", left <= SPOKEN_SECONDS.at(-1));
  for (const seconds of SPOKEN_SECONDS)
    if (left === seconds && question.spoken !== seconds && question.allowed > seconds) {
      question.spoken = seconds;
      say(`${seconds} seconds left`);
    }
}
