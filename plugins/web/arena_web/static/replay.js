// A match, step by step: `<div id="replay" data-steps="URL" data-eyes='["all", "public", "0: name", ...]'>`.
// Steps are fetched for one eye at a time. Notes (`data-notes`) are fetched after them, and shown where the eye
// sees all; `data-study` is where a note's query leads. A page without a server gives `arena.replay` its own way of
// getting them. The address's hash says where one is: `#step=17&eye=1`; `#verdict=1` leads to where seat 1 failed.
"use strict";
(() => {
  const MAX_DEALING_STEPS = 16; // steps in which hands are dealt, at most
  const GAP_PIXELS = 8; // between the board and the controls
  const SPEEDS = [["0.5", "half speed"], ["1", "normal speed"], ["2", "twice as fast"], ["5", "five times as fast"]];
  const ICONS = {
    first: "M3 3h2v10H3zM13 3v10L6 8z", back: "M12 3v10L4 8z", play: "M4 2v12l10-6z", stop: "M4 3h3v10H4zM9 3h3v10H9z",
    next: "M4 3v10l8-5z", last: "M3 3v10l7-5zM11 3h2v10h-2z",
    earlier: "M11 4.5 14.5 8 11 11.5 7.5 8ZM6.5 4v8L2 8z", later: "M5 4.5 8.5 8 5 11.5 1.5 8ZM9.5 4v8L14 8z",
  };
  const EYE_LABELS = { all: "all cards", public: "public information" };
  const { element } = arena;
  // ["0: liar"] -> [["0", "seat 0: liar", "liar"]]
  const parseEyes = (eyes, own) =>
    eyes.map((text) => {
      const [, key, name] = /^([^:]*)(?:: ([^]*))?$/.exec(text);
      return [key, EYE_LABELS[key] || (key === own ? "what you saw" : `seat ${text}`), name || key];
    });
  const buildIcon = (name) =>
    arena.svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" }, arena.svg("path", { d: ICONS[name] }));
  const buildLine = (word) =>
    Array.isArray(word) ? element("span", { class: `line ${word[0]}` }, word[1]) : element("span", { class: "line" }, word);

  class Replay {
    constructor(root, eyes, load, explain) {
      Object.assign(this, { root, eyes: parseEyes(eyes, root.dataset.own), load, explain, steps: null, at: 0, playing: false, saving: 0 });
      this.pace = new arena.Pace(() => this.advance(), () => 1 / Number(this.speed.value));
      this.own = root.dataset.own; // the seat of who looks, if this was a game of theirs
      this.eye = this.own || this.eyes[0][0];
      this.notes = new arena.Notes(root.dataset.study, this.name(0), this.own && Number(this.own));
      this.build(root);
      this.board = new arena.Board(this.table);
      this.board.onresize = () => this.fit();
      window.addEventListener("resize", () => this.fit());
      document.addEventListener("keydown", (event) => this.pressKey(event));
      window.addEventListener("hashchange", (event) => {
        this.follow(new URL(event.newURL).hash);
        this.table.scrollIntoView({ block: "nearest" });
      });
      this.follow();
    }

    build(root) {
      const button = (name, label, act) => {
        const made = element("button", { type: "button", class: "control", "aria-label": label, title: label }, buildIcon(name));
        made.addEventListener("click", act);
        return made;
      };
      this.slider = element("input", { type: "range", min: 1, max: 1, value: 1, "aria-label": "step" });
      this.slider.addEventListener("input", () => this.go(Number(this.slider.value) - 1));
      this.select = this.buildSelect("view", this.eyes, this.eye, () => this.changeEye(this.select.value));
      this.speed = this.buildSelect("speed", SPEEDS, "1", () => {});
      this.player = button("play", "play (space)", () => (this.playing ? this.stop() : this.play()));
      this.position = element("span", { class: "where" });
      this.turns = new arena.TurningPoints((point) => this.buildItem(point));
      this.table = element("div", {});
      this.status = element("div", { class: "said", role: "status" });
      this.remarks = element("div", { class: "noted-here" });
      this.earlier = button("earlier", "previous turning point (,)", () => this.goToTurningPoint(false));
      this.later = button("later", "next turning point (.)", () => this.goToTurningPoint(true));
      this.log = element("ol", { class: "log", tabindex: 0, "aria-label": "all steps" });
      root.replaceChildren(
        element("div", { class: "stage" }, this.table, this.log),
        this.panel = element("div", { class: "panel", role: "group", "aria-label": "replay controls" }, this.status,
          element("div", { class: "time" }, this.slider, this.turns.marks), this.turns.legend,
          element("div", { class: "controls" },
          button("first", "first step (Home)", () => this.go(0)), button("back", "previous step (left arrow)", () => this.go(this.at - 1)),
          this.player, button("next", "next step (right arrow)", () => this.go(this.at + 1)),
          button("last", "last step (End)", () => this.go(Infinity)), this.earlier, this.later,
          this.position, element("label", {}, "view ", this.select), element("label", {}, "speed ", this.speed))),
        this.remarks, this.notes.remarks, this.notes.curve, this.turns.section,
      );
      root.classList.add("replay");
    }

    buildSelect(name, pairs, chosen, act) {
      const options = pairs.map(([value, text]) => element("option", { value, selected: value === chosen }, text));
      const made = element("select", { "aria-label": name }, ...options);
      made.addEventListener("change", act);
      return made;
    }

    // Go where an address says: that of a link, even if the one of the step before has been saved over it
    follow(hash = location.hash) {
      const asked = new URLSearchParams(hash.slice(1));
      const eye = this.eyes.some(([key]) => key === asked.get("eye")) ? asked.get("eye") : this.eye;
      const failed = asked.get("verdict");
      const step = Number.parseInt(asked.get("step"), 10);
      const begins = !this.steps;
      const at = () => {
        if (failed === null && Number.isNaN(step)) return begins ? this.findOpening() : this.at;
        if (failed === null) return step - 1;
        requestAnimationFrame(() => this.root.scrollIntoView());
        return this.steps.all.findIndex(({ bad }) => bad && String(bad.seat) === failed);
      };
      if (eye !== this.eye || begins) this.changeEye(eye, at);
      else this.go(at());
    }

    // Nobody begins with an empty table, but with the first step at which the cards are seen of all hands that this eye
    // sees, if that is in the beginning, or else the first at which there are cards
    findOpening() {
      const some = (zone) => zone && ((zone.cards && zone.cards.length) || zone.hidden);
      const unseen = (zone) =>
        zone && zone.kind === "hand" && (this.eye === "all" ? zone.hidden : String(zone.of) === this.eye && !(zone.cards && zone.cards.length));
      const tables = this.steps.all.slice(0, MAX_DEALING_STEPS).map((_, at) => Object.values(this.steps.findZones(at)));
      const open = tables.findIndex((zones) => zones.some(some) && !zones.some(unseen));
      return Math.max(0, open < 0 ? tables.findIndex((zones) => zones.some(some)) : open);
    }

    // Look through another eye: at the step that `at` gives then, or at the same moment as now
    async changeEye(eye, at) {
      const line = this.steps ? this.steps.all[this.at].l : 0;
      this.eye = this.select.value = eye;
      clearTimeout(this.saving); // the step of one eye is not that of another
      try {
        const given = await this.load(eye);
        if (eye !== this.eye) return; // it was slow, and another has been chosen
        this.showSteps(given);
      } catch (problem) {
        this.say([`This match cannot be shown: ${problem.message}`]);
        return;
      }
      this.go(at ? at() : this.steps.findStep(line));
      if ((eye !== "all" && eye !== this.own) || !this.explain) return;
      this.explained = this.explained || this.explain();
      const notes = await this.explained.catch(() => []);
      if (eye === this.eye && notes.length) this.addNotes(notes);
    }

    showSteps(given) {
      const { steps } = Array.isArray(given) ? { steps: given } : given;
      if (this.eye === this.own) steps.forEach(({ z }) => this.callYou(z));
      this.steps = new arena.Steps(steps, (seat) => this.name(seat));
      this.notes.show([], this.steps.length);
      this.slider.max = this.steps.length;
      this.showTurningPoints();
      this.log.replaceChildren(...this.steps.words.map((words, at) => this.buildEntry(words, at)));
      this.root.dataset.eye = this.eye;
    }

    // The hand of who looks is called as at the table
    callYou(zones = {}) {
      for (const zone of Object.values(zones)) if (zone && zone.kind === "hand" && String(zone.of) === this.own) zone.title = "You";
    }

    // Show notes beside what is there already
    addNotes(notes) {
      this.notes.show(notes.map((note) => ({ ...note, at: this.steps.findStep(note.line) })), this.steps.length);
      this.showTurningPoints();
      this.go(this.at);
    }

    // Turning points, which are verdicts and notes too, are marked and listed
    showTurningPoints() {
      const points = this.steps.all.flatMap(({ bad, turn, weight = 0 }, at) => [
        ...(bad ? [{ at, kind: "verdict", text: this.describeFailure(bad) }] : []),
        ...(turn ? [{ at, kind: "turn", text: turn, weight }] : []),
      ]);
      this.turns.show([...points, ...this.notes.moments], this.steps.length);
      for (const control of [this.earlier, this.later]) control.hidden = !this.turns.points.length;
    }

    // An entry of the list of turning points
    buildItem({ at, kind, text, query }) {
      return element("li", { class: kind }, element("a", { href: this.buildAddress(at) }, `step ${at + 1}`), ` ${text}`, ...this.notes.buildWay(query));
    }

    name(seat) {
      if (this.eye === this.own && String(seat) === this.own) return "You";
      return (this.eyes.find(([key]) => key === String(seat)) || [0, 0, `seat ${seat}`])[2];
    }

    describeFailure({ seat, kind, detail }) {
      return `${this.name(seat)}: ${kind}${detail ? `, ${detail}` : ""}`;
    }

    buildEntry(words, at) {
      return element("li", {}, element("a", { href: this.buildAddress(at), tabindex: -1 }, ...words.map(buildLine)));
    }

    go(wanted) {
      if (!this.steps) return;
      this.at = Math.max(0, Math.min(this.steps.length - 1, wanted));
      this.board.show(this.steps.findZones(this.at));
      this.fit();
      this.slider.value = this.at + 1;
      this.slider.style.setProperty("--gone", `${(100 * this.at) / Math.max(1, this.steps.length - 1)}%`);
      this.slider.setAttribute("aria-valuetext", `step ${this.at + 1} of ${this.steps.length}`);
      this.position.textContent = `step ${this.at + 1} of ${this.steps.length}`;
      this.say(this.steps.words[this.at]);
      this.remarks.replaceChildren(...this.notes.build(this.at));
      this.markEntry();
      this.notes.markStep(this.at);
      if (this.at === this.steps.length - 1) this.stop();
      clearTimeout(this.saving);
      this.saving = setTimeout(() => history.replaceState(null, "", this.buildAddress(this.at)), 200); // a browser refuses many of them at once
    }

    say(words) {
      this.status.replaceChildren(element("p", {}, ...words.map(buildLine)));
    }

    // The board is seen as a whole with the controls below it, from the top of the page; where they stand beside it, lists of the past may be lower
    fit() {
      const table = this.table.getBoundingClientRect(), top = table.top + window.scrollY;
      const isBeside = this.panel.getBoundingClientRect().left >= table.right;
      this.board.fit(window.innerHeight - top - (isBeside ? 0 : this.panel.offsetHeight) - GAP_PIXELS, !isBeside);
    }

    // Mark the entry of the log, and scroll the log alone
    markEntry() {
      const before = this.log.querySelector("[aria-current]");
      if (before) before.removeAttribute("aria-current");
      const entry = this.log.children[this.at];
      entry.setAttribute("aria-current", "step");
      const top = entry.offsetTop;
      if (top < this.log.scrollTop || top + entry.offsetHeight > this.log.scrollTop + this.log.clientHeight)
        this.log.scrollTop = top - this.log.clientHeight / 3;
    }

    buildAddress(at) {
      const parts = new URLSearchParams(location.hash.slice(1));
      parts.delete("verdict");
      parts.set("step", at + 1);
      parts.set("eye", this.eye);
      return `#${parts}`;
    }

    play() {
      if (!this.steps) return;
      this.playing = true;
      if (this.at === this.steps.length - 1) this.at = -1;
      this.queue();
      this.labelPlayer("stop", "stop (space)");
    }

    // Have the next step take its time: one at a time, since somebody may move on meanwhile
    queue() {
      this.pace.add([this.steps.all[this.at + 1]]);
    }

    advance() {
      this.go(this.at + 1);
      if (this.playing) this.queue();
    }

    stop() {
      if (!this.playing) return;
      this.pace.clear();
      this.playing = false;
      this.labelPlayer("play", "play (space)");
    }

    labelPlayer(name, label) {
      this.player.replaceChildren(buildIcon(name));
      this.player.setAttribute("aria-label", label);
      this.player.title = label;
    }

    // To the next turning point behind this step, or the last before it
    goToTurningPoint(forward) {
      const point = this.turns.find(this.at, forward);
      if (point) this.go(point.at);
    }

    pressKey(event) {
      if (arena.isKeyOfControl(event)) return;
      if (event.key === " " && event.target.closest("button, a, summary")) return;
      const keys = {
        ArrowLeft: () => this.go(this.at - 1), ArrowRight: () => this.go(this.at + 1),
        Home: () => this.go(0), End: () => this.go(Infinity),
        " ": () => (this.playing ? this.stop() : this.play()), ",": () => this.goToTurningPoint(false), ".": () => this.goToTurningPoint(true),
        a: () => this.chooseEye("all"), p: () => this.chooseEye("public"),
      };
      const act = /^\d$/.test(event.key) ? () => this.chooseEye(event.key) : keys[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    }

    chooseEye(eye) {
      if (eye !== this.eye && this.eyes.some(([key]) => key === eye)) this.changeEye(eye);
    }
  }

  /**
   * Show a replay.
   * @param {HTMLElement} root
   * @param {string[]} eyes - through which it is seen: "all", "public", or a seat as "0: name"
   * @param {(eye: string) => Promise<Object[] | {steps: Object[]}>} load - gets the steps
   * @param {() => Promise<Object[]>} [explain] - gets the notes
   * @returns {Replay}
   */
  arena.replay = (root, eyes, load, explain) => new Replay(root, eyes, load, explain);

  const fetched = (address) => async (eye) => {
    const answer = await fetch(`${address}?eye=${encodeURIComponent(eye)}`);
    if (!answer.ok) throw new Error((await answer.text()).slice(0, 300) || answer.statusText);
    return answer.json();
  };
  const root = arena.byId("replay");
  const explained = (address) => async () => {
    const answer = await fetch(address);
    return answer.ok ? (await answer.json()).notes : [];
  };
  if (root && root.dataset.steps) {
    const { steps, notes, eyes } = root.dataset;
    arena.replay(root, JSON.parse(eyes), fetched(steps), notes && explained(notes));
  }
})();
