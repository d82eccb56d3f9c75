// A match, step by step: `<div id="replay" data-steps="URL" data-eyes='[{"key": "all", "name": ...}, ...]'>`.
// Steps are fetched for one eye at a time. Notes (`data-notes`) are fetched after them, and shown where the eye
// sees all; `data-study` is where a note's query leads. A page without a server gives `arena.replay` its own way of
// getting them.
"use strict";
(() => {
  const GAP_PIXELS = 10; // between the board or the log and the controls
  const MIN_LOG_PIXELS = 80;
  const { element } = arena;

  class Replay {
    #root;
    #views;
    #notes;
    #address = new arena.ReplayAddress();
    #turns = new arena.TurningPoints((point) => this.#buildItem(point));
    #log = new arena.ReplayLog();
    #table = element("div", {});
    #board;
    #controls;
    #player;
    /** @type {Note[]} */
    #explained = []; // notes, as far as the eye sees any
    /** @type {ShownNote[]} */
    #reviewed = []; // the moments of the review that stands on the page
    #at = 0; // the index of the step that is shown; -1 where playing has just begun anew
    #problem = ""; // why the view that was chosen cannot be shown, until there is another step

    /**
     * @param {HTMLElement} root
     * @param {ReplayViews} views
     * @param {Notes} notes
     */
    constructor(root, views, notes) {
      this.#root = root;
      this.#views = views;
      this.#notes = notes;
      this.#controls = new arena.ReplayControls(this, views, this.#turns, notes.here);
      this.#player = new arena.ReplayPlayer(
        () => this.#steps.all[this.#at + 1], () => this.go(this.#at + 1),
        () => this.#controls.slowness, (isPlaying) => this.#controls.showPlaying(isPlaying),
      );
      root.replaceChildren(
        element("div", { class: "stage" }, this.#table, this.#log.root), this.#controls.root,
        notes.remarks, notes.curve, this.#turns.section,
      );
      root.classList.add("replay");
      root.addEventListener("reviewed", (event) => this.#addMoments(/** @type {CustomEvent<ReviewMoment[]>} */ (event).detail));
      this.#board = new arena.Board(this.#table);
      this.#board.nameSeat = (seat) => views.name(seat);
      this.#board.onresize = () => this.#fit();
      this.#listen();
    }

    /** The index of the step that is shown. */
    get at() {
      return this.#at;
    }

    get #steps() {
      return this.#views.steps;
    }

    /**
     * Go where an address says: that of a link, even if the one of the step before has been saved over it.
     * @param {string} hash
     */
    follow(hash) {
      const { eye, step, line, verdict } = arena.ReplayAddress.read(hash), begins = !this.#views.isLoaded;
      const find = () => {
        const failure = verdict === null ? -1 : this.#steps.findFailure(verdict);
        if (failure >= 0) return this.#leadTo(failure);
        if (line !== null) return this.#steps.findLine(line);
        if (step !== null) return this.#steps.findStep(step);
        return begins ? this.#steps.findOpening() : this.#at;
      };
      const wanted = eye !== null && this.#views.has(eye) ? eye : this.#views.eye;
      if (wanted === this.#views.eye && this.#views.isChosen(wanted) && !begins) this.go(find());
      else this.#changeEye(wanted, find);
    }

    /**
     * Show a step.
     * @param {number} wanted - its index, or one behind or before all
     */
    go(wanted) {
      if (!this.#views.isLoaded) return;
      const steps = this.#steps, at = Math.max(0, Math.min(steps.length - 1, wanted));
      if (at !== this.#at) this.#problem = ""; // but notes that come meanwhile leave it
      this.#at = at;
      this.#board.show(steps.findZones(at));
      this.#controls.showStep(steps, at);
      this.#controls.say(this.#problem ? [this.#problem] : steps.words[at]);
      this.#notes.showStep(at);
      this.#fit();
      this.#log.markStep(at);
      if (at === steps.length - 1) this.#player.stop();
      this.#address.save(steps.findNumber(at), this.#views.eye);
    }

    /**
     * Go to the next turning point behind this step, or the last before it.
     * @param {boolean} isForward
     */
    goToTurningPoint(isForward) {
      const point = this.#turns.find(this.#at, isForward);
      if (point) this.go(point.at);
    }

    /**
     * Look through another eye, at the same moment.
     * @param {string} eye
     */
    chooseEye(eye) {
      if (!this.#views.isChosen(eye) && this.#views.has(eye)) this.#changeEye(eye, (number) => this.#steps.findStep(number));
    }

    /** Play, from the beginning where this is the end; or stop. */
    togglePlay() {
      if (!this.#views.isLoaded) return;
      if (this.#player.isPlaying) return this.#player.stop();
      if (this.#at === this.#steps.length - 1) this.#at = -1;
      this.#player.play();
    }

    #listen() {
      window.addEventListener("resize", () => this.#fit());
      window.addEventListener("hashchange", (event) => {
        this.follow(new URL(event.newURL).hash);
        this.#table.scrollIntoView({ block: "nearest" });
      });
    }

    /** @param {number} at - the index of a step that is seen in whole */
    #leadTo(at) {
      requestAnimationFrame(() => this.#root.scrollIntoView());
      return at;
    }

    /**
     * Look through another eye once its steps are there.
     * @param {string} eye
     * @param {(number: number) => number} find - the index of the step that it begins with, by the number of the one that is shown
     */
    async #changeEye(eye, find) {
      this.#controls.showEye(eye);
      const steps = await this.#views.choose(eye).catch((problem) => this.#keepEye(problem));
      if (!steps) return;
      const number = this.#steps.findNumber(Math.max(0, this.#at));
      this.#views.look(eye, steps);
      this.#showSteps();
      this.go(find(number));
      const notes = this.#views.seesNotes ? await this.#notes.fetch() : [];
      if (eye === this.#views.eye && notes.length) this.#explain(notes);
    }

    /**
     * The eye that was chosen cannot look: the one before still does.
     * @param {Error} problem
     */
    #keepEye({ message }) {
      this.#controls.showEye(this.#views.eye);
      this.#problem = `This ${this.#views.isLoaded ? "view" : "match"} cannot be shown. ${message}`;
      this.#controls.say([this.#problem]);
      return null;
    }

    /** Show the steps of another eye, of which none is chosen yet. */
    #showSteps() {
      const { eye, ownSeat } = this.#views;
      this.#problem = "";
      this.#explained = [];
      this.#showNotes();
      this.#log.show(this.#steps, (at) => this.#buildAddress(at));
      this.#root.dataset.eye = eye;
      this.#board.own = ownSeat; // the table does not turn
    }

    /**
     * Show notes beside what is there already.
     * @param {Note[]} notes
     */
    #explain(notes) {
      this.#explained = notes;
      this.#showNotes();
      this.go(this.#at);
    }

    /**
     * Mark the moments of the review of who looks.
     * @param {ReviewMoment[]} moments
     */
    #addMoments(moments) {
      const seat = Number(this.#views.own);
      this.#reviewed = moments.map(({ line, title, better }) => ({ line, seat, text: better || `${title}.`, isReviewed: true }));
      if (this.#views.isLoaded) this.#explain(this.#explained);
    }

    #showNotes() {
      /** @type {(note: ShownNote) => PlacedNote} */
      const place = (note) => ({ ...note, at: this.#steps.findLine(note.line) });
      const reviewed = this.#views.seesNotes ? this.#reviewed.map(place) : [];
      /** @type {(point: {at: number, seat?: number}) => boolean} */
      const isReviewed = ({ at, seat }) => seat === Number(this.#views.own) && reviewed.some((moment) => moment.at === at);
      // what the review says of an answer is not said again in other words
      const explained = this.#explained.map(place).map((note) => (isReviewed(note) ? { ...note, text: "" } : note));
      this.#notes.show([...reviewed, ...explained], this.#steps.length);
      const turns = this.#listTurns().filter(({ at, kind }) => kind === "verdict" || reviewed.every((moment) => moment.at !== at));
      const points = [...turns, ...this.#notes.moments];
      this.#turns.show(points.map((point) => ({ ...point, address: this.#buildAddress(point.at), place: this.#steps.findPlace(point.at) })), this.#steps.length);
      this.#controls.showTurningPoints(this.#turns.points.length > 0);
    }

    /** @returns {TurningPoint[]} of which the steps tell: verdicts, too */
    #listTurns() {
      return this.#steps.all.flatMap(({ bad, turn, weight = 0 }, at) => [
        ...(bad ? [{ at, kind: "verdict", text: this.#describeFailure(bad) }] : []),
        ...(turn ? [{ at, kind: "turn", text: turn, weight }] : []),
      ]);
    }

    /** @param {FailureMark} failure */
    #describeFailure({ seat, kind, detail }) {
      return `${this.#views.name(seat)}: ${kind}${detail ? `, ${detail}` : ""}`;
    }

    /**
     * An entry of the list of turning points.
     * @param {MarkedPoint} point
     */
    #buildItem({ at, kind, text, query, address, place }) {
      const step = `step ${this.#steps.findNumber(at)}`;
      const link = element("a", { href: address }, place ? `${place} (${step})` : step);
      return element("li", { class: kind }, link, ` ${text}`, ...this.#notes.buildWay(query));
    }

    /** @param {number} at */
    #buildAddress(at) {
      return arena.ReplayAddress.build(this.#steps.findNumber(at), this.#views.eye);
    }

    /**
     * The board is seen as a whole with the controls below it, from the top of the page; where they stand beside it, lists
     * of the past may be lower. A log below the board ends above the controls.
     */
    #fit() {
      /** @type {(part: HTMLElement, below: number) => number} */
      const findRoom = (part, below) => window.innerHeight - (part.getBoundingClientRect().top + window.scrollY) - below - GAP_PIXELS;
      const panel = this.#controls.root, isBeside = panel.getBoundingClientRect().left >= this.#table.getBoundingClientRect().right;
      this.#board.fit(findRoom(this.#table, isBeside ? 0 : this.#controls.maxHeight), !isBeside);
      this.#log.fit(Math.max(MIN_LOG_PIXELS, findRoom(this.#log.root, isBeside ? 0 : panel.getBoundingClientRect().height)));
    }
  }

  /**
   * Show a replay.
   * @param eyes - through which it is seen
   * @param load - gets the steps of an eye
   * @param explain - gets the notes
   */
  arena.replay = (root, eyes, load, explain) => {
    const { own, study } = root.dataset, views = new arena.ReplayViews(eyes, own, load);
    const notes = new arena.Notes(study, views.name(0), own ? Number(own) : undefined, explain);
    new Replay(root, views, notes).follow(location.hash);
  };

  const root = arena.byId("replay");
  if (root && root.dataset.steps) {
    const { steps, notes, eyes = "[]" } = root.dataset;
    /** @type {(eye: string) => Promise<ReplaySteps>} */
    const load = (eye) => arena.fetchJson(`${steps}?eye=${encodeURIComponent(eye)}`);
    const explain = async () => {
      /** @type {MatchNotes} */
      const reply = await arena.fetchJson(String(notes));
      return reply.notes;
    };
    arena.replay(root, JSON.parse(eyes), load, notes ? explain : undefined);
  }
})();
