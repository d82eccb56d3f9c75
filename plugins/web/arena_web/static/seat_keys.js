// The keys of a seat, as in a list: left and right go to the next button of the dock, a letter or a digit to a card.

import { byId } from "./elements.js";
import { isForeignKey } from "./keys.js";

/** @type {Record<string, number>} */
const ARROWS = { ArrowRight: 1, ArrowLeft: -1 };

/**
 * The words by which a button is found.
 * @param {HTMLElement} button
 */
function readName(button) {
  return (button.getAttribute("aria-label") || (button.querySelector(".hidden") || button).textContent || "").split(
    ",",
    1,
  )[0].trim().toLowerCase().split(" ");
}

/**
 * A letter or a digit leads to the next answer that begins with it, else to a card of that suit, else to the button at
 * that place.
 * @param {string} character
 * @returns {HTMLElement | undefined}
 */
function findByCharacter(character) {
  /** @type {HTMLElement[]} */
  const buttons = [...document.querySelectorAll("#hand button, #controls button:not(:disabled)")];
  /** @param {HTMLElement} button */
  const isCard = (button) => button.matches(".card");
  const begin = buttons.filter((button) => readName(button)[0].startsWith(character));
  const ofSuit = buttons.filter((button) => isCard(button) && readName(button).at(-1)?.startsWith(character));
  const atPlace = buttons.some(isCard) ? [] : buttons.slice(Number(character) - 1, Number(character)); // a digit is a card
  const matches = [begin, ofSuit, atPlace].find((group) => group.length) || [];
  return matches[(matches.findIndex((button) => button === document.activeElement) + 1) % matches.length];
}

/**
 * The next button of the dock, or the one before.
 * @param {number} step - 1 or -1
 * @returns {HTMLElement | undefined}
 */
function findByArrow(step) {
  /** @type {HTMLElement[]} */
  const buttons = [...byId("dock").querySelectorAll("button:not(:disabled)")].filter((button) => button.offsetParent);
  const here = buttons.findIndex((button) => button === document.activeElement);
  return buttons[((here < 0 ? Math.min(step, 0) : here + step) + buttons.length) % buttons.length];
}

/**
 * Have keys lead to answers wherever the focus is on the page; Enter presses a button, as always.
 * @param {() => void} takeBack - what Escape does
 */
export function listenToKeys(takeBack) {
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.repeat && byId("dock").contains(event.target)) event.preventDefault();
    if (isForeignKey(event)) return;
    if (event.key === "Escape") takeBack();
    const { [event.key]: step = 0 } = ARROWS;
    const isCharacter = /^[\p{L}\p{N}]$/u.test(event.key);
    const button = step ? findByArrow(step) : isCharacter ? findByCharacter(event.key.toLowerCase()) : null;
    if (!button) return;
    event.preventDefault();
    button.focus();
  });
}
