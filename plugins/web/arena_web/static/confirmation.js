// The answer that is selected, and sent by a second press, where a person wants that.

import { buildButton } from "./answers.js";

export class Confirmation {
  #picked = null; // the button of the answer that is selected
  #controls;

  /** @param {HTMLElement} controls - where its buttons stand */
  constructor(controls) {
    this.#controls = controls;
  }

  /** Whether an answer is selected. */
  get isOpen() {
    return this.#picked !== null;
  }

  /** Whether a person wants to confirm answers now; sometimes is: a card of several, which lie over each other. */
  get isWanted() {
    const when = arena.byId("confirm").value;
    return when === "always" || (when === "sometimes" && arena.byId("hand").querySelectorAll("button").length > 1);
  }

  /**
   * Send an answer, or select it so that the next press of its button sends it.
   * @param {HTMLElement} button - that was pressed
   * @param {() => void} send
   */
  pick(button, send) {
    if (!this.isWanted || button === this.#picked) return send();
    this.takeBack();
    this.#picked = button;
    button.setAttribute("aria-pressed", "true");
    this.#label(button.getAttribute("aria-label") || button.firstChild.textContent);
    button.focus();
  }

  /** Select nothing. */
  takeBack() {
    if (!this.#picked) return;
    this.#picked.removeAttribute("aria-pressed");
    this.#picked.focus();
    this.#picked = null;
    this.#label("");
  }

  /** Forget what was selected, whose button is gone. */
  forget() {
    this.#picked = null;
  }

  /** Show the buttons: they are always there, so that nothing moves under a finger that presses twice. */
  show() {
    const confirm = buildButton("Confirm", () => this.#picked.click(), "primary");
    this.#controls.append(arena.element("p", { class: "confirming" }, confirm, buildButton("Take back", () => this.takeBack())));
    this.#label("");
  }

  #label(label) {
    const [confirm, back] = this.#controls.querySelectorAll(".confirming button");
    confirm.disabled = back.disabled = !label;
    confirm.setAttribute("aria-label", `Confirm ${label}`);
  }
}
