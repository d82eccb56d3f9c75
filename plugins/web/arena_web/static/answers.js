// The answers to a question: buttons in the own hand and below it, a selection of several cards, or a field.

import { buildCard } from "./cards.js";
import { buildButton, element } from "./elements.js";
import { say } from "./words.js";

const MAX_LINE_LENGTH = 500; // characters that can be typed

/**
 * What is done where an answer is chosen.
 * @typedef {(value: Json, button: HTMLElement) => void} OnChoose
 */

/**
 * Group choices that do the same to one player or another.
 * @param {Choice[]} choices
 */
function groupByAction(choices) {
  /** @type {Choice[][]} */
  const groups = [];
  for (const choice of choices) {
    const group = groups.at(-1), [other] = group ?? [];
    if (group && choice.action && choice.action === other.action && choice.about === other.about) group.push(choice);
    else groups.push([choice]);
  }
  return groups;
}

/**
 * Build a button for an answer; a card is drawn as one.
 * @param {Choice} choice
 * @param {OnChoose} onPress
 */
function buildChoice({ value, label, about, is_card: isCard }, onPress) {
  if (isCard) return buildCard(String(value), {}, (_, button) => onPress(value, button));
  const button = buildButton(label, () => onPress(value, button));
  button.dataset.card = String(value);
  if (about) button.append(" ", element("small", {}, about));
  return button;
}

/**
 * Say once what the choices of a group do, before a button for each player.
 * @param {Choice[]} group
 * @param {OnChoose} onPress
 */
function buildGroup(group, onPress) {
  const [{ action = "", about = "" }] = group;
  const buttons = group.map(({ value, label, target = "" }) => {
    const button = buildChoice({ value, label: target }, onPress);
    button.setAttribute("aria-label", label);
    return button;
  });
  return element(
    "div",
    { class: "several", role: "group", "aria-label": action },
    element("p", {}, element("b", {}, action), " ", element("small", {}, about)),
    ...buttons,
  );
}

/**
 * Make the choices that are cards of the own hand buttons there.
 * @param {import("./own_table.js").OwnTable} table
 * @param {Choice[]} choices
 * @param {OnChoose} onPress
 * @returns {HTMLElement[]} buttons for all others
 */
export function offerChoices(table, choices, onPress) {
  const held = choices.filter((choice) => choice.is_held), others = choices.filter((choice) => !choice.is_held);
  if (held.length) table.hand.offer(held.map(({ value }) => value), onPress);
  return groupByAction(others).map((
    group,
  ) => (group.length > 1 ? buildGroup(group, onPress) : buildChoice(group[0], onPress)));
}

/**
 * Show several cards of which some are selected, and then sent together.
 * @param {import("./own_table.js").OwnTable} table
 * @param {HTMLElement} controls - where the buttons stand that are not in the own hand
 * @param {SelectionOptions} options
 * @param {(chosen: Json[]) => void} send
 */
export function showSelection(table, controls, { choices, least, most, submits }, send) {
  /** @type {{card: Json, button: HTMLElement}[]} */
  const chosen = []; // the oldest first
  const count = element("p", { class: "count" });
  const submit = buildButton("", () => send(chosen.map(({ card }) => card)), "primary");
  const showCount = () => {
    const isOpen = least < most && !chosen.length;
    submit.textContent = isOpen ? "Select cards" : submits[Math.min(Math.max(chosen.length, least), most) - least];
    submit.disabled = chosen.length < least;
    count.textContent = isOpen
      ? `${least} to ${most} cards`
      : `${chosen.length}${least === most ? ` of ${most}` : ""} selected`;
  };
  /** @type {OnChoose} */
  const onPress = (card, button) => { // there may be two of a card
    const isWanted = button.getAttribute("aria-pressed") !== "true",
      at = chosen.findIndex((entry) => entry.button === button);
    const dropped = isWanted ? chosen.splice(0, Math.max(0, chosen.length + 1 - most)) : chosen.splice(at, 1); // one too many takes the place of the oldest
    if (isWanted) chosen.push({ card, button });
    for (const entry of [...dropped, ...chosen]) {
      entry.button.setAttribute("aria-pressed", String(chosen.includes(entry)));
    }
    showCount();
    say(count.textContent || "");
  };
  controls.append(...offerChoices(table, choices, onPress));
  for (const root of [table.hand.root, controls]) {
    for (const button of root.querySelectorAll("button")) button.setAttribute("aria-pressed", "false");
  }
  controls.append(count, submit);
  showCount();
}

/**
 * Show a field for a number or a text, selected so that one can type at once.
 * @param {HTMLElement} controls - where it stands
 * @param {QuestionForm} question
 * @param {NumberOptions | TextOptions | LineOptions} options
 * @param {(line: string) => void} send
 */
export function showField(controls, question, options, send) {
  const { kind } = options, hint = kind === "line" ? "" : options.hint;
  const limits = kind === "number"
    ? { type: "number", required: "", min: options.min, max: options.max, step: options.step }
    : { maxlength: MAX_LINE_LENGTH };
  const value = question.default === null ? "" : String(question.default);
  const input = element("input", { id: "typed", ...limits, autocomplete: "off", value });
  const label = element("label", { for: "typed", class: hint ? null : "hidden" }, hint || question.title);
  const form = element("form", { class: "line" }, label, input, element("button", { class: "primary" }, "Submit"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(input.value);
  });
  controls.append(form);
  input.select();
}

/**
 * Build a button that shows what cannot be chosen now, and why.
 * @param {string} label
 * @param {string} why
 * @returns {HTMLButtonElement}
 */
export function buildClosedAnswer(label, why) {
  const button = buildButton(label, null, "closed");
  button.disabled = true;
  button.append(" ", element("small", {}, why));
  return button;
}
