// The table of a person, whose hand lies in the dock, where its cards are chosen.

import { Board } from "./board.js";
import { byId } from "./elements.js";
import { loadSetting, saveSetting } from "./settings.js";
import { Table } from "./table.js";

const OPENED_PIXELS = 55; // by which an answer grows that is closed now: later it has a line with its choices
const DOCK_KEY = "arena-dock"; // by game and screen: the height of the highest dock that this browser has shown

/**
 * The cards of a hand, without those that are out of the game.
 * @param {Zone} zone
 * @returns {string[]}
 */
export const listCards = ({ cards = [], lost = [] }) => cards.filter((_, index) => !lost.includes(index)).map(String);

export class OwnTable extends Table {
  #ownKey = ""; // of the zone that is the own hand
  #isInDock = true; // whether the own hand lies in the dock

  /**
   * @param {HTMLElement} page - of the match
   * @param {() => void} onLay - what is done when a card is laid on the table
   */
  constructor(page, onLay) {
    super(page, onLay, false);
    this.hand = new Board(byId("hand"));
    new ResizeObserver(() => requestAnimationFrame(() => this.fit())).observe(byId("dock"));
  }

  /** @param {Introduction} match */
  introduce(match) {
    super.introduce(match);
    this.#ownKey = `hand${match.seat}`;
  }

  /**
   * The own hand among some zones.
   * @param {Zones} zones
   * @returns {?Zone}
   */
  findOwnHand(zones) {
    return zones[this.#ownKey] || null;
  }

  draw() {
    if (!this.#isInDock) return super.draw();
    const { [this.#ownKey]: hand, ...others } = this.takeChanges();
    this.drawOnBoard(others);
    if (hand !== undefined) this.hand.apply({ [this.#ownKey]: hand && { ...hand, title: "You" } });
  }

  /**
   * Have the own hand lie on the board, too.
   * @param {Record<string, Zone>} zones
   */
  layOpen(zones) {
    super.layOpen(zones);
    const changes = this.takeChanges(), own = this.findOwnHand(changes);
    if (own) changes[this.#ownKey] = { ...own, title: "You" };
    for (const [key, zone] of Object.entries(this.hand.zones)) changes[key] ??= zone; // what it was before the end
    this.change(changes);
    this.#isInDock = false;
  }

  /**
   * Have the board be that of all who watch, without what only this seat was shown.
   * @param {Object<string, Zone>} zones - what they see
   */
  giveUpSeat(zones) {
    const own = Object.keys({ ...this.board.zones, ...this.hand.zones, ...this.takeChanges() });
    this.change({ ...Object.fromEntries(own.map((key) => [key, null])), ...zones });
    this.hand.show({});
    this.#ownKey = "";
    this.#isInDock = false;
  }

  // The dock is below the board, or beside it
  fit() {
    const dock = byId("dock"), { left, height } = dock.getBoundingClientRect();
    if (this.isOver || getComputedStyle(dock).position === "static") return this.board.fit(Infinity);
    const spare = parseFloat(getComputedStyle(dock).getPropertyValue("--spare")) || 0; // for a hint
    const isBelow = left < byId("board").getBoundingClientRect().right;
    this.fitInto(isBelow ? height : 0, false, spare, isBelow ? this.#findReserve(dock) : 0);
  }

  /**
   * How much higher the dock may become at a later question, so that no card shrinks then.
   * @param {HTMLElement} dock
   */
  #findReserve(dock) {
    const key = `${DOCK_KEY} ${this.page.dataset.game} ${innerWidth} ${innerHeight}`, height = dock.offsetHeight;
    const highest = Number(loadSetting(key)) || 0;
    if (height > highest) saveSetting(key, String(height));
    return Math.max(highest - height, OPENED_PIXELS * dock.querySelectorAll("button.closed").length);
  }

  listTurns() {
    return [...super.listTurns(), ...Object.values(this.hand.zones).filter(({ turn }) => turn)];
  }
}
