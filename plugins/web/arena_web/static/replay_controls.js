// The controls of a replay: what its step says, the line of time, buttons, and what is chosen of views and speeds. Keys
// do what the buttons do.

import { element, svg } from "./elements.js";
import { isForeignKey } from "./keys.js";
import { buildLines } from "./replay_log.js";

/** @typedef {import("./replay_view.js").ReplayView} ReplayView */
/** @typedef {import("./replay_eyes.js").ReplayEyes} ReplayEyes */

/**
 * What the controls do with a replay.
 * @typedef {Pick<import("./replay.js").Replay, "at" | "go" | "goToTurningPoint" | "chooseEye" | "togglePlay">} ControlledReplay
 */

const NUMBERS = "A step has the same number in each view: one in which you see nothing is left out.";
const SPEEDS = [["0.5", "half speed"], ["1", "normal speed"], ["2", "twice as fast"], ["5", "five times as fast"]];
/** @type {Record<string, string>} */
const ICONS = {
  first: "M3 3h2v10H3zM13 3v10L6 8z",
  back: "M12 3v10L4 8z",
  play: "M4 2v12l10-6z",
  stop: "M4 3h3v10H4zM9 3h3v10H9z",
  next: "M4 3v10l8-5z",
  last: "M3 3v10l7-5zM11 3h2v10h-2z",
  earlier: "M11 4.5 14.5 8 11 11.5 7.5 8ZM6.5 4v8L2 8z",
  later: "M5 4.5 8.5 8 5 11.5 1.5 8ZM9.5 4v8L14 8z",
};

/** @param {string} name */
const buildIcon = (name) =>
  svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" }, svg("path", { d: ICONS[name] }));

/** @type {(name: string, label: string, onPress: () => void) => HTMLButtonElement} */
const buildControl = (name, label, onPress) => {
  const button = element(
    "button",
    { type: "button", class: "control", "aria-label": label, title: label },
    buildIcon(name),
  );
  button.addEventListener("click", onPress);
  return button;
};

/** @type {(name: string, pairs: string[][], chosen: string, onChange: () => void) => HTMLSelectElement} */
const buildSelect = (name, pairs, chosen, onChange) => {
  const options = pairs.map(([value, text]) => element("option", { value, selected: value === chosen }, text));
  const select = element("select", { "aria-label": name }, ...options);
  select.addEventListener("change", onChange);
  return select;
};

/**
 * What is seen through an eye, in words.
 * @param {Eye} eye
 * @param {string | undefined} own - the seat of who looks, if it is one
 */
const nameView = (
  { key, name },
  own,
) => (key === own ? "what you saw" : /^\d+$/.test(key) ? `seat ${key}: ${name}` : name);

export class ReplayControls {
  #replay;
  #status = element("div", { class: "said", role: "status" });
  #slider = element("input", { type: "range", min: 1, max: 1, value: 1, "aria-label": "step" });
  #position = element("span", { class: "where", title: NUMBERS });
  #speed = buildSelect("speed", SPEEDS, "1", () => {});
  #player = buildControl("play", "play (space)", () => this.#replay.togglePlay());
  #earlier = buildControl("earlier", "previous turning point (,)", () => this.#replay.goToTurningPoint(false));
  #later = buildControl("later", "next turning point (.)", () => this.#replay.goToTurningPoint(true));
  #turns;
  #view;
  #stepPanel;

  /**
   * @param {ControlledReplay} replay
   * @param {ReplayEyes} eyes - of which one is chosen
   * @param {import("./turning_points.js").TurningPoints} turns - that are marked on the line of time
   * @param {HTMLElement} remarks - on the step
   */
  constructor(replay, eyes, turns, remarks) {
    this.#replay = replay;
    this.#turns = turns;
    this.#slider.addEventListener("input", () => replay.go(Number(this.#slider.value) - 1));
    const pairs = eyes.all.map((eye) => [eye.key, nameView(eye, eyes.own)]);
    this.#view = buildSelect("view", pairs, eyes.eye, () => replay.chooseEye(this.#view.value));
    this.#stepPanel = element(
      "div",
      { class: "at-step", role: "region", tabindex: 0, "aria-label": "this step" },
      this.#status,
      remarks,
    );
    this.root = element(
      "div",
      { class: "panel", role: "group", "aria-label": "replay controls" },
      this.#stepPanel,
      element("div", { class: "time" }, this.#slider, turns.marks),
      turns.legend,
      this.#buildRow(),
    );
    document.addEventListener("keydown", (event) => this.#pressKey(event));
  }

  #buildRow() {
    const replay = this.#replay;
    return element(
      "div",
      { class: "controls" },
      buildControl("first", "first step (Home)", () => replay.go(0)),
      buildControl("back", "previous step (left arrow)", () => replay.go(replay.at - 1)),
      this.#player,
      buildControl("next", "next step (right arrow)", () => replay.go(replay.at + 1)),
      buildControl("last", "last step (End)", () => replay.go(Infinity)),
      this.#earlier,
      this.#later,
      this.#position,
      element("label", {}, "view ", this.#view),
      element("label", {}, "speed ", this.#speed),
    );
  }

  /** The height of the panel with the longest text, in pixels. */
  get maxHeight() {
    const most = parseFloat(getComputedStyle(this.#stepPanel).maxHeight);
    return this.root.offsetHeight + (most ? most - this.#stepPanel.offsetHeight : 0);
  }

  /** How long a step is shown, as a share of its usual time. */
  get slowness() {
    return 1 / Number(this.#speed.value);
  }

  /**
   * Show where one is.
   * @param {ReplayView} view
   * @param {number} at - the index of the one that is shown
   */
  showStep(view, at) {
    const last = view.length - 1, text = `step ${view.findNumber(at)} of ${view.findNumber(last)}`;
    this.#slider.max = String(view.length);
    this.#slider.value = String(at + 1);
    this.#slider.style.setProperty("--gone", `${(100 * at) / Math.max(1, last)}%`);
    this.#slider.setAttribute("aria-valuetext", text + this.#turns.describe(at));
    this.#position.textContent = text;
  }

  /** @param {string} eye - through which the match is seen */
  showEye(eye) {
    this.#view.value = eye;
  }

  /** @param {boolean} isPlaying */
  showPlaying(isPlaying) {
    const [name, label] = isPlaying ? ["stop", "stop (space)"] : ["play", "play (space)"];
    this.#player.replaceChildren(buildIcon(name));
    this.#player.setAttribute("aria-label", label);
    this.#player.title = label;
  }

  /** @param {boolean} areThere - whether there are turning points, to which buttons lead */
  showTurningPoints(areThere) {
    this.#earlier.hidden = this.#later.hidden = !areThere;
  }

  /** @param {(string | MarkedLine)[]} lines - what the step says */
  say(lines) {
    this.#status.replaceChildren(element("p", {}, ...buildLines(lines).flatMap((line) => [line, " "])));
  }

  /** @param {KeyboardEvent} event */
  #pressKey(event) {
    if (isForeignKey(event)) return;
    if (event.key === " " && event.target.closest("button, a, summary")) return;
    const replay = this.#replay;
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => replay.go(replay.at - 1),
      ArrowRight: () => replay.go(replay.at + 1),
      Home: () => replay.go(0),
      End: () => replay.go(Infinity),
      " ": () => replay.togglePlay(),
      ",": () => replay.goToTurningPoint(false),
      ".": () => replay.goToTurningPoint(true),
      a: () => replay.chooseEye("all"),
      p: () => replay.chooseEye("public"),
    };
    const onPress = /^\d$/.test(event.key) ? () => replay.chooseEye(event.key) : keys[event.key];
    if (!onPress) return;
    event.preventDefault();
    onPress();
  }
}
