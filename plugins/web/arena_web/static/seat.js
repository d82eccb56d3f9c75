// The page of a seat: it asks a person, sends the answers, and shows the match as this seat sees it.

import { buildButton } from "./answers.js";
import { ignoreEarlyClicks } from "./clicks.js";
import { Clock } from "./clock.js";
import { Dock } from "./dock.js";
import { listenToKeys } from "./keys.js";
import { MatchPage } from "./match.js";
import { Menu } from "./menu.js";
import { listCards, OwnTable } from "./own_table.js";
import { BEGINNING, ENDING, GONE, OUT, OVER, PLAYING } from "./phases.js";

const UNREACHED = "The server cannot be reached. Try again.";
const LATE = "This question was closed before your answer came, so your answer does not count.";
const NO_REVIEW = "Load this page again to see more of the match.";
const READING_SHARE = 0.25; // of the time for an answer, for what led to the question
const UNSKIPPED_MILLISECONDS = 500; // after an answer, in which nobody wants to skip what it brings
const TICK_MILLISECONDS = 250;
const MAX_NAMED = 3; // cards that come at once, which the game names; more are a hand that was dealt, and is read out

/** @extends {MatchPage<OwnTable>} */
class SeatPage extends MatchPage {
  #dock = new Dock(this.table, (question, answer) => this.#send(question, answer));
  #menu = new Menu(() => this.#redrawQuestion(), () => this.#drawTold(), () => this.#leave());
  #clock = new Clock();
  #phase = BEGINNING;
  /** @type {string[]} */
  #held = []; // cards of the own hand
  /** @type {string[]} */
  #away = []; // names of players who have gone
  #answeredAt = -Infinity;

  constructor() {
    super(new OwnTable(arena.byId("match")), true); // so that the others see who is here
    this.table.onlay = () => this.#menu.playSound("card");
    this.#listen();
    this.#dock.keepFocus();
  }

  /** @param {import("./phases.js").Phase} phase - in which the seat is from now on, unless it is further already */
  #advance(phase) {
    if (phase.order > this.#phase.order) this.#phase = phase;
  }

  // --- what comes -----------------------------------------------------------------------------
  /** @returns {Hears} */
  listEvents() {
    return {
      ...super.listEvents(),
      no: ({ n, why }) => { if (this.#dock.question && this.#dock.question.n === n) this.#refuse(`Not allowed: ${why}`); },
      out: (lost) => this.queue([{ lost }]),
    };
  }

  /** @param {Introduction} match */
  introduce(match) {
    super.introduce(match);
    if (match.seat !== null) this.table.sit(match.seat);
  }

  /** @param {RematchNews} news */
  showRematch(news) {
    super.showRematch(news);
    /** @type {NodeListOf<HTMLButtonElement>} */
    const buttons = this.root.querySelectorAll(".then button"); // whoever is there has chosen how
    for (const button of buttons) button.hidden = Boolean(news.address) || button.id === "swap";
  }

  /** @param {MatchEnd} end */
  beginEnd(end) {
    this.#advance(ENDING);
    super.beginEnd(end);
  }

  /** @param {Moment[]} moments */
  limitTime(moments) {
    const allowed = moments.map(({ step }) => step?.ask?.allowed).find(Number);
    if (allowed) return 1000 * READING_SHARE * allowed;
    return this.#phase === OUT ? super.limitTime(moments) : Infinity;
  }

  /**
   * What was known before the last answer is no news.
   * @param {SeatStep} step
   * @param {boolean} isOld
   */
  isForgotten(step, isOld) {
    return isOld && "closed_question" in step;
  }

  /** @param {Moment} moment */
  take(moment) {
    super.take(moment);
    if (moment.lost) this.#takeLoss(moment.lost);
  }

  /**
   * @param {SeatStep} step
   * @param {boolean} isOld
   */
  takeStep(step, isOld) {
    const lines = super.takeStep(step, isOld), dock = this.#dock;
    this.#hold(this.table.findOwnHand(step.z || {}));
    if (lines.some(([, text]) => text.trim())) this.#advance(PLAYING);
    if (step.standing !== undefined) this.#showStanding(step.standing);
    if (step.ask) {
      dock.ask(step.ask);
      return lines;
    }
    if (step.left) this.#advance(OUT); // the others play on, and each of them may have to answer first
    if (step.left || (dock.question && step.closed_question === dock.question.n)) this.#closeQuestion();
    if (dock.told.hasBegun) dock.told.add(lines);
    return lines;
  }

  /** @param {MatchEnd} end */
  takeEnd(end) {
    this.#hold(this.table.findOwnHand(end.hands ?? {}));
    super.takeEnd(end);
    this.#closeQuestion();
  }

  /** @param {SeatLost} lost */
  #takeLoss({ why, then, zones }) {
    /** @type {MarkedLine[]} */
    const lines = [["lost", `${why} ${then}`]];
    this.words.add(lines);
    this.table.giveUpSeat(zones);
    this.#advance(OUT);
    this.#closeQuestion();
    if (this.#dock.told.hasBegun) this.#dock.told.add(lines);
  }

  #closeQuestion() {
    if (!this.#dock.question) return;
    this.#dock.close();
    this.#advance(PLAYING);
  }

  /**
   * Say which cards the own hand has, where it was dealt.
   * @param {?Zone} zone - which is the own hand
   */
  #hold(zone) {
    if (!zone) return;
    const cards = listCards(zone), isDealt = cards.filter((card) => !this.#held.includes(card)).length > MAX_NAMED;
    if (isDealt) this.words.addSaid(`You hold ${cards.map((card) => arena.face(card, zone).name).join(", ")}.`);
    this.#held = cards;
  }

  /**
   * An answer that stands is given for the person, who can take it back at any time.
   * @param {string} label - empty for none
   */
  #showStanding(label) {
    const shown = arena.find(arena.byId("standing"), "b");
    if (shown.textContent !== label) this.words.addSaid(label ? `${label}, until you press “Ask me again”.` : "You are asked again.");
    arena.byId("standing").hidden = !label;
    shown.textContent = label;
  }

  /** @param {PresenceReport} report */
  showPresence(report) {
    super.showPresence(report);
    const { away, absent } = report;
    const buttons = absent.map(([name, label]) => buildButton(label, () => this.#post("/replace", new URLSearchParams({ name }))));
    arena.byId("absent").replaceChildren(...buttons);
    this.#away = away;
    if (!this.#dock.question && !this.#dock.isNew && this.#phase === PLAYING) this.#drawWait();
  }

  /** @param {string} problem */
  showProblem(problem) {
    super.showProblem(problem);
    arena.byId("answers").disabled = problem !== "";
  }

  closeTable() {
    this.#advance(GONE);
    this.#dock.close(); // at once, whatever is still to be shown
    super.closeTable();
  }

  // --- what is drawn --------------------------------------------------------------------------
  drawState() {
    const dock = this.#dock, { question } = dock;
    const isAsked = dock.isNew && question !== null;
    this.words.say(isAsked ? question.title : "", isAsked ? this.#findTip() : "");
    if (isAsked) {
      this.#menu.playSound("turn");
      dock.drawQuestion();
    } else if (!question && this.#phase !== BEGINNING) this.#drawWait();
    this.#showTime();
    this.#drawTold(); // beside the button for a hint, if there is one
  }

  describeTurn() {
    return this.#dock.question ? "Your turn" : this.#phase.turn;
  }

  #drawWait() {
    const { text, isLed } = this.#phase;
    this.#dock.drawNoQuestion(text ?? this.#describeWait());
    if (isLed) {
      this.#menu.closeWayOut();
      this.#dock.leadTo(arena.find(this.root, '.then a[href$="/play"]').cloneNode(true));
    } else if (this.#phase === ENDING) this.#dock.offerInstead("Skip to the end", () => this.pace.skip());
  }

  #drawTold() {
    const { title = "" } = this.#dock.question || {};
    const shown = [title, ...Object.values(this.table.board.zones).map(({ text }) => text)].join(" ");
    this.#dock.told.draw(shown, this.#findTip());
  }

  #redrawQuestion() {
    if (this.#dock.question && !this.#dock.isSent) this.#dock.drawQuestion();
  }

  #showTime() {
    this.#clock.show(this.#dock.question, this.lag);
  }

  // What the game tells a beginner at the open question
  #findTip() {
    return (this.#menu.wantsTips && this.#dock.question && this.#dock.question.guide) || "";
  }

  // Of several others only whoever's turn it is, on the board, is named: who is asked in secret may tell what is hidden
  #describeWait() {
    const { names, seat } = this;
    const others = names.filter((_, other) => other !== seat), turns = this.table.listTurns();
    if (this.pace.pausing || turns.some(({ of: owner }) => owner === seat)) return "One moment"; // for what happened, or the next question
    const [name] = others.length === 1 ? others : turns.map(({ title }) => title);
    return name ? `${name} ${this.#away.includes(name) ? "is away" : "is thinking"}` : "The other players are thinking";
  }

  /** @param {MatchEnd} end */
  finish(end) {
    this.#advance(OVER);
    arena.byId("streak").textContent = end.record ?? "";
    if (end.outcome) this.#menu.playSound(end.outcome);
    if (end.next_label) { // over after one: go on at once, with the seats swapped
      const swap = arena.byId("swap"), again = arena.find(this.root, ":has(+ #swap)");
      swap.textContent = end.next_label;
      swap.className = "primary";
      again.hidden = true;
      this.root.classList.add("brief");
    }
    const { seat } = this;
    if (end.rows.length && seat !== null)
      arena.load("review.js", "hints.css").then(() => arena.review.show({ seat }), () => super.showProblem(NO_REVIEW));
    this.#menu.closeWayOut();
    super.finish(end);
  }

  // --- what a person does ---------------------------------------------------------------------
  #listen() {
    const hint = arena.byId("hint");
    ignoreEarlyClicks(this.#dock);
    listenToKeys(() => this.#dock.takeBack());
    if (hint) hint.addEventListener("click", () => this.#showHint(hint));
    arena.find(arena.byId("standing"), "button").addEventListener("click", () => this.#post("/ask-again"));
    addEventListener("resize", () => {
      this.#dock.root.style.removeProperty("--most");
      this.#drawTold();
      this.table.fit();
    });
    setInterval(() => this.#showTime(), TICK_MILLISECONDS);
  }

  canSkip() {
    return super.canSkip() && performance.now() - this.#answeredAt >= UNSKIPPED_MILLISECONDS; // a double click wants no more than a click
  }

  /** @param {HTMLButtonElement} button */
  async #showHint(button) {
    const asked = this.#dock.question, isOpen = () => asked === this.#dock.question;
    if (!asked) return;
    button.disabled = true;
    await arena.load("hints.js", "hints.css").then(() => arena.hints.ask(this.base, asked, isOpen), () => this.#dock.note(UNREACHED));
    if (isOpen()) button.disabled = false;
  }

  async #leave() {
    const reply = await this.#post("/leave");
    return Boolean(reply?.ok);
  }

  /**
   * Ask the server for something beside an answer; where it is not done, the page says so.
   * @param {string} path
   * @param {URLSearchParams} [body]
   */
  async #post(path, body) {
    const reply = await fetch(this.base + path, { method: "POST", body }).catch(() => null);
    if (!reply?.ok) this.#dock.note(reply ? `That cannot be done now (${reply.status}).` : UNREACHED);
    return reply;
  }

  /**
   * @param {QuestionForm} question
   * @param {Answer} answer
   */
  async #send(question, answer) {
    const isOpen = () => question === this.#dock.question;
    if (!isOpen() || this.#dock.isSent) return;
    this.#answeredAt = performance.now();
    this.#dock.setSent(true, this.#describeWait());
    this.#dock.note("");
    const headers = { "Content-Type": "application/json" }, body = JSON.stringify({ n: question.n, ...answer });
    const reply = await fetch(`${this.base}/answer`, { method: "POST", headers, body }).catch(() => null);
    if (reply?.status === 404) this.stream.giveUp();
    else if (reply?.status === 409) this.#tellLate();
    else if (isOpen() && !reply?.ok) this.#refuse(reply ? `The server did not accept the answer (${reply.status}). Try again.` : UNREACHED);
  }

  /** @param {string} why */
  #refuse(why) {
    this.#answeredAt = performance.now();
    this.#dock.setSent(false, this.#dock.question?.title ?? "");
    this.#dock.note(why);
  }

  // Another window of this seat has answered, or the clock has: the next question may be open already
  #tellLate() {
    /** @type {MarkedLine[]} */
    const lines = [["lost", LATE]];
    this.words.add(lines);
    this.#dock.told.add(lines);
    this.draw();
  }
}

new SeatPage().open();
