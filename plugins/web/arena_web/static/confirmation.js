// The answer that is selected, and sent by a second press, where a person wants that.

import { buildButton, byId, element } from "./elements.js";

export class Confirmation {
  /** @type {?HTMLElement} */
  #selected = null; // the button of the answer that is selected
  /** @type {HTMLButtonElement[]} */
  #buttons = []; // that confirm the answer and take it back; none where the open question needs no second press
  #controls;

  /** @param {HTMLElement} controls - where its buttons stand */
  constructor(controls) {
    this.#controls = controls;
  }

  /** Whether an answer is selected. */
  get isOpen() {
    return this.#selected !== null;
  }

  /** Whether a person wants to confirm answers now; sometimes is: a card of several, which lie over each other. */
  get isWanted() {
    const when = byId("confirm").value;
    return when === "always" || (when === "sometimes" && byId("hand").querySelectorAll("button").length > 1);
  }

  /**
   * Send an answer, or select it so that the next press of its button sends it.
   * @param {HTMLElement} button - that was pressed
   * @param {() => void} send
   */
  press(button, send) {
    if (!this.#buttons.length || button === this.#selected) return send();
    this.takeBack();
    this.#selected = button;
    button.setAttribute("aria-pressed", "true");
    this.#label(button.getAttribute("aria-label") || button.firstChild?.textContent);
    button.focus();
  }

  /** Select nothing. */
  takeBack() {
    if (!this.#selected) return;
    this.#selected.removeAttribute("aria-pressed");
    this.#selected.focus();
    this.#selected = null;
    this.#label("");
  }

  /** Forget what was selected, and the buttons of the question: they are gone. */
  forget() {
    this.#selected = null;
    this.#buttons = [];
  }

  /** Show the buttons: they are always there, so that nothing moves under a finger that presses twice. */
  show() {
    const confirm = buildButton("Confirm", () => this.#selected?.click(), "primary");
    this.#buttons = [confirm, buildButton("Take back", () => this.takeBack())];
    this.#controls.append(element("p", { class: "confirming" }, ...this.#buttons));
    this.#label("");
  }

  /** @param {?string} [label] - of the answer that is selected; empty for none */
  #label(label) {
    for (const button of this.#buttons) button.disabled = !label;
    this.#buttons[0].setAttribute("aria-label", `Confirm ${label}`);
  }
}
