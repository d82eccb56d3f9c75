// The dock of a seat: the question that is open with its answers, or what is waited for.

import { AnswerNews } from "./answer_news.js";
import { buildClosedAnswer, offerChoices, showField, showSelection } from "./answers.js";
import { Confirmation } from "./confirmation.js";
import { buildButton, byId, element, findById } from "./elements.js";

/**
 * What is sent as an answer, besides the number of the question.
 * @typedef {{answer: Json} | {standing: string} | {line: string}} Answer
 */

const UNREAD_MILLISECONDS = 300; // in which nobody can have read a question
const TURN_SIGN = "● "; // before the title of the page

export class Dock {
  #table;
  #send;
  #controls = byId("controls");
  #readingTimer = 0; // until the question can have been read
  #isUnread = false;
  #isNew = false;
  #isSent = false;

  /**
   * @param {import("./own_table.js").OwnTable} table
   * @param {(question: QuestionForm, answer: Answer) => void} send - posts an answer
   */
  constructor(table, send) {
    this.#table = table;
    this.#send = send;
    this.root = byId("dock");
    this.confirmation = new Confirmation(this.#controls);
    this.news = new AnswerNews();
    /** @type {?QuestionForm} */
    this.question = null; // that is open
  }

  /** Whether something was asked or closed that is not drawn yet. */
  get isNew() {
    return this.#isNew;
  }

  /** Whether the open question is answered. */
  get isSent() {
    return this.#isSent;
  }

  /** Whether nobody can have read the open question yet. */
  get isUnread() {
    return this.#isUnread;
  }

  /** @param {QuestionForm} question - that is open from now on */
  ask(question) {
    this.question = question;
    this.#isSent = false;
    this.#isNew = true;
  }

  /** Close the question, if one is open. */
  close() {
    this.question = null;
    this.news.clear();
    this.#isNew = true;
  }

  /** Draw the question with its answers, if one is open. */
  drawQuestion() {
    const { question } = this;
    if (!question) return;
    this.#clear();
    byId("asked").textContent = question.title;
    if (!document.title.startsWith(TURN_SIGN)) document.title = TURN_SIGN + document.title;
    this.keepFocus();
    this.#drawOptions(question);
    const standing = question.standing_answers.map((label) => this.#buildStanding(question, label));
    this.#controls.append(
      ...Object.entries(question.closed_answers).map(([label, why]) => buildClosedAnswer(label, why)),
      element("p", { class: "stands" }, ...standing),
    );
    if (this.confirmation.isWanted && (question.options.kind === "choice" || standing.length)) this.confirmation.show();
    this.root.style.setProperty("--most", `${this.#controls.offsetHeight}px`); // no less from now on, on a desk
  }

  /**
   * Draw that nothing is asked.
   * @param {string} text - what is waited for
   */
  drawNoQuestion(text) {
    const wasAsked = this.#isNew;
    if (wasAsked) this.#clear();
    byId("asked").textContent = text;
    if (!wasAsked) return;
    this.keepFocus();
    if (document.title.startsWith(TURN_SIGN)) document.title = document.title.slice(TURN_SIGN.length);
  }

  /**
   * Show a button where nothing is asked, unless there is one.
   * @param {string} label
   * @param {() => void} onPress
   */
  offerInstead(label, onPress) {
    if (!this.#controls.children.length) this.#controls.append(buildButton(label, onPress, "primary"));
  }

  /**
   * Offer another link like one of the page, alone, unless it stands there: then it keeps the focus.
   * @param {HTMLElement} link
   */
  leadTo(link) {
    const way = element("a", { href: link.getAttribute("href") }, link.textContent ?? "");
    const { firstChild, childNodes } = this.#controls;
    if (childNodes.length !== 1 || !firstChild?.isEqualNode(way)) this.#controls.replaceChildren(way);
  }

  /**
   * Show that the answer is on its way, or that it came back.
   * @param {boolean} isSent
   * @param {string} text - what is said meanwhile
   */
  setSent(isSent, text) {
    this.#isSent = isSent;
    this.root.classList.toggle("sent", isSent);
    byId("asked").textContent = text;
    this.keepFocus(); // the button that was pressed goes
  }

  /** Take the answer back that was selected, if it can be. */
  takeBack() {
    if (this.question && !this.isSent) this.confirmation.takeBack();
  }

  /**
   * Say what is wrong.
   * @param {string} problem
   * @param {boolean} [isCalm] - whether nothing is
   */
  note(problem, isCalm = false) {
    const no = byId("no");
    no.textContent = problem;
    no.classList.toggle("calm", isCalm);
    for (const leaving of no.getAnimations()) leaving.currentTime = 0; // the same may be said again
  }

  /** Give the question the focus, unless the person is elsewhere: it is never nowhere, nor on what is gone. */
  keepFocus() {
    if (document.activeElement === document.body || byId("answers").contains(document.activeElement)) {
      byId("asked").focus({ preventScroll: true });
    }
  }

  #clear() {
    const { question } = this;
    const hint = findById("hint");
    this.#isNew = false;
    if (hint) {
      hint.hidden = !question;
      hint.disabled = false;
      byId("hinted").replaceChildren();
    }
    this.note("");
    this.#controls.replaceChildren();
    this.confirmation.forget();
    this.#table.hand.offer(null);
    byId("match").classList.toggle("asked-now", question !== null);
    this.root.classList.toggle("sent", question !== null && this.isSent);
    this.#setUnread(question !== null);
    clearTimeout(this.#readingTimer);
    this.#readingTimer = setTimeout(() => this.#setUnread(false), UNREAD_MILLISECONDS);
  }

  /** @param {boolean} isUnread */
  #setUnread(isUnread) {
    this.#isUnread = isUnread;
    this.root.classList.toggle("unread", isUnread);
  }

  /** @param {QuestionForm} question */
  #drawOptions(question) {
    const { options } = question;
    if (options.kind === "choice") {
      /** @type {import("./answers.js").OnChoose} */
      const onPress = (value, button) => this.confirmation.press(button, () => this.#send(question, { answer: value }));
      this.#controls.append(...offerChoices(this.#table, options.choices, onPress));
    } else if (options.kind === "selection") {
      showSelection(this.#table, this.#controls, options, (chosen) => this.#send(question, { answer: chosen }));
    } else showField(this.#controls, question, options, (line) => this.#send(question, { line }));
  }

  /**
   * A button for an answer that stands for later questions, too.
   * @param {QuestionForm} question
   * @param {string} label
   * @returns {HTMLElement}
   */
  #buildStanding(question, label) {
    const button = buildButton(
      label,
      () => this.confirmation.press(button, () => this.#send(question, { standing: label })),
    );
    return button;
  }
}
