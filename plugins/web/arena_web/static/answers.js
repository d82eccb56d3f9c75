// The answers to a question: buttons in the own hand and below it, a selection of several cards, or a field.

import { say } from "./words.js";

/**
 * Build a button.
 * @param {string} label
 * @param {?() => void} onPress
 * @param {string} [kind] - its class
 * @returns {HTMLButtonElement}
 */
export function buildButton(label, onPress, kind) {
  const button = arena.element("button", { type: "button", class: kind }, label);
  if (onPress) button.addEventListener("click", onPress);
  return button;
}

/**
 * An option that can be chosen, and what is said of it.
 * @typedef {{option: Json, label: string, about: string}} Choice
 *
 * What is done where an option is chosen.
 * @typedef {(option: Json, button: HTMLElement) => void} OnChoose
 */

/**
 * Group options that do the same to one player or another: they begin with the same word, and have one explanation.
 * @param {Choice[]} choices
 */
function groupAlike(choices) {
  /** @type {Choice[][]} */
  const groups = [];
  /** @param {Choice} choice */
  const verb = ({ label }) => label.split(" ", 1)[0];
  for (const choice of choices) {
    const last = groups.at(-1) || [], [other] = last;
    if (other && choice.about && choice.about === other.about && verb(choice) === verb(other)) last.push(choice);
    else groups.push([choice]);
  }
  return groups;
}

/**
 * Build a button for an option; one that is written as a card is drawn as a card.
 * @param {Choice} choice
 * @param {OnChoose} onPress
 */
function buildChoice({ option, label, about }, onPress) {
  const card = String(option), { text, sign, suit } = arena.face(card);
  if (suit && [card, text + sign].includes(label)) return arena.card(card, {}, (_, button) => onPress(option, button));
  const button = buildButton(label, () => onPress(option, button));
  button.dataset.card = card;
  if (about) button.append(" ", arena.element("small", {}, about));
  return button;
}

/**
 * Say once what the options of a group do, before a button for each player.
 * @param {Choice[]} group
 * @param {OnChoose} onPress
 */
function buildGroup(group, onPress) {
  const [{ label, about }] = group, [verb] = label.split(" ", 1);
  const buttons = group.map((choice) => {
    const button = buildChoice({ ...choice, label: choice.label.slice(verb.length + 1), about: "" }, onPress);
    button.setAttribute("aria-label", choice.label);
    return button;
  });
  return arena.element("div", { class: "several", role: "group", "aria-label": verb },
    arena.element("p", {}, arena.element("b", {}, verb), " ", arena.element("small", {}, about)), ...buttons);
}

/**
 * Make the options that are cards of the own hand buttons there; those with an explanation stand below, too.
 *
 * Numbers are cards only where all numbers are in the hand, since a number may be something else.
 * @param {import("./own_table.js").OwnTable} table
 * @param {Json[]} options
 * @param {string[]} labels - what people call each
 * @param {OnChoose} onPress
 * @param {string[]} [about] - the explanation of each
 * @returns {HTMLElement[]} buttons for all others
 */
export function offer(table, options, labels, onPress, about = []) {
  /** @param {Json} option */
  const isHeld = (option) => table.drawnCards.includes(String(option));
  const areNumbersCards = options.every((option) => typeof option !== "number" || isHeld(option));
  const cards = options.filter((option, index) => isHeld(option) && !about[index] && (areNumbersCards || typeof option === "string"));
  if (cards.length) table.hand.offer(cards, onPress);
  const below = options.map((option, index) => ({ option, label: labels[index], about: about[index] }))
    .filter(({ option }) => !cards.includes(option));
  return groupAlike(below).map((group) => (group.length > 1 ? buildGroup(group, onPress) : buildChoice(group[0], onPress)));
}

/**
 * Show several cards of which some are selected, and then sent together.
 * @param {import("./own_table.js").OwnTable} table
 * @param {HTMLElement} controls - where the buttons stand that are not in the own hand
 * @param {SelectionOptions} options
 * @param {(chosen: Json[]) => void} send
 */
export function showSelection(table, controls, { some, labels, least, most, submits }, send) {
  /** @type {{card: Json, button: HTMLElement}[]} */
  const chosen = []; // the oldest first
  const count = arena.element("p", { class: "count" });
  const submit = buildButton("", () => send(chosen.map(({ card }) => card)), "primary");
  const showCount = () => {
    const isOpen = least < most && !chosen.length;
    submit.textContent = isOpen ? "Select cards" : submits[Math.min(Math.max(chosen.length, least), most) - least];
    submit.disabled = chosen.length < least;
    count.textContent = isOpen ? `${least} to ${most} cards` : `${chosen.length}${least === most ? ` of ${most}` : ""} selected`;
  };
  /** @type {OnChoose} */
  const onPress = (card, button) => { // there may be two of a card
    const isWanted = button.getAttribute("aria-pressed") !== "true", at = chosen.findIndex((one) => one.button === button);
    const gone = isWanted ? chosen.splice(0, Math.max(0, chosen.length + 1 - most)) : chosen.splice(at, 1); // one too many takes the place of the oldest
    if (isWanted) chosen.push({ card, button });
    for (const one of [...gone, ...chosen]) one.button.setAttribute("aria-pressed", String(chosen.includes(one)));
    showCount();
    say(count.textContent || "");
  };
  controls.append(...offer(table, some, labels, onPress));
  for (const root of [table.hand.root, controls])
    for (const button of root.querySelectorAll("button")) button.setAttribute("aria-pressed", "false");
  controls.append(count, submit);
  showCount();
}

/**
 * Show a field for a number or a text, selected so that one can type at once.
 * @param {HTMLElement} controls - where it stands
 * @param {QuestionForm} question
 * @param {(line: string) => void} send
 */
export function showField(controls, question, send) {
  const { number, hint } = question.options;
  const kind = number ? { type: "number", required: "", ...number } : { maxlength: 500 };
  const value = question.default === null ? "" : String(question.default);
  const input = arena.element("input", { id: "typed", ...kind, autocomplete: "off", value });
  const label = arena.element("label", { for: "typed", class: hint ? null : "hidden" }, hint || question.title);
  const form = arena.element("form", { class: "line" }, label, input, arena.element("button", { class: "primary" }, "Submit"));
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
  button.append(" ", arena.element("small", {}, why));
  return button;
}
