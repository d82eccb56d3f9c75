// How far a seat is in its match. A seat never goes back, and need not go through all phases.

/**
 * @typedef {Object} Phase
 * @property {number} order
 * @property {string} turn - what is said where nothing is asked, in a word or two
 * @property {?string} text - the same as a sentence; null where it depends on the others
 * @property {boolean} [isLed] - whether the person is led away
 */

/** What is said of a match that the server no longer has. */
export const CLOSED = "This table is closed";

/** @type {Phase} */
export const BEGINNING = { order: 0, turn: "Waiting", text: null }; // the page stands as it came

/** @type {Phase} */
export const PLAYING = { order: 1, turn: "Waiting", text: null };

/** @type {Phase} */
export const ENDING = { order: 2, turn: "Waiting", text: "This is how the match ends" }; // what led to the end is still shown

/** @type {Phase} */
export const OUT = {
  order: 3,
  turn: "Watching",
  text: "You are no longer in this match. You can watch how it ends.",
  isLed: true,
};

/** @type {Phase} */
export const GONE = { order: 4, turn: CLOSED, text: CLOSED, isLed: true };

/** @type {Phase} */
export const OVER = { order: 5, turn: "The match is over", text: "The match is over" };
