// The board on which cards lie: the others' hands above, the table in the middle, the own hand below, and the past.
//
//   const board = new arena.Board(element);
//   board.apply(step.z);                 // zones that changed; null is a zone that is gone
//   board.offer(["QS", "KH"], (card, button) => ...);   // null: no card is a button any more
//   board.fit(600);                      // pixels, of which it takes no more
//
// What a step does not change is not touched.
"use strict";
(() => {
  const ROOMY = -1; // the density with the largest cards, where there is room
  const MAX_DENSITY = 5; // ways to draw a board smaller, in cards.css; at the last one, others have a line each
  const MAX_PAST_DENSITY = 4; // of these ways, for what is past
  const NARROW_REM = 35; // of a board on which others have a line each, and of a screen that is as low
  const MIN_VISIBLE_SHARE = 0.5; // of the width of a card that another one covers: then it is drawn whole
  const SPARE_DENSITY = 1; // up to which it is drawn smaller for room that is only spare
  const LINE_REM = 1.5; // of the others that are seen, at least
  const rem = () => parseFloat(getComputedStyle(document.documentElement).fontSize); // pixels
  const PLACES = ["others", "middle", "own", "past"];
  const { element } = arena;

  // The places at a table of so many others, the own one first, then clockwise: up the left side, along the top, and down
  // the right side. Each has a cell for who sits there and for what they play; the own one has two.
  const placeAround = (others) => {
    const beside = others > 5 ? 2 : 1, across = Math.max(1, others - 2 * beside);
    const place = (side, column, up) => ({ side, cell: beside === 1 ? `1 / ${column} / span 2 / auto` : `${3 - up} / ${column} / auto / auto` });
    /** @type {{side: string, cell: string, played?: string}[]} */
    const places = [{ side: "own", cell: "3 / 1 / auto / -1", played: "2 / 2 / 3 / -2" }];
    for (let at = 1; at <= others; at += 1)
      if (at <= beside) places.push(place("left", 1, at));
      else if (at > others - beside) places.push(place("right", -2, others + 1 - at));
      else places.push({ side: "top", cell: `1 / ${at - beside + 1} / auto / auto` });
    return { places, across };
  };

  arena.Board = class {
    /**
     * @param {HTMLElement} root - what it is drawn in
     * @param {?HTMLElement} [sheets] - where what is only looked up lies, in place of the board: sheets, and rows of cards
     *   that name who laid each
     */
    constructor(root, sheets) {
      this.zones = new Map();
      this.drawn = new Map(); // the element of each zone
      this.heights = new Map(); // the most that each zone has needed: what is below must not jump
      this.offered = null; // the cards of the own hand that are buttons, and what a press does
      this.onresize = null; // what is done once it has another width
      this.nameSeat = null; // what a player is called, as a function of the seat, where that is not the title of a hand
      this.hasOwnHand = true; // whether the own hand lies here: the last one, and what its owner has besides
      this.seat = null; // who looks, where the own hand lies elsewhere
      this.own = null; // whose hand is the own one, where that is not the last one
      this.root = root;
      this.density = 0; // how small it is drawn; 0: as it is where nobody says how much room there is
      this.isFresh = true; // whether it was not fitted into a room yet
      this.compact = this.#isNarrow(root.clientWidth); // do others have a line each?
      root.classList.add("board");
      root.classList.toggle("compact", this.compact);
      /** @type {Record<string, HTMLElement>} */
      this.places = Object.fromEntries(PLACES.map((name) => [name, element("div", { class: name })]));
      root.replaceChildren(...Object.values(this.places));
      if (sheets) this.places.sheets = sheets;
      this.width = root.clientWidth;
      new ResizeObserver(() => requestAnimationFrame(() => this.#resize(root.clientWidth))).observe(root); // in the next frame: it resizes
    }

    /**
     * Merge the zones of a step.
     * @param {Zones} [zones]
     */
    apply(zones) {
      const entries = Object.entries(zones || {});
      for (const [key, zone] of entries)
        if (zone === null) this.#remove(key);
        else this.zones.set(key, zone);
      this.#draw(entries.filter(([, zone]) => zone !== null).map(([key]) => key));
    }

    /**
     * Show exactly these zones, in this order: what is as it was is not drawn again.
     * @param {Object<string, Zone>} zones
     */
    show(zones) {
      const before = this.zones;
      for (const key of before.keys()) if (!(key in zones)) this.#remove(key);
      this.zones = new Map(Object.entries(zones));
      this.#draw([...this.zones.keys()].filter((key) => before.get(key) !== zones[key]));
    }

    #draw(keys) {
      const own = this.#listOwn();
      for (const key of keys) this.#drawZone(key, own.includes(key));
      this.#arrange(own);
      this.#keepHeights(keys);
    }

    /**
     * Make cards of the own hand buttons.
     * @param {?any[]} cards - null: no card is one any more
     * @param {(card: any, button: HTMLElement) => void} [onPress]
     */
    offer(cards, onPress) {
      this.offered = cards && { cards: new Set(cards.map(String)), onPress };
      this.#draw(this.#listOwn());
    }

    // The keys of the zones of the own hand
    #listOwn() {
      const hands = [...this.zones].filter(([, zone]) => zone.kind === "hand");
      const own = hands.findLast(([, zone]) => zone.of === this.own) ?? hands.at(-1);
      if (!own || !this.hasOwnHand) return [];
      const [last, { of: owner }] = own;
      return hands.filter(([key, zone]) => key === last || (owner !== undefined && zone.of === owner)).map(([key]) => key);
    }

    // The seats of all hands in the order of play, from the own one on; none where fewer than two others have a hand each
    #findSeating(own) {
      const owners = [...this.zones].filter(([key, { kind }]) => kind === "hand" && !own.includes(key)).map(([, zone]) => zone.of);
      const first = own.length ? this.zones.get(own.at(-1)).of : this.seat;
      const seats = [...new Set([...owners, first])].sort((a, b) => a - b), others = seats.length - 1;
      const clear = seats.every(Number.isInteger) && owners.filter((owner) => owner !== first).length === others;
      if (others < 2 || !clear) return [];
      const before = seats.indexOf(first);
      return [...seats.slice(before), ...seats.slice(0, before)];
    }

    // Have the others sit around the table, and what they played lie before them
    #seatAll(seats) {
      const round = seats.length > 0 && !this.compact, { places, across } = placeAround(seats.length - 1);
      this.root.classList.toggle("round", round);
      this.root.style.setProperty("--columns", `minmax(0, 1fr) repeat(${across}, minmax(0, ${Math.max(1, 2.7 / across)}fr)) minmax(0, 1fr)`);
      this.root.style.setProperty("--places", `repeat(${across + 2}, minmax(var(--w), auto))`);
      const put = (part, seat, kind) => {
        const place = places[seats.indexOf(seat)];
        part.dataset.side = place ? place.side : "";
        part.style.setProperty("--cell", place ? place[kind] ?? place.cell : "");
      };
      for (const [key, section] of this.drawn) {
        const { kind, of: owner, seats: laid } = this.zones.get(key), cards = [...section.querySelectorAll("[data-seat]")];
        if (kind === "hand" && round) put(section, owner, "cell");
        if (round) for (const card of cards) put(card, Number(card.dataset.seat), "played");
        section.classList.toggle("around", round && kind === "table" && laid !== undefined && !section.querySelector(".worded"));
      }
    }

    #findTitle(seat) {
      const hand = [...this.zones.values()].find(({ kind, of: owner }) => kind === "hand" && owner === seat);
      return hand ? hand.title : `seat ${seat}`;
    }

    #remove(key) {
      this.zones.delete(key);
      const gone = this.drawn.get(key);
      if (gone) gone.remove();
      this.drawn.delete(key);
      this.heights.delete(key);
    }

    #drawZone(key, isOwn) {
      const zone = this.zones.get(key);
      const section = this.drawn.get(key) || element("div", { "data-zone": key, role: "group" });
      this.drawn.set(key, section);
      const isLine = zone.kind === "hand" && this.compact && !isOwn;
      const name = this.nameSeat || ((seat) => this.#findTitle(seat));
      arena.drawZone(section, zone, { isCompact: this.compact, isLine, offered: isOwn ? this.offered : null, name });
    }

    // Put the zones where they belong, in their order; mostly they are there
    #arrange(own) {
      const places = Object.keys(this.places);
      const next = Object.fromEntries(places.map((name) => [name, this.places[name].firstChild]));
      const seats = this.#findSeating(own), others = seats.slice(1); // behind them, the own hand and what is nobody's hand
      const rank = ({ kind, of: owner }) => (kind === "hand" && others.includes(owner) ? others.indexOf(owner) : others.length);
      for (const [key, { kind, rows, seats: laid }] of [...this.zones].sort(([, one], [, other]) => rank(one) - rank(other))) {
        const hand = own.includes(key) ? "own" : "others", past = this.places.sheets && (rows || laid) ? "sheets" : "past";
        const name = kind === "hand" ? hand : kind === "row" || kind === "text" ? past : "middle";
        const section = this.drawn.get(key);
        const here = section === next[name];
        for (const place of places) if (section === next[place]) next[place] = section.nextSibling; // it may come from elsewhere
        if (!here) this.places[name].insertBefore(section, next[name]);
      }
      this.#seatAll(seats);
    }

    // Ask for all heights at once, so that the page is laid out once
    #keepHeights(keys) {
      const sections = keys.map((key) => [key, this.drawn.get(key)]);
      this.#fan(sections.map(([, section]) => section));
      for (const [, section] of sections) section.style.minHeight = "";
      for (const [key, section] of sections) this.heights.set(key, Math.max(this.heights.get(key) || 0, section.offsetHeight));
      for (const [key, section] of sections) section.style.minHeight = `${this.heights.get(key)}px`;
    }

    // Of cards that are mostly covered only the corners are seen, so these are drawn larger
    #fan(sections) {
      const isCovered = (slot) => {
        const next = slot.nextSibling, card = slot.querySelector(".card:not(.back)");
        return Boolean(next && card && next.offsetTop === slot.offsetTop && slot.offsetWidth < card.offsetWidth * MIN_VISIBLE_SHARE);
      };
      const slots = sections.map((section) => [...section.querySelectorAll(".slot")].map((slot) => [slot, isCovered(slot)]));
      slots.forEach((some, at) => {
        sections[at].classList.toggle("fanned", some.some(([, covered]) => covered));
        for (const [slot, covered] of some) slot.classList.toggle("covered", covered);
      });
    }

    /**
     * Draw everything smaller, step by step, until the board fits; what is left over of the others can be scrolled.
     *
     * It stays as small until it is reset: cards that change their size from question to question are worse than small ones.
     * @param {number} height - in pixels
     * @param {boolean} [past] - without it the part above the past has to fit, and the past where that takes no more
     *   than the first steps
     * @param {number} [spare] - pixels of it that are left free where the first steps are enough for that
     */
    fit(height, past = true, spare = 0) {
      const natural = () => (past || this.density < MAX_PAST_DENSITY ? this.root.scrollHeight : this.places.past.offsetTop || this.root.scrollHeight);
      const needed = () => natural() + (this.density < SPARE_DENSITY ? spare : 0);
      this.places.others.style.maxHeight = "";
      if (this.isFresh && height < Infinity) { // as large as it can be
        this.density = ROOMY;
        this.root.classList.add("roomy");
        this.#measure();
      }
      this.isFresh = false;
      if (needed() > height) this.#measure(); // heights are kept where there is room
      while (this.density < MAX_DENSITY && needed() > height) {
        this.density += 1;
        this.root.classList.remove("roomy");
        if (this.density) this.root.dataset.density = [1, 2, 3].filter((level) => level < this.density).concat(this.density).join(" ");
        if (this.density === MAX_DENSITY) this.#setCompact(true);
        this.#measure();
      }
      const { others } = this.places, over = natural() - height;
      if (over <= 0) return ["tabindex", "role", "aria-label"].forEach((name) => others.removeAttribute(name));
      others.style.maxHeight = `${Math.max(LINE_REM * rem(), others.offsetHeight - over)}px`;
      others.tabIndex = 0; // whoever has no mouse scrolls it, too
      others.setAttribute("role", "region");
      others.setAttribute("aria-label", "Other players");
    }

    #isNarrow(width) {
      return Math.min(width, window.innerHeight) < NARROW_REM * rem();
    }

    // Give each of the others a line, or a hand of cards
    #setCompact(wanted) {
      if (this.compact === wanted) return;
      this.compact = wanted;
      this.root.classList.toggle("compact", wanted);
      const own = this.#listOwn(); // which stays as it is, with the cards that are taken up
      this.#draw([...this.zones.keys()].filter((key) => !own.includes(key)));
    }

    #measure() {
      this.heights.clear();
      this.#keepHeights([...this.drawn.keys()]);
    }

    #resize(width) {
      if (width === this.width) return;
      this.width = width;
      this.reset();
      if (this.onresize) this.onresize();
    }

    /** Draw everything as large as it can be, and no higher than it is now. */
    reset() {
      this.density = 0;
      this.isFresh = true;
      this.root.classList.remove("roomy");
      delete this.root.dataset.density;
      this.#setCompact(this.#isNarrow(this.width));
      this.#measure();
    }
  };
})();
