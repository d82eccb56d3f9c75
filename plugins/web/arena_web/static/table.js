// The table of a match: its board, drawn as large as the room allows.

const GAP_PIXELS = 6; // between the board and what is below it
const countCards = ({ cards = [], hidden = 0 } = {}) => cards.length + hidden;

export class Table {
  /** @type {Zones} */
  #changes = {}; // that are not drawn yet
  #isOver = false;

  /** @param {HTMLElement} page - of the match */
  constructor(page) {
    this.page = page;
    this.board = new arena.Board(arena.byId("board"));
    this.board.onresize = () => this.fit();
    this.onlay = () => {}; // is called when a card is laid on the table
  }

  /** Whether the match is over. */
  get isOver() {
    return this.#isOver;
  }

  /** Be a table after the match, which takes all the room that it needs. */
  finish() {
    this.#isOver = true;
    this.page.classList.add("over");
    this.board.reset();
  }

  /** @param {Zones} zones - that have changed */
  change(zones) {
    Object.assign(this.#changes, zones);
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
    const isLaid = ([key, zone]) => zone && zone.kind !== "hand" && countCards(zone) > countCards(this.board.zones.get(key));
    const hasLaid = Object.entries(zones).some(isLaid);
    if (Object.keys(zones).length) this.board.apply(zones);
    if (hasLaid) this.onlay();
  }

  /** Have what lies on the table in sight without scrolling, during the match. */
  fit() {
    if (this.isOver) this.board.fit(Infinity);
    else this.fitInto(0, true);
  }

  /**
   * Have the board fit the screen.
   * @param {number} below - pixels that are taken below it
   * @param {boolean} past - whether what is past has to fit, too
   */
  fitInto(below, past) {
    const room = innerHeight - arena.byId("board").getBoundingClientRect().top - scrollY;
    this.page.style.setProperty("--room", `${room}px`); // for the log beside it
    this.board.fit(room - below - GAP_PIXELS, past);
  }

  /** The zones of who is to move. */
  listTurns() {
    return [...this.board.zones.values()].filter(({ turn }) => turn);
  }

  /**
   * The cards that a seat held when the match ended, where all may see them, as elements.
   * @param {number} seat
   * @returns {HTMLElement[]}
   */
  listLastCards(seat) {
    const hands = [...this.board.zones.values()].filter(({ kind, of: owner }) => kind === "hand" && owner === seat);
    return hands.flatMap((zone) =>
      (zone.cards || []).map((card, index) => arena.chip(card, zone, (zone.lost || []).includes(index) ? "lost" : "")));
  }
}
