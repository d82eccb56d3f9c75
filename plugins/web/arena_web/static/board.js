// The board on which cards lie: the others' hands above, the table in the middle, the own hand below, and the past.
//
//   const board = new Board(element);
//   board.apply(step.z);                 // zones that changed; null is a zone that is gone
//   board.offer(["QS", "KH"], (card, button) => ...);   // null: no card is a button any more
//   board.fit(600);                      // pixels, of which it takes no more
//
// What a step does not change is not touched.

import { element } from "./elements.js";
import { findSeating, placeAround } from "./seating.js";
import { drawZone } from "./zones.js";

/** @typedef {import("./zones.js").CardOffer} CardOffer */
/** @typedef {import("./cards.js").OnPress} OnPress */

// Ways to draw a board smaller, of which cards.css has the rules. Those of the first three stay where a later one adds to
// them; at the last one, others have a line each
const DENSITIES = ["small", "tight", "cut", "tiny", "lines"];
const STAYING_DENSITIES = 3;
const MAX_DENSITY = DENSITIES.length;
const MAX_PAST_DENSITY = 4; // of these ways, for what is past
const ROOMY = -1; // the density with the largest cards, where there is room
const FEW_CARDS = 3; // in all hands of a table with few cards, on which others have no lines
const VAST_CARDS = 2; // in all hands of one with very few, whose cards are larger still
const VAST_SHARE = 0.85; // of the room, which such a table takes at most, so that it need not shrink when something is laid
const NARROW_REM = 35; // of a board on which others have a line each, and of a screen that is as low
const MIN_VISIBLE_SHARE = 0.5; // of the width of a card that another one covers: then it is drawn whole
const SPARE_DENSITY = 1; // up to which it is drawn smaller for room that is only spare
const RESERVE_DENSITY = 2; // the same for room that is needed soon
const LINE_REM = 1.5; // of the others that are seen, at least
const PLACES = ["others", "middle", "own", "past"];

/** @param {number} density - from 1 on */
const nameDensity = (density) =>
  [...DENSITIES.slice(0, Math.min(density - 1, STAYING_DENSITIES)), DENSITIES[density - 1]].join(" ");

const rem = () => parseFloat(getComputedStyle(document.documentElement).fontSize); // pixels

/**
 * Whether the next card covers most of the one in a slot of a hand.
 * @param {HTMLElement} slot
 */
const isCovered = (slot) => {
  const next = slot.nextElementSibling;
  /** @type {?HTMLElement} */
  const card = slot.querySelector(".card:not(.back)");
  return next instanceof HTMLElement && card !== null && next.offsetTop === slot.offsetTop &&
    slot.offsetWidth < card.offsetWidth * MIN_VISIBLE_SHARE;
};

/**
 * How a board is made.
 * @typedef {Object} BoardOptions
 * @property {(seat: number) => string} [nameSeat] - what a player is called, where that is not the title of a hand
 * @property {() => void} [onResize] - what is done once it has another width
 * @property {boolean} [hasOwnHand] - whether the own hand lies here, with what its owner has besides; it does unless this says no
 * @property {?HTMLElement} [sheets] - where what is only looked up lies, in place of the board: sheets, and rows of cards
 *   that name who laid each
 */

export class Board {
  #root;
  #nameSeat;
  #onResize;
  #hasOwnHand;
  /** @type {?number} */
  #ownSeat = null; // whose hand is the own one; null for that of the last hand
  /** @type {Map<string, HTMLElement>} */
  #drawn = new Map(); // the element of each zone
  /** @type {Map<string, number>} */
  #heights = new Map(); // the most that each zone has needed: what is below must not jump
  /** @type {?CardOffer} */
  #offered = null; // of the own hand
  /** @type {Record<string, HTMLElement>} */
  #places;
  #width;
  #density = 0; // how small it is drawn; 0: as it is where nobody says how much room there is
  #isFresh = true; // whether it was not fitted into a room yet
  #screenHeight = innerHeight; // in pixels, for which it was last drawn
  #isCompact; // whether others have a line each
  #mostHeld = 0; // cards in all hands at once: a table with few cards had never more

  /**
   * @param {HTMLElement} root - what it is drawn in
   * @param {BoardOptions} [options]
   */
  constructor(root, options = {}) {
    const { nameSeat, onResize, hasOwnHand = true, sheets } = options;
    /** @type {Record<string, Zone>} */
    this.zones = {};
    this.#root = root;
    this.#nameSeat = nameSeat ?? ((/** @type {number} */ seat) => this.#findTitle(seat));
    this.#onResize = onResize;
    this.#hasOwnHand = hasOwnHand;
    this.#isCompact = this.#isNarrow(root.clientWidth);
    root.classList.add("board");
    root.classList.toggle("compact", this.#isCompact);
    this.#places = Object.fromEntries(PLACES.map((name) => [name, element("div", { class: name })]));
    root.replaceChildren(...Object.values(this.#places));
    if (sheets) this.#places.sheets = sheets;
    this.#width = root.clientWidth;
    new ResizeObserver(() => requestAnimationFrame(() => this.#resize(root.clientWidth))).observe(root); // in the next frame: it resizes
  }

  /**
   * Turn the board, so that the hand of a seat is the own one.
   * @param {?number} seat - null for that of the last hand
   */
  turnTo(seat) {
    this.#ownSeat = seat;
  }

  /** What it is drawn in. */
  get root() {
    return this.#root;
  }

  /**
   * The zones of a table after a step.
   * @param {Record<string, Zone>} zones - before it
   * @param {Zones} [changes] - null is a zone that is gone
   * @returns {Record<string, Zone>}
   */
  static merge(zones, changes = {}) {
    const after = { ...zones };
    for (const [key, zone] of Object.entries(changes)) {
      if (zone) after[key] = zone;
      else delete after[key];
    }
    return after;
  }

  /**
   * Show what a step changes.
   * @param {Zones} [changes]
   */
  apply(changes) {
    this.show(Board.merge(this.zones, changes));
  }

  /**
   * Show exactly these zones, in this order: what is as it was is not drawn again.
   * @param {Record<string, Zone>} zones
   */
  show(zones) {
    const before = this.zones;
    for (const key of Object.keys(before)) if (!(key in zones)) this.#remove(key);
    this.zones = zones;
    this.#draw(Object.keys(zones).filter((key) => before[key] !== zones[key]));
  }

  /** @param {string[]} keys - of the zones that are drawn again */
  #draw(keys) {
    const own = this.#listOwn(), hadFew = this.#hasFew;
    this.#countHeld();
    for (const key of keys) this.#drawZone(key, own.includes(key));
    this.#arrange(own);
    this.#keepHeights(keys);
    if (hadFew !== this.#hasFew) this.reset();
  }

  #countHeld() {
    const hands = Object.values(this.zones).filter(({ kind }) => kind === "hand");
    const held = hands.reduce((sum, { cards = [], hidden = 0 }) => sum + cards.length + hidden, 0);
    this.#mostHeld = Math.max(this.#mostHeld, held);
    this.#root.classList.toggle("lone", this.#mostHeld === 1);
  }

  // Whether there are cards, and never were more than can be drawn large on any screen
  get #hasFew() {
    return this.#mostHeld > 0 && this.#mostHeld <= FEW_CARDS;
  }

  /**
   * Make cards of the own hand buttons.
   * @param {?Json[]} cards - null: no card is one any more
   * @param {OnPress} [onPress]
   */
  offer(cards, onPress) {
    this.#offered = cards && { cards: new Set(cards.map(String)), onPress };
    this.#draw(this.#listOwn());
  }

  // The keys of the zones of the own hand
  #listOwn() {
    const hands = Object.entries(this.zones).filter(([, zone]) => zone.kind === "hand");
    const own = hands.findLast(([, zone]) => zone.of === this.#ownSeat) ?? hands.at(-1);
    if (!own || !this.#hasOwnHand) return [];
    const [last, { of: owner }] = own;
    return hands.filter(([key, zone]) => key === last || (owner !== undefined && zone.of === owner)).map(([key]) =>
      key
    );
  }

  /**
   * The seats in the order of play, from the own one on, where others sit around the table.
   * @param {string[]} own - the keys of the zones of the own hand
   */
  #findSeating(own) {
    const hands = Object.entries(this.zones).filter(([key, { kind }]) => kind === "hand" && !own.includes(key));
    const last = own.at(-1);
    return findSeating(hands.map(([, zone]) => zone.of), last === undefined ? this.#ownSeat : this.zones[last].of);
  }

  /**
   * Have the others sit around the table, and what they played lie before them.
   * @param {number[]} seats - in the order of play, from the own one on
   */
  #seatAll(seats) {
    const round = seats.length > 0 && !this.#isCompact, { places, across } = placeAround(seats.length - 1);
    this.#root.classList.toggle("round", round);
    this.#root.style.setProperty(
      "--columns",
      `minmax(0, 1fr) repeat(${across}, minmax(0, ${Math.max(1, 2.7 / across)}fr)) minmax(0, 1fr)`,
    );
    this.#root.style.setProperty("--places", `repeat(${across + 2}, minmax(var(--w), auto))`);
    /** @type {(part: HTMLElement, seat: number | undefined, what: "hand" | "played") => void} */
    const put = (part, seat, what) => {
      const place = places[seats.findIndex((other) => other === seat)];
      part.dataset.side = place ? place.side : "";
      part.style.setProperty("--cell", place ? place[what] : "");
    };
    for (const [key, section] of this.#drawn) {
      const { kind, of: owner, seats: laid } = this.zones[key];
      /** @type {NodeListOf<HTMLElement>} */
      const cards = section.querySelectorAll("[data-seat]");
      if (kind === "hand" && round) put(section, owner, "hand");
      if (round) { for (const card of cards) put(card, Number(card.dataset.seat), "played"); }
      section.classList.toggle(
        "around",
        round && kind === "table" && laid !== undefined && !section.querySelector(".worded"),
      );
    }
  }

  /** @param {number} seat */
  #findTitle(seat) {
    const hand = Object.values(this.zones).find(({ kind, of: owner }) => kind === "hand" && owner === seat);
    return hand ? hand.title : `seat ${seat}`;
  }

  /** @param {string} key - of a zone that is gone */
  #remove(key) {
    this.#drawn.get(key)?.remove();
    this.#drawn.delete(key);
    this.#heights.delete(key);
  }

  /**
   * @param {string} key
   * @param {boolean} isOwn - whether it belongs to the own hand
   */
  #drawZone(key, isOwn) {
    const { [key]: zone } = this.zones;
    const section = this.#drawn.get(key) ?? element("div", { "data-zone": key, role: "group" });
    this.#drawn.set(key, section);
    drawZone(section, zone, {
      isCompact: this.#isCompact,
      isOwn,
      offered: isOwn ? this.#offered : null,
      name: this.#nameSeat,
    });
  }

  /**
   * Put the zones where they belong, in their order; mostly they are there.
   * @param {string[]} own - the keys of the zones of the own hand
   */
  #arrange(own) {
    const places = Object.keys(this.#places);
    const next = Object.fromEntries(places.map((name) => [name, this.#places[name].firstChild]));
    const seats = this.#findSeating(own), others = seats.slice(1); // behind them, the own hand and what is nobody's hand
    /** @param {Zone} zone */
    const rank = (
      { kind, of: owner = -1 },
    ) => (kind === "hand" && others.includes(owner) ? others.indexOf(owner) : others.length);
    for (
      const [key, { kind, rows, seats: laid }] of Object.entries(this.zones).sort(([, one], [, other]) =>
        rank(one) - rank(other)
      )
    ) {
      const hand = own.includes(key) ? "own" : "others",
        past = this.#places.sheets && (rows || laid) ? "sheets" : "past";
      const name = kind === "hand" ? hand : kind === "row" || kind === "text" ? past : "middle";
      const section = this.#drawn.get(key);
      if (!section) continue;
      const here = section === next[name];
      for (const place of places) if (section === next[place]) next[place] = section.nextSibling; // it may come from elsewhere
      if (!here) this.#places[name].insertBefore(section, next[name]);
    }
    this.#seatAll(seats);
  }

  /**
   * Ask for all heights at once, so that the page is laid out once.
   * @param {string[]} keys - of zones that may be higher than before
   */
  #keepHeights(keys) {
    const sections = [...this.#drawn].filter(([key]) => keys.includes(key));
    this.#fan(sections.map(([, section]) => section));
    for (const [, section] of sections) section.style.minHeight = "";
    for (const [key, section] of sections) {
      this.#heights.set(key, Math.max(this.#heights.get(key) ?? 0, section.offsetHeight));
    }
    for (const [key, section] of sections) section.style.minHeight = `${this.#heights.get(key)}px`;
  }

  /**
   * Of cards that are mostly covered only the corners are seen, so these are drawn larger.
   * @param {HTMLElement[]} sections - of zones
   */
  #fan(sections) {
    const fans = sections.map((section) => {
      /** @type {NodeListOf<HTMLElement>} */
      const slots = section.querySelectorAll(".slot");
      return { section, slots, covered: new Set([...slots].filter(isCovered)) };
    });
    for (const { section, slots, covered } of fans) {
      section.classList.toggle("fanned", covered.size > 0);
      for (const slot of slots) slot.classList.toggle("covered", covered.has(slot));
    }
  }

  /**
   * Draw everything smaller, step by step, until the board fits; what is left over of the others can be scrolled.
   *
   * It stays as small until the screen has another height, or it is reset: cards that change their size from question to question are worse than small ones.
   * @param {number} height - in pixels
   * @param {boolean} [past] - without it the part above the past has to fit, and the past where that takes no more
   *   than the first steps
   * @param {number} [spare] - pixels of it that are left free where the first steps are enough for that
   * @param {number} [reserve] - pixels more that may soon be needed below it, left free where a few steps are enough
   */
  fit(height, past = true, spare = 0, reserve = 0) {
    const natural =
      () => (past || this.#density < MAX_PAST_DENSITY
        ? this.#root.scrollHeight
        : this.#places.past.offsetTop || this.#root.scrollHeight);
    const needed = () =>
      natural() + (this.#density < SPARE_DENSITY ? spare : 0) + (this.#density < RESERVE_DENSITY ? reserve : 0);
    this.#places.others.style.maxHeight = "";
    if (innerHeight !== this.#screenHeight) this.reset();
    if (this.#isFresh && height < Infinity) { // as large as it can be
      this.#density = ROOMY;
      this.#root.classList.add("roomy");
      const isVast = this.#hasFew && this.#mostHeld <= VAST_CARDS;
      this.#root.classList.toggle("vast", isVast);
      this.#measure();
      if (isVast && natural() > height * VAST_SHARE) {
        this.#root.classList.remove("vast");
        this.#measure();
      }
    }
    this.#isFresh = false;
    if (needed() > height) this.#measure(); // heights are kept where there is room
    while (this.#density < MAX_DENSITY && needed() > height) {
      this.#density += 1;
      this.#root.classList.remove("roomy", "vast");
      if (this.#density) this.#root.dataset.density = nameDensity(this.#density);
      if (this.#density === MAX_DENSITY) this.#setCompact(true);
      this.#measure();
    }
    const { others } = this.#places, over = natural() - height;
    if (over <= 0) return ["tabindex", "role", "aria-label"].forEach((name) => others.removeAttribute(name));
    others.style.maxHeight = `${Math.max(LINE_REM * rem(), others.offsetHeight - over)}px`;
    others.tabIndex = 0; // whoever has no mouse scrolls it, too
    others.setAttribute("role", "region");
    others.setAttribute("aria-label", "Other players");
  }

  /** @param {number} width - in pixels */
  #isNarrow(width) {
    return Math.min(width, window.innerHeight) < NARROW_REM * rem();
  }

  /**
   * Give each of the others a line, or a hand of cards.
   * @param {boolean} isWanted - whether a line
   */
  #setCompact(isWanted) {
    if (this.#isCompact === isWanted) return;
    this.#isCompact = isWanted;
    this.#root.classList.toggle("compact", isWanted);
    const own = this.#listOwn(); // which stays as it is, with the cards that are taken up
    this.#draw(Object.keys(this.zones).filter((key) => !own.includes(key)));
  }

  #measure() {
    this.#heights.clear();
    this.#keepHeights([...this.#drawn.keys()]);
  }

  /** @param {number} width - in pixels */
  #resize(width) {
    if (width === this.#width) return;
    this.#width = width;
    this.reset();
    this.#onResize?.();
  }

  /** Draw everything as large as it can be, and no higher than it is now. */
  reset() {
    this.#density = 0;
    this.#isFresh = true;
    this.#screenHeight = innerHeight;
    this.#root.classList.remove("roomy", "vast");
    delete this.#root.dataset.density;
    this.#setCompact(this.#isNarrow(this.#width) && !this.#hasFew);
    this.#measure();
  }
}
