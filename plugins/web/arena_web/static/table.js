// The table of a match: its board, drawn as large as the room allows.

import { Board } from "./board.js";
import { byId } from "./elements.js";
import { buildChips } from "./zones.js";

const GAP_PIXELS = 6; // between the board and what is below it
const MAX_FREE_REM = 34; // that a board is high where it needs less, so that what is below it always stands in one place

/** @param {{cards?: Card[], hidden?: number}} zone */
const countCards = ({ cards = [], hidden = 0 }) => cards.length + hidden;

export class Table {
  /** @type {Zones} */
  #changes = {}; // that are not drawn yet
  #isOver = false;
  #onLay;
  /** @type {string[]} */
  #names = []; // of the players, by their seats
  /** @type {?number} */
  #seat = null; // of the person, who may only watch

  /**
   * @param {HTMLElement} page - of the match
   * @param {() => void} [onLay] - what is done when a card is laid on the table
   * @param {boolean} [hasOwnHand] - whether the own hand lies on the board
   */
  constructor(page, onLay, hasOwnHand) {
    this.page = page;
    this.#onLay = onLay;
    this.board = new Board(byId("board"), {
      nameSeat: (seat) => (seat === this.#seat ? "you" : this.#names[seat]),
      onResize: () => this.fit(),
      sheets: byId("sheets"),
      hasOwnHand,
    });
  }

  /** @param {Introduction} match - that is played here */
  introduce({ names, seat }) {
    this.#names = names;
    this.#seat = seat;
    if (seat !== null) this.board.turnTo(seat);
  }

  /** Whether the match is over. */
  get isOver() {
    return this.#isOver;
  }

  /** Be a table after the match, which takes all the room that it needs. */
  finish() {
    this.#isOver = true;
    this.page.classList.add("over");
    if (this.page.matches(".brief")) return; // it stays as it is, and what came of it stands below
    this.board.root.style.minHeight = "";
    this.board.reset();
  }

  /** @param {Zones} zones - that have changed */
  change(zones) {
    Object.assign(this.#changes, zones);
  }

  /**
   * Lay open what others had where the match ends: their hands, and cards that lay face down on the table.
   * @param {Record<string, Zone>} zones - as whoever sees all sees them
   */
  layOpen(zones) {
    for (const [key, zone] of Object.entries(zones)) {
      const before = this.#changes[key] ?? this.board.zones[key];
      if (zone.kind === "hand") this.change({ [key]: zone });
      else if (before?.hidden) this.change({ [key]: { ...zone, title: before.title, text: before.text } });
    }
  }

  /**
   * The zones that have changed, which count as drawn from now on.
   * @returns {Zones}
   */
  takeChanges() {
    const changes = this.#changes;
    this.#changes = {};
    return changes;
  }

  /** Draw what has changed. */
  draw() {
    this.drawOnBoard(this.takeChanges());
  }

  /**
   * Draw these zones on the board.
   * @param {Zones} zones
   */
  drawOnBoard(zones) {
    /** @type {(entry: [string, Zone | null]) => boolean} */
    const isLaid = ([key, zone]) =>
      zone !== null && zone.kind !== "hand" && countCards(zone) > countCards(this.board.zones[key] ?? {});
    const hasLaid = Object.entries(zones).some(isLaid);
    if (Object.keys(zones).length) this.board.apply(zones);
    if (hasLaid) this.#onLay?.();
  }

  /** Have what lies on the table in sight without scrolling, during the match. */
  fit() {
    if (this.isOver) this.board.fit(Infinity);
    else this.fitInto(0, true);
  }

  /**
   * Have the board fit the screen, and fill it.
   * @param {number} below - pixels that are taken below it
   * @param {boolean} past - whether what is past has to fit, too
   * @param {number} [spare] - pixels that stay free at its end, where there is room
   * @param {number} [reserve] - pixels more that may soon be taken below it
   */
  fitInto(below, past, spare, reserve) {
    const { board } = this, { root } = board;
    const room = innerHeight - root.getBoundingClientRect().top - scrollY, height = room - below - GAP_PIXELS;
    this.page.style.setProperty("--room", `${room}px`); // for the log beside it
    root.style.minHeight = ""; // for its own height
    board.fit(height, past, spare, reserve);
    root.style.minHeight = `min(${height}px, ${MAX_FREE_REM}rem)`;
  }

  /** The zones of who is to move. */
  listTurns() {
    return Object.values(this.board.zones).filter(({ turn }) => turn);
  }

  /**
   * The cards that a seat held when the match ended, where all may see them, as elements.
   * @param {number} seat
   * @returns {HTMLElement[]}
   */
  listLastCards(seat) {
    const hands = Object.values(this.board.zones).filter(({ kind, of: owner }) => kind === "hand" && owner === seat);
    return hands.flatMap((zone) => buildChips(zone));
  }
}
