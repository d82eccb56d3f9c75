// The page of a seat: it asks a person, sends the answers, and shows the match as this seat sees it.

import { describeCard } from "./cards.js";
import { ignoreEarlyClicks } from "./clicks.js";
import { Clock } from "./clock.js";
import { Dock } from "./dock.js";
import { buildButton, byId, find, findById } from "./elements.js";
import { Match } from "./match.js";
import { Menu } from "./menu.js";
import { listCards, OwnTable } from "./own_table.js";
import { BEGINNING, ENDING, GONE, OUT, OVER, PLAYING } from "./phases.js";
import { listenToKeys } from "./seat_keys.js";

/** @typedef {import("./dock.js").Answer} Answer */
/** @typedef {import("./stream.js").Handlers} Handlers */
/** @typedef {import("./pace.js").Moment} Moment */

const UNREACHED = "The server cannot be reached. Try again.";
const LATE = "This question was closed before your answer came, so your answer does not count.";
const NO_REVIEW = "Load this page again to see more of the match.";
const READING_SHARE = 0.25; // of the time for an answer, for what led to the question
const UNSKIPPED_MILLISECONDS = 500; // after an answer, in which nobody wants to skip what it brings
const TICK_MILLISECONDS = 250;
const MAX_NAMED = 3; // cards that come at once, which the game names; more are a hand that was dealt, and is read out

class SeatPage {
  /** @type {OwnTable} */
  #table = new OwnTable(byId("match"), () => this.#menu.playSound("card"));
  #match;
  #dock = new Dock(this.#table, (question, answer) => this.#send(question, answer));
  #menu = new Menu(() => this.#redrawQuestion(), () => this.#drawNews(), () => this.#leave());
  #clock = new Clock();
  #phase = BEGINNING;
  /** @type {string[]} */
  #held = []; // cards of the own hand
  /** @type {string[]} */
  #away = []; // names of players who have gone

  constructor() {
    this.#match = new Match(this.#table, {
      isKeptHidden: true, // so that the others see who is here
      handlers: this.#buildHandlers(),
      limitTime: (moments) => this.#limitTime(moments),
      take: (moment, lines) => this.#take(moment, lines),
      draw: () => this.#draw(),
      finish: (end) => this.#finish(end),
      describeTurn: () => (this.#dock.question ? "Your turn" : this.#phase.turn),
      showConnection: (state) => this.#showConnection(state),
    });
    this.#listen();
    this.#dock.keepFocus();
    this.#match.follow();
  }

  /** @param {import("./phases.js").Phase} phase - in which the seat is from now on, unless it is further already */
  #advance(phase) {
    if (phase.order > this.#phase.order) this.#phase = phase;
  }

  // --- what comes -----------------------------------------------------------------------------
  /** @returns {Handlers} */
  #buildHandlers() {
    return {
      no: ({ n, why }) => {
        if (this.#dock.question?.n === n) this.#refuse(`Not allowed: ${why}`);
      },
      again: (news) => this.#closeRematch(news),
      present: (report) => this.#showPresence(report),
      end: () => this.#advance(ENDING),
    };
  }

  /** @param {Moment[]} moments */
  #limitTime(moments) {
    const allowed = moments.map((moment) => moment.kind === "step" && moment.step.ask?.allowed).find(Number);
    if (allowed) return 1000 * READING_SHARE * allowed;
    return this.#phase === OUT ? undefined : Infinity;
  }

  /**
   * @param {Moment} moment
   * @param {MarkedLine[]} lines
   */
  #take(moment, lines) {
    switch (moment.kind) {
      case "step":
        return this.#takeStep(moment.step, lines);
      case "lost":
        return this.#takeLoss(moment.lost, lines);
      case "end":
        return this.#takeEnd(moment.end);
    }
  }

  /**
   * @param {SeatStep} step
   * @param {MarkedLine[]} lines
   */
  #takeStep(step, lines) {
    const dock = this.#dock;
    this.#hold(this.#table.findOwnHand(step.z ?? {}));
    if (lines.some(([, text]) => text.trim())) this.#advance(PLAYING);
    if (step.standing !== undefined) this.#showStanding(step.standing);
    if (step.ask) return dock.ask(step.ask);
    if (step.left) this.#advance(OUT); // the others play on, and each of them may have to answer first
    if (step.left || (dock.question && step.closed_question === dock.question.n)) this.#closeQuestion();
    dock.news.add(lines);
  }

  /**
   * @param {SeatLost} lost
   * @param {MarkedLine[]} lines
   */
  #takeLoss({ zones }, lines) {
    this.#table.giveUpSeat(zones);
    this.#advance(OUT);
    this.#closeQuestion();
    this.#dock.news.add(lines);
  }

  /** @param {MatchEnd} end */
  #takeEnd(end) {
    this.#hold(this.#table.findOwnHand(end.hands ?? {}));
    this.#closeQuestion();
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
    if (isDealt) {
      this.#match.words.addSentences(`You hold ${cards.map((card) => describeCard(card, zone).name).join(", ")}.`);
    }
    this.#held = cards;
  }

  /**
   * An answer that stands is given for the person, who can take it back at any time.
   * @param {string} label - empty for none
   */
  #showStanding(label) {
    const place = find(byId("standing"), "b");
    if (place.textContent !== label) {
      this.#match.words.addSentences(label ? `${label}, until you press “Ask me again”.` : "You are asked again.");
    }
    byId("standing").hidden = !label;
    place.textContent = label;
  }

  /** @param {PresenceReport} report */
  #showPresence({ away, absent }) {
    const buttons = absent.map(([name, label]) =>
      buildButton(label, () => this.#post("/replace", new URLSearchParams({ name })))
    );
    byId("absent").replaceChildren(...buttons);
    this.#away = away;
    if (!this.#dock.question && !this.#dock.isNew && this.#phase === PLAYING) this.#drawWait();
  }

  /**
   * Whoever plays again has chosen how.
   * @param {RematchNews} news
   */
  #closeRematch({ address }) {
    /** @type {NodeListOf<HTMLButtonElement>} */
    const buttons = this.#match.root.querySelectorAll(".then button");
    for (const button of buttons) button.hidden = Boolean(address) || button.id === "swap";
  }

  /** @param {import("./stream.js").StreamState} state */
  #showConnection(state) {
    byId("answers").disabled = !["open", "closed"].includes(state);
    if (state !== "gone") return;
    this.#advance(GONE);
    this.#dock.close(); // at once, whatever is still to be shown
  }

  // --- what is drawn --------------------------------------------------------------------------
  #draw() {
    const dock = this.#dock, { question } = dock;
    const isAsked = dock.isNew && question !== null;
    this.#match.words.say(isAsked ? question.title : "", isAsked ? this.#findTip() : "");
    if (isAsked) {
      this.#menu.playSound("turn");
      dock.drawQuestion();
    } else if (!question && this.#phase !== BEGINNING) this.#drawWait();
    this.#showTime();
    this.#drawNews(); // beside the button for a hint, if there is one
  }

  #drawWait() {
    const { text, isLed } = this.#phase;
    this.#dock.drawNoQuestion(text ?? this.#describeWait());
    if (isLed) {
      this.#menu.closeWayOut();
      this.#dock.leadTo(byId("way-out"));
    } else if (this.#phase === ENDING) this.#dock.offerInstead("Skip to the end", () => this.#match.pace.skip());
  }

  #drawNews() {
    const { title = "" } = this.#dock.question || {};
    const elsewhere = [title, ...Object.values(this.#table.board.zones).map(({ text }) => text)].join(" ");
    this.#dock.news.draw(elsewhere, this.#findTip());
  }

  #redrawQuestion() {
    if (this.#dock.question && !this.#dock.isSent) this.#dock.drawQuestion();
  }

  #showTime() {
    this.#clock.show(this.#dock.question, this.#match.lag);
  }

  // What the game tells a beginner at the open question
  #findTip() {
    return (this.#menu.wantsTips && this.#dock.question && this.#dock.question.guide) || "";
  }

  // Of several others only whoever's turn it is, on the board, is named: who is asked in secret may tell what is hidden
  #describeWait() {
    const { names, seat } = this.#match;
    const others = names.filter((_, other) => other !== seat), turns = this.#table.listTurns();
    if (this.#match.pace.isPausing || turns.some(({ of: owner }) => owner === seat)) return "One moment"; // for what happened, or the next question
    const [name] = others.length === 1 ? others : turns.map(({ title }) => title);
    return name ? `${name} ${this.#away.includes(name) ? "is away" : "is thinking"}` : "The other players are thinking";
  }

  /** @param {MatchEnd} end */
  #finish(end) {
    this.#advance(OVER);
    byId("streak").textContent = end.record ?? "";
    if (end.outcome) this.#menu.playSound(end.outcome);
    if (end.next_label) { // over after one: go on at once, with the seats swapped
      const swap = byId("swap");
      swap.textContent = end.next_label;
      swap.className = "primary";
      byId("play-again").hidden = true;
      this.#match.root.classList.add("brief");
    }
    const { seat } = this.#match;
    if (end.rows.length && seat !== null) {
      import("./review.js").then(({ showReview }) => showReview(seat), () => this.#match.showProblem(NO_REVIEW));
    }
    this.#menu.closeWayOut();
  }

  // --- what a person does ---------------------------------------------------------------------
  #listen() {
    const hint = findById("hint");
    ignoreEarlyClicks(this.#dock);
    listenToKeys(() => this.#dock.takeBack());
    if (hint) hint.addEventListener("click", () => this.#showHint(hint));
    find(byId("standing"), "button").addEventListener("click", () => this.#post("/ask-again"));
    addEventListener("resize", () => {
      this.#dock.root.style.removeProperty("--most");
      this.#drawNews();
      this.#table.fit();
    });
    setInterval(() => this.#showTime(), TICK_MILLISECONDS);
  }

  /** @param {HTMLButtonElement} button */
  async #showHint(button) {
    const asked = this.#dock.question, isOpen = () => asked === this.#dock.question;
    if (!asked) return;
    button.disabled = true;
    try {
      await import("./hints.js").then(
        ({ showHint }) => showHint(this.#match.base, asked, isOpen),
        () => this.#dock.note(UNREACHED),
      );
    } finally {
      if (isOpen()) button.disabled = false;
    }
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
    const reply = await fetch(this.#match.base + path, { method: "POST", body }).catch(() => null);
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
    this.#match.blockSkips(UNSKIPPED_MILLISECONDS); // a double click wants no more than a click
    this.#dock.setSent(true, this.#describeWait());
    this.#dock.note("");
    const headers = { "Content-Type": "application/json" }, body = JSON.stringify({ n: question.n, ...answer });
    const reply = await fetch(`${this.#match.base}/answer`, { method: "POST", headers, body }).catch(() => null);
    if (reply?.status === 404) this.#match.stream.giveUp();
    else if (reply?.status === 409) this.#tellLate();
    else if (isOpen() && !reply?.ok) {
      this.#refuse(reply ? `The server did not accept the answer (${reply.status}). Try again.` : UNREACHED);
    }
  }

  /** @param {string} why */
  #refuse(why) {
    this.#match.blockSkips(UNSKIPPED_MILLISECONDS);
    this.#dock.setSent(false, this.#dock.question?.title ?? "");
    this.#dock.note(why);
  }

  // Another window of this seat has answered, or the clock has: the next question may be open already
  #tellLate() {
    /** @type {MarkedLine[]} */
    const lines = [["lost", LATE]];
    this.#match.words.add(lines);
    this.#dock.news.add(lines);
    this.#match.draw();
  }
}

new SeatPage();
