// A match, step by step: `<div id="replay" data-steps="URL" data-eyes='[{"key": "all", "name": ...}, ...]'>`.
// Steps are fetched for one eye at a time. Notes (`data-notes`) are fetched after them, and shown where the eye
// sees all; `data-study` is where a note's query leads. A page without a server gives `arena.replay` its own way of
// getting them. The address's hash says where one is: `#step=17&eye=1`; `#verdict=1` leads to where seat 1 failed.
"use strict";
(() => {
  const MAX_DEALING_STEPS = 16; // steps in which hands are dealt, at most
  const GAP_PIXELS = 10; // between the board or the log and the controls
  const MIN_LOG_PIXELS = 80;
  const { element } = arena;

  class Replay {
    /**
     * @param {HTMLElement} root
     * @param {Eye[]} eyes
     * @param {(key: string) => Promise<{steps: ReplayStep[]}>} load - gets the steps of an eye
     * @param {() => Promise<Note[]>} [explain] - gets the notes
     */
    constructor(root, eyes, load, explain) {
      this.root = root;
      this.load = load;
      this.explain = explain;
      this.own = root.dataset.own; // the seat of who looks, if this was a game of theirs
      this.eyes = eyes;
      this.eye = this.own || eyes[0].key; // the key of the one that looks
      this.choice = { eye: "" }; // the latest one; another eye looks until its steps are there
      this.steps = new arena.Steps([], (seat) => this.name(seat));
      this.isLoaded = false; // whether these are the steps of an eye
      this.at = 0; // the step that is shown
      this.problem = ""; // why the view that was chosen cannot be shown, until there is another step
      this.playing = false;
      this.saving = 0; // the timer until the address says where one is
      this.notes = new arena.Notes(root.dataset.study, this.name(0), this.own ? Number(this.own) : undefined);
      this.turns = new arena.TurningPoints((point) => this.buildItem(point));
      this.remarks = element("div", { class: "noted-here", hidden: true });
      this.controls = new arena.ReplayControls(this, this.turns, this.remarks);
      this.log = new arena.ReplayLog();
      this.pace = new arena.Pace(() => this.advance(), () => this.controls.slowness);
      this.table = element("div", {});
      root.replaceChildren(
        element("div", { class: "stage" }, this.table, this.log.root), this.controls.root,
        this.notes.remarks, this.notes.curve, this.turns.section,
      );
      root.classList.add("replay");
      this.board = new arena.Board(this.table);
      this.board.nameSeat = (seat) => this.name(seat);
      this.board.onresize = () => this.fit();
      this.listen();
    }

    listen() {
      window.addEventListener("resize", () => this.fit());
      window.addEventListener("hashchange", (event) => {
        this.follow(new URL(event.newURL).hash);
        this.table.scrollIntoView({ block: "nearest" });
      });
    }

    // Go where an address says: that of a link, even if the one of the step before has been saved over it
    follow(hash = location.hash) {
      const asked = new URLSearchParams(hash.slice(1));
      const eye = this.eyes.find(({ key }) => key === asked.get("eye"))?.key ?? this.eye;
      const failed = asked.get("verdict");
      const step = Number.parseInt(asked.get("step") ?? "", 10);
      const begins = !this.isLoaded;
      const at = () => {
        if (failed === null && Number.isNaN(step)) return begins ? this.findOpening() : this.at;
        if (failed === null) return step - 1;
        requestAnimationFrame(() => this.root.scrollIntoView());
        return this.steps.all.findIndex(({ bad }) => bad && String(bad.seat) === failed);
      };
      if (this.isLoaded && eye === this.eye && eye === this.choice.eye) this.go(at());
      else this.changeEye(eye, at);
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

    // Look through another eye once its steps are there: at the step that `at` gives then, or at the same moment
    async changeEye(eye, at) {
      const choice = { eye };
      this.choice = choice;
      this.controls.showEye(eye);
      /** @type {{steps: ReplayStep[]} | Error} */
      const given = await this.load(eye).catch((problem) => problem);
      if (choice !== this.choice) return; // it was slow, and another has been chosen
      if (given instanceof Error) return this.keepEye(given);
      const { l: line } = this.steps.all[Math.max(0, this.at)]; // it is -1 where playing has just begun anew
      this.eye = eye;
      this.problem = "";
      this.showSteps(given);
      this.go(at ? at() : this.steps.findStep(line));
      const notes = eye === "all" || eye === this.own ? await this.fetchNotes() : [];
      if (eye === this.eye && notes.length) this.addNotes(notes);
    }

    // The eye that was chosen cannot look: the one before still does, and each can be chosen
    keepEye({ message }) {
      this.choice = { eye: this.isLoaded ? this.eye : "" };
      this.controls.showEye(this.eye);
      this.problem = `This ${this.isLoaded ? "view" : "match"} cannot be shown. ${message}`;
      this.controls.say([this.problem]);
    }

    // The notes, of which there are none where they cannot be had now; then they are asked for again with the next eye
    fetchNotes() {
      this.explained ??= this.explain?.().catch(() => {
        this.explained = undefined;
        return [];
      });
      return this.explained ?? [];
    }

    /** @param {{steps: ReplayStep[]}} given */
    showSteps({ steps }) {
      const seen = this.own ? steps.map((step) => ({ ...step, z: this.callYou(step.z) })) : steps;
      this.steps = new arena.Steps(seen, (seat) => this.name(seat));
      this.isLoaded = true;
      this.showNotes([]);
      this.log.show(this.steps.words, (at) => this.buildAddress(at));
      this.root.dataset.eye = this.eye;
      this.board.own = this.own && !/^\d+$/.test(this.eye) ? Number(this.own) : null; // the table does not turn
    }

    // The hand of who looks is called as at the table, and is found again where all are seen by their names
    callYou(zones) {
      const isOwn = (zone) => zone && zone.kind === "hand" && String(zone.of) === this.own;
      return zones && Object.fromEntries(Object.entries(zones).map(([key, zone]) => [key, isOwn(zone) ? { ...zone, title: this.eye === this.own ? "You" : `${zone.title} (you)` } : zone]));
    }

    showNotes(notes) {
      this.notes.show(notes, this.steps.length);
      this.remarks.hidden = !this.notes.areAtSteps; // else there is room for them at each step, so that no button moves
      this.showTurningPoints();
    }

    // Show notes beside what is there already
    addNotes(notes) {
      this.showNotes(notes.map((note) => ({ ...note, at: this.steps.findStep(note.line) })));
      this.go(this.at);
    }

    // Turning points, which are verdicts and notes too, are marked and listed
    showTurningPoints() {
      const points = this.steps.all.flatMap(({ bad, turn, weight = 0 }, at) => [
        ...(bad ? [{ at, kind: "verdict", text: this.describeFailure(bad) }] : []),
        ...(turn ? [{ at, kind: "turn", text: turn, weight }] : []),
      ]);
      this.turns.show([...points, ...this.notes.moments], this.steps.length);
      this.controls.showTurningPoints(this.turns.points.length > 0);
    }

    /**
     * An entry of the list of turning points.
     * @param {TurningPoint} point
     */
    buildItem({ at, kind, text, query }) {
      const step = `step ${at + 1}`, place = this.steps.findPlace(at);
      return element("li", { class: kind }, element("a", { href: this.buildAddress(at) }, place ? `${place} (${step})` : step), ` ${text}`, ...this.notes.buildWay(query));
    }

    name(seat) {
      if (this.eye === this.own && String(seat) === this.own) return "You";
      return this.eyes.find(({ key }) => key === String(seat))?.name ?? `seat ${seat}`;
    }

    describeFailure({ seat, kind, detail }) {
      return `${this.name(seat)}: ${kind}${detail ? `, ${detail}` : ""}`;
    }

    go(wanted) {
      if (!this.isLoaded) return;
      const at = Math.max(0, Math.min(this.steps.length - 1, wanted));
      if (at !== this.at) this.problem = ""; // but notes that come meanwhile leave it
      this.at = at;
      this.board.show(this.steps.findZones(this.at));
      this.controls.showStep(this.at, this.steps.length);
      this.controls.say(this.problem ? [this.problem] : this.steps.words[this.at]);
      this.remarks.replaceChildren(...this.notes.build(this.at));
      this.fit();
      this.log.markStep(this.at);
      this.notes.markStep(this.at);
      if (this.at === this.steps.length - 1) this.stop();
      clearTimeout(this.saving);
      this.saving = setTimeout(() => history.replaceState(null, "", this.buildAddress(this.at)), 200); // a browser refuses many of them at once
    }

    // The board is seen as a whole with the controls below it, from the top of the page; where they stand beside it, lists of the past may be lower.
    // A log below the board ends above the controls.
    fit() {
      const findRoom = (part, below) => window.innerHeight - (part.getBoundingClientRect().top + window.scrollY) - below - GAP_PIXELS;
      const panel = this.controls.root, isBeside = panel.getBoundingClientRect().left >= this.table.getBoundingClientRect().right;
      this.board.fit(findRoom(this.table, isBeside ? 0 : this.controls.maxHeight), !isBeside);
      this.log.fit(Math.max(MIN_LOG_PIXELS, findRoom(this.log.root, isBeside ? 0 : panel.getBoundingClientRect().height)));
    }

    buildAddress(at) {
      const parts = new URLSearchParams(location.hash.slice(1));
      parts.delete("verdict");
      parts.set("step", at + 1);
      parts.set("eye", this.eye);
      return `#${parts}`;
    }

    togglePlay() {
      if (this.playing) this.stop();
      else this.play();
    }

    play() {
      if (!this.isLoaded) return;
      this.playing = true;
      if (this.at === this.steps.length - 1) this.at = -1;
      this.queue();
      this.controls.showPlaying(true);
    }

    // Have the next step take its time: one at a time, since somebody may move on meanwhile
    queue() {
      this.pace.add([{ step: this.steps.all[this.at + 1] }]);
    }

    advance() {
      this.go(this.at + 1);
      if (this.playing) this.queue();
    }

    stop() {
      if (!this.playing) return;
      this.pace.clear();
      this.playing = false;
      this.controls.showPlaying(false);
    }

    // To the next turning point behind this step, or the last before it
    goToTurningPoint(forward) {
      const point = this.turns.find(this.at, forward);
      if (point) this.go(point.at);
    }

    chooseEye(eye) {
      if (eye !== this.choice.eye && this.eyes.some(({ key }) => key === eye)) this.changeEye(eye);
    }
  }

  /**
   * Show a replay.
   * @param eyes - through which it is seen
   * @param load - gets the steps
   * @param explain - gets the notes
   */
  arena.replay = (root, eyes, load, explain) => {
    const replay = new Replay(root, eyes, load, explain);
    replay.follow();
    return replay;
  };

  const root = arena.byId("replay");
  if (root && root.dataset.steps) {
    const { steps, notes, eyes = "[]" } = root.dataset;
    /** @returns {Promise<ReplaySteps>} */
    const load = (eye) => arena.fetchJson(`${steps}?eye=${encodeURIComponent(eye)}`);
    /** @returns {Promise<Note[]>} */
    const explain = async () => (await arena.fetchJson(String(notes))).notes;
    arena.replay(root, JSON.parse(eyes), load, notes ? explain : undefined);
  }
})();
