// The page of a seat: it asks a person, sends the answers, and shows the match as this seat sees it.

import { buildButton } from "./answers.js";
import { ignoreEarlyClicks } from "./clicks.js";
import { showTime } from "./clock.js";
import { Dock } from "./dock.js";
import { listenToKeys } from "./keys.js";
import { CLOSED, MatchPage } from "./match.js";
import { Menu } from "./menu.js";
import { listCards, OwnTable } from "./own_table.js";

const UNREACHED = "The server cannot be reached. Try again.";
const LATE = "This question was closed before your answer came, so your answer does not count.";
const NO_REVIEW = "Load this page again to see more of the match.";
const READING_SHARE = 0.25; // of the time for an answer, for what led to the question
const UNSKIPPED_MILLISECONDS = 500; // after an answer, in which nobody wants to skip what it brings
const TICK_MILLISECONDS = 250;
const MAX_NAMED = 3; // cards that come at once, which the game names; more are a hand that was dealt, and is read out

// How far the match is, and what is said where nothing is asked: the title of the dock, and the same in a word or two
const PLAYING = {};
const ENDING = { text: "This is how the match ends" }; // what led to the end is still shown
const OVER = { text: "The match is over", turn: "The match is over" };
const GONE = { text: CLOSED, turn: CLOSED };

class SeatPage extends MatchPage {
  constructor() {
    super(new OwnTable(arena.byId("match")));
    this.dock = new Dock(this.table, (question, answer) => this.send(question, answer));
    this.menu = new Menu(() => this.redrawQuestion(), () => this.drawTold(), async () => {
      const reply = await this.post("/leave");
      return Boolean(reply && reply.ok);
    });
    this.stage = PLAYING;
    this.isOut = false; // whether the others play on without this person
    this.held = []; // cards of the own hand
    this.away = []; // names of players who have gone
    this.answeredAt = -Infinity;
    this.listen();
    this.dock.keepFocus();
    this.connection.open();
  }

  // --- what comes -----------------------------------------------------------------------------
  listEvents() {
    const { match, present, again, end, ...events } = super.listEvents();
    return {
      ...events,
      match: (data) => { match(data); this.table.sit(data.seat); },
      no: ({ n, why }) => { if (this.dock.question && this.dock.question.n === n) this.refuse(`Not allowed: ${why}`); },
      out: (lost) => this.queue([{ t: [["lost", `${lost.why} ${lost.then}`]], lost }]),
      present: (data) => { present(data); this.showPresence(data); },
      again: (data) => {
        again(data);
        const buttons = this.root.querySelectorAll(".then button"); // whoever is there has chosen how
        for (const button of buttons) button.hidden = data.address || button.id === "swap";
      },
      end: (data) => { this.stage = ENDING; end(data); },
    };
  }

  limitTime(steps) {
    const allowed = steps.map(({ ask }) => ask && ask.allowed).find(Number);
    if (allowed) return 1000 * READING_SHARE * allowed;
    return this.isOut ? super.limitTime(steps) : Infinity;
  }

  // What was known before the last answer is no news
  isForgotten(step) {
    return super.isForgotten(step) && "closed_question" in step;
  }

  take(step) {
    const lines = super.take(step), { dock } = this;
    this.hold(this.table.findOwnHand(step.z || {}));
    if ("standing" in step) this.showStanding(step.standing);
    if (step.ask) {
      dock.ask(step.ask);
      return lines;
    }
    if (step.lost) this.table.giveUpSeat(step.lost.zones);
    if (step.left || step.lost) this.isOut = true; // the others play on, and each of them may have to answer first
    const closes = step.end || step.left || step.lost || (dock.question && step.closed_question === dock.question.n);
    if (dock.question && closes) dock.close();
    if (dock.hasAsked) dock.told.add(lines);
    return lines;
  }

  // Say which cards the own hand has, where it was dealt
  hold(zone) {
    if (!zone) return;
    const cards = listCards(zone), isDealt = cards.filter((card) => !this.held.includes(card)).length > MAX_NAMED;
    if (isDealt) this.words.addSaid(`You hold ${cards.map((card) => arena.face(card, zone).name).join(", ")}.`);
    this.held = cards;
  }

  // An answer that stands is given for the person, who can take it back at any time
  showStanding(label) {
    arena.byId("standing").hidden = !label;
    arena.byId("standing").firstChild.textContent = label;
  }

  showPresence({ away, absent }) {
    const post = (name) => fetch(`${this.base}/replace`, { method: "POST", body: new URLSearchParams({ name }) });
    arena.byId("absent").replaceChildren(...absent.map(([name, label]) => buildButton(label, () => post(name))));
    this.away = away;
    if (this.dock.hasAsked && !this.dock.question && this.stage === PLAYING) arena.byId("asked").textContent = this.describeWait();
  }

  showConnection(isOpen, problem) {
    super.showConnection(isOpen, problem);
    arena.byId("answers").disabled = problem !== "";
  }

  closeTable() {
    this.stage = GONE;
    this.dock.close(); // at once, whatever is still to be shown
    super.closeTable();
  }

  // --- what is drawn --------------------------------------------------------------------------
  drawTable() {
    if (this.end) this.table.layOpen();
    if (this.table.draw()) this.menu.playSound("card");
  }

  drawState() {
    const { dock } = this, { question } = dock;
    const isAsked = dock.isNew && question !== null;
    this.words.say(isAsked ? question.title : "", isAsked ? this.findTip() : "");
    const areOthersFirst = !question && !dock.hasAsked && this.words.hasBegun;
    if (isAsked) {
      this.menu.playSound("turn");
      dock.drawQuestion();
    } else if (dock.isNew || areOthersFirst) dock.drawNoQuestion(() => this.drawWait());
    else if (!question && dock.hasAsked) this.drawWait();
    this.showTime();
    this.drawTold(); // beside the button for a hint, if there is one
  }

  drawWait() {
    const { text = this.describeWait(), turn = this.isOut ? "Watching" : "Waiting" } = this.stage;
    this.dock.wait(text, turn);
    if (this.isOut) {
      this.menu.closeWayOut();
      this.dock.leadTo(this.root.querySelector('.then a[href$="/play"]').cloneNode(true));
    } else if (this.stage === ENDING) this.dock.offerInstead("Skip to the end", () => this.pace.skip());
  }

  drawTold() {
    const { title = "" } = this.dock.question || {};
    const shown = [title, ...[...this.table.board.zones.values()].map(({ text }) => text)].join(" ");
    this.dock.told.draw(shown, this.findTip());
  }

  redrawQuestion() {
    if (this.dock.question && !this.dock.question.isSent) this.dock.drawQuestion();
  }

  showTime() {
    showTime(this.dock.question, this.connection.lag);
  }

  // What the game tells a beginner at the open question
  findTip() {
    return (this.menu.wantsTips && this.dock.question && this.dock.question.guide) || "";
  }

  // Of several others only whoever's turn it is, on the board, is named: who is asked in secret may tell what is hidden
  describeWait() {
    if (this.isOut) return "You are no longer in this match. You can watch how it ends.";
    const { names = [], seat = -1 } = this.match || {};
    const others = names.filter((_, other) => other !== seat), turns = this.table.listTurns();
    if (this.pace.pausing || turns.some(({ of: owner }) => owner === seat)) return "One moment"; // for what happened, or the next question
    const [name] = others.length === 1 ? others : turns.map(({ title }) => title);
    return name ? `${name} ${this.away.includes(name) ? "is away" : "is thinking"}` : "The other players are thinking";
  }

  nameSeat(seat) {
    return seat === this.match.seat ? "you" : super.nameSeat(seat);
  }

  findSeat(row) {
    return row.you ? this.match.seat : super.findSeat(row);
  }

  finish(end) {
    this.stage = OVER;
    arena.byId("streak").textContent = end.record;
    if (typeof end.won === "boolean") this.menu.playSound(end.won ? "won" : "lost");
    if (end.next_label) { // over after one: go on at once, with the seats swapped
      const swap = arena.byId("swap");
      swap.textContent = end.next_label;
      swap.className = "primary";
      swap.previousElementSibling.hidden = true;
    }
    if (end.rows.length)
      arena.load("review.js", "hints.css").then(() => arena.review.show(this.match), () => super.showConnection(false, NO_REVIEW));
    this.menu.closeWayOut();
    super.finish(end);
  }

  // --- what a person does ---------------------------------------------------------------------
  listen() {
    const hint = arena.byId("hint");
    ignoreEarlyClicks(this.dock);
    listenToKeys(() => this.dock.takeBack());
    if (hint) hint.addEventListener("click", () => this.showHint(hint));
    arena.byId("standing").lastChild.addEventListener("click", () => this.post("/ask-again"));
    addEventListener("resize", () => {
      this.drawTold();
      this.table.fit();
    });
    setInterval(() => this.showTime(), TICK_MILLISECONDS);
  }

  canSkip() {
    return super.canSkip() && performance.now() - this.answeredAt >= UNSKIPPED_MILLISECONDS; // a double click wants no more than a click
  }

  async showHint(button) {
    const asked = this.dock.question, isOpen = () => asked === this.dock.question;
    button.disabled = true;
    await arena.load("hints.js", "hints.css").then(() => arena.hints.ask(this.base, asked, isOpen), () => this.dock.note(UNREACHED));
    if (isOpen()) button.disabled = false;
  }

  post(path) {
    return fetch(this.base + path, { method: "POST" }).catch(() => this.dock.note(UNREACHED));
  }

  async send(question, answer) {
    const isOpen = () => question === this.dock.question;
    if (!isOpen() || question.isSent) return;
    this.answeredAt = performance.now();
    this.dock.setSent(true, this.describeWait());
    this.dock.note("");
    const headers = { "Content-Type": "application/json" }, body = JSON.stringify({ n: question.n, ...answer });
    const reply = await fetch(`${this.base}/answer`, { method: "POST", headers, body }).catch(() => null);
    if (reply && reply.status === 404) this.connection.giveUp();
    else if (reply && reply.status === 409) this.tellLate();
    else if (isOpen() && !reply) this.refuse(UNREACHED);
    else if (isOpen() && !reply.ok) this.refuse(`The server did not accept the answer (${reply.status}). Try again.`);
  }

  refuse(why) {
    this.answeredAt = performance.now();
    this.dock.setSent(false, this.dock.question.title);
    this.dock.note(why);
  }

  // Another window of this seat has answered, or the clock has: the next question may be open already
  tellLate() {
    const lines = [["lost", LATE]];
    this.words.add(lines);
    this.dock.told.add(lines);
    this.draw();
  }
}

new SeatPage();
