// A zone of a board as elements: its title, what is written beside it, and the cards that lie in it.

import { buildAvatar, buildCard, buildChip, buildSentence, describeCard } from "./cards.js";
import { element } from "./elements.js";
import { formatCount } from "./texts.js";

/** @typedef {import("./cards.js").CardPlace} CardPlace */

/**
 * The cards that are buttons, as texts, and what a press does.
 * @typedef {{cards: Set<string>, onPress?: import("./cards.js").OnPress}} CardOffer
 */

/**
 * How a zone is drawn.
 * @typedef {Object} ZoneLook
 * @property {boolean} isCompact - whether others have a line each
 * @property {boolean} isOwn - whether this belongs to the own hand
 * @property {?CardOffer} offered
 * @property {(seat: number) => string} name - of a seat
 */

const FEW_LAYERS = 5; // cards of a stack that are drawn each
const MORE_CARDS = 4; // of a higher one, for which one more is drawn
const MAX_LAYERS = 14; // that are drawn, at most
const MAX_BACKS = 13; // cards of a hand that nobody sees, at most
const MAX_CARDS = 13; // of a hand of the others, at most, of which each is seen by itself
const MAX_COUNTERS = 12; // counters that are drawn, at most
/** @type {("won" | "lost" | "received")[]} */
const REMARKS = ["won", "lost", "received"]; // a card has won something, is out of the game, or has just come

const back = () => element("span", { class: "card back", "aria-hidden": "true" });

/** @type {(zone: Zone, at: number) => CardPlace} */
const findPlace = (zone, at) => ({ suit: zone.suit, pack: zone.pack, figure: zone.figures?.[at] });

/** @type {(zone: Zone, at: number) => string} */
const findRemark = (zone, at) => REMARKS.find((remark) => zone[remark]?.includes(at)) ?? "";

/** @type {(card: HTMLElement, remark: string) => HTMLElement} */
const addRemark = (card, remark) => {
  if (!remark) return card;
  card.classList.add(remark);
  const name = card.querySelector(".hidden"); // of a button
  if (name) name.append(`, ${remark}`);
  else card.setAttribute("aria-label", `${card.getAttribute("aria-label")}, ${remark}`);
  return card;
};

/** @param {number} hidden - cards */
const buildStack = (hidden) => {
  const layers = Math.min(hidden, FEW_LAYERS + Math.ceil(Math.max(0, hidden - FEW_LAYERS) / MORE_CARDS), MAX_LAYERS);
  const cards = Array.from({ length: layers }, back);
  cards.forEach((card, at) => card.style.setProperty("--layer", String(at - (layers - 1) / 2)));
  return element(
    "span",
    { class: "laid" },
    element("span", { class: hidden ? "stack" : "stack empty", "aria-hidden": "true" }, ...cards),
    element("span", { class: "by" }, hidden ? formatCount(hidden, "card") : "empty"),
  );
};

/** @param {number} chips */
const buildCounters = (chips) =>
  element(
    "span",
    { class: "chips", "aria-hidden": "true" },
    ...Array.from({ length: Math.min(chips, MAX_COUNTERS) }, () => element("i", {})),
  );

/** @type {(zone: Zone, look: ZoneLook) => HTMLElement} */
const buildWords = (zone, { isCompact, isOwn }) => {
  const { cards = [], hidden = 0, lost = [], chips = 0 } = zone, left = cards.length - lost.length + hidden;
  const isCounted = zone.kind === "hand" && (zone.cards || hidden) && !(lost.length && !left);
  const next = zone.kind === "hand" && isCompact && !isOwn && zone.turn && !zone.act ? ["next"] : []; // elsewhere it is drawn
  const text = [...next, ...(isCounted ? [formatCount(left, "card")] : []), ...(zone.text ? [zone.text] : [])].join(
    " · ",
  );
  const glued = zone.kind === "hand" && !isCompact ? text.replace(/(?<!·) /g, "\u00a0") : text; // a line ends behind a dot, or not at all
  return element("span", { class: "words" }, ...buildSentence(glued), ...(chips ? [buildCounters(chips)] : []));
};

/**
 * Words in rows and columns, such as a sheet of points.
 * @param {Zone} zone
 */
const buildSheet = ({ title, rows: [heads, ...rows] = [] }) => {
  if (!heads) return element("div", { class: "lying" });
  /** @type {(text: string, scope?: string) => HTMLElement} */
  const cell = (text, scope) =>
    element(scope ? "th" : "td", { scope, title: scope === "col" ? text : undefined }, ...buildSentence(text));
  return element(
    "table",
    { class: "sheet", "aria-label": title },
    element("thead", {}, element("tr", {}, ...heads.map((text) => (text ? cell(text, "col") : element("td"))))),
    element(
      "tbody",
      {},
      ...rows.map((row) => element("tr", {}, ...row.map((text, at) => cell(text, at ? undefined : "row")))),
    ),
  );
};

/**
 * The cards of a hand; those that are offered are buttons.
 * @type {(zone: Zone, offered: ?CardOffer) => HTMLElement}
 */
const buildHand = (zone, offered) => {
  const backs = Array.from(
    { length: Math.min(zone.hidden || 0, MAX_BACKS) },
    () => element("span", { class: "slot closed" }, back()),
  );
  const faces = (zone.cards || []).map((card, at) => {
    const remark = findRemark(zone, at),
      isFree = offered && (!remark || remark === "received") && offered.cards.has(String(card));
    return element(
      "span",
      { class: "slot" },
      addRemark(buildCard(card, findPlace(zone, at), isFree ? offered.onPress : null), remark),
    );
  });
  return element("div", { class: "lying" }, ...backs, ...faces);
};

/**
 * A card in the middle, with who played it; one that did not lie there before is new.
 * @type {(card: Card, zone: Zone, at: number, before: Set<string | undefined>, name: ZoneLook["name"]) => HTMLElement}
 */
const buildLaid = (card, zone, at, before, name) => {
  const seat = zone.seats ? zone.seats[at] : undefined, key = `${card}/${seat}`;
  const drawing = addRemark(buildCard(card, findPlace(zone, at)), findRemark(zone, at));
  if (!before.delete(key)) drawing.classList.add("new");
  const by = seat === undefined ? [] : [element("span", { class: "by" }, buildAvatar(seat), name(seat))];
  return element("span", { class: "laid", "data-held": key, "data-seat": seat ?? null }, drawing, ...by);
};

/**
 * Build the cards of a zone small: of a large hand those of a rank are one.
 * @param {Zone} zone
 */
export function buildChips(zone) {
  const { kind, cards = [] } = zone, isLarge = kind === "hand" && cards.length > MAX_CARDS;
  /** @type {Map<string, {cards: Card[], place: CardPlace, remark: string}>} */
  const chips = new Map();
  cards.forEach((card, at) => {
    const place = findPlace(zone, at), remark = findRemark(zone, at), { suit, text } = describeCard(card, place);
    const key = isLarge && suit ? `${text} ${remark}` : String(at),
      chip = chips.get(key) ?? { cards: [], place, remark };
    chip.cards.push(card);
    chips.set(key, chip);
  });
  return [...chips.values()].map((chip) => buildChip(chip.cards, chip.place, chip.remark));
}

/**
 * Small cards in a line, each behind the face of who laid it.
 * @type {(zone: Zone, name: ZoneLook["name"]) => HTMLElement}
 */
const buildLine = (zone, name) => {
  const { cards = [], seats } = zone;
  if (!seats) return element("div", { class: "lying" }, ...buildChips(zone));
  const laid = cards.map((card, at) => {
    const { [at]: seat } = seats, chip = buildChip([card], findPlace(zone, at), findRemark(zone, at));
    return element(
      "span",
      { title: name(seat) },
      buildAvatar(seat),
      element("span", { class: "hidden" }, name(seat)),
      chip,
    );
  });
  return element("div", { class: "lying laid-by" }, ...laid);
};

/** @type {(zone: Zone, before: Set<string | undefined>, look: ZoneLook) => HTMLElement} */
const buildContent = (zone, before, { isCompact, isOwn, offered, name }) => {
  const { kind, cards = [], hidden = 0, text } = zone;
  const isLine = kind === "hand" && !isOwn && (isCompact || cards.length > MAX_CARDS);
  if (kind === "row" || isLine) return buildLine(zone, name);
  if (kind === "hand") return buildHand(zone, offered);
  if (kind === "text") return buildSheet(zone);
  const laid = cards.map((card, at) => buildLaid(card, zone, at, before, name));
  if (hidden || kind === "pile") laid.push(buildStack(hidden));
  if (!laid.length && !text) laid.push(element("span", { class: "laid" }, element("span", { class: "stack empty" })));
  return element("div", { class: "lying" }, ...laid);
};

/**
 * Draw a zone into its element.
 * @param {HTMLElement} section
 * @param {Zone} zone
 * @param {ZoneLook} look
 */
export function drawZone(section, zone, look) {
  /** @type {NodeListOf<HTMLElement>} */
  const laid = section.querySelectorAll("[data-held]");
  const before = new Set([...laid].map((place) => place.dataset.held));
  section.className = `zone ${zone.kind}${zone.cards ? " seen" : ""}`;
  section.setAttribute("aria-label", zone.title);
  section.ariaCurrent = zone.turn ? "true" : null;
  const act = zone.act ? [element("span", { class: "act" }, ...buildSentence(zone.act))] : [];
  const faces = zone.kind === "hand" && zone.of !== undefined ? [buildAvatar(zone.of)] : [];
  section.replaceChildren(
    element("p", { class: "title" }, ...faces, element("b", {}, zone.title), buildWords(zone, look), ...act),
    buildContent(zone, before, look),
  );
}
