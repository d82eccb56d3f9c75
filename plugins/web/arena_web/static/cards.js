// Playing cards: what each is in words and signs, and how it is drawn.
//
//   describeCard("QS")                   // {text: "Q", sign: "♠", colour: "black", name: "queen of spades", ...}
//   spell("You led Q♠")                  // "You led the queen of spades"
//   buildSentence("You led Q♠")          // the nodes of a sentence: signs for the eye, words for the ear
//
// A suit's sign is a path, so that no font is needed; each card is drawn once and then copied.

import { element, svg } from "./elements.js";

/**
 * A suit of a pack, of which a font may have no sign.
 * @typedef {{sign: string, name: string, colour: string, path: string}} Suit
 *
 * The parts of which a figure is drawn.
 * @typedef {[part: string, path: string][]} Figure
 *
 * What a card is in words and signs, and what is drawn in its middle.
 * @typedef {{text: string, sign: string, colour: string, name: string, suit?: Suit, court?: string, figure?: Figure}} CardFace
 *
 * What is known of a card by where it lies, and whose picture it has.
 * @typedef {{suit?: string, pack?: string, figure?: string}} CardPlace
 *
 * What is done where a card is pressed.
 * @typedef {(card: Card, button: HTMLElement) => void} OnPress
 */

/** @type {Record<string, Suit>} */
const SUITS = {
  C: {
    sign: "♣",
    name: "clubs",
    colour: "black",
    path:
      "M-1.4 3.4A5.2 5.2 0 1 1-4.5-3.1A5.2 5.2 0 1 1 4.5-3.1A5.2 5.2 0 1 1 1.4 3.4Q1.6 8.6 4.6 11H-4.6Q-1.6 8.6-1.4 3.4Z",
  },
  D: { sign: "♦", name: "diamonds", colour: "red", path: "M0-12Q3.6-5 8.6 0Q3.6 5 0 12Q-3.6 5-8.6 0Q-3.6-5 0-12Z" },
  H: {
    sign: "♥",
    name: "hearts",
    colour: "red",
    path: "M0 11.5C-3 6.5-10.5 2.5-10.5-4.2C-10.5-11.4-1.6-12 0-5.2C1.6-12 10.5-11.4 10.5-4.2C10.5 2.5 3 6.5 0 11.5Z",
  },
  S: {
    sign: "♠",
    name: "spades",
    colour: "black",
    path:
      "M0-12C3-7 10.5-3.4 10.5 2.6C10.5 8.2 3.6 8.8 1.4 4.8Q1.7 9 4.6 11H-4.6Q-1.7 9-1.4 4.8C-3.6 8.8-10.5 8.2-10.5 2.6C-10.5-3.4-3-7 0-12Z",
  },
};
/** @type {Record<string, string>} */
const WORDS = { A: "ace", J: "jack", Q: "queen", K: "king" };
// Suits of the Italian pack have no signs in fonts
/** @type {Record<string, Suit>} */
const ITALIAN = {
  C: { sign: "", name: "cups", colour: "red", path: "M-9-11H9Q9-1 2 1V6Q7 7 7 11H-7Q-7 7-2 6V1Q-9-1-9-11Z" },
  D: {
    sign: "",
    name: "coins",
    colour: "gold",
    path:
      "M0-11A11 11 0 1 0 0 11 11 11 0 1 0 0-11ZM0-8A8 8 0 1 1 0 8 8 8 0 1 1 0-8ZM0-5L1.6-1.6 5 0 1.6 1.6 0 5-1.6 1.6-5 0-1.6-1.6Z",
  },
  S: {
    sign: "",
    name: "swords",
    colour: "blue",
    path: "M0-12 1.9-9V1.5H9V4.5H1.7V7.5A2.7 2.7 0 1 1-1.7 7.5V4.5H-9V1.5H-1.9V-9Z",
  },
  B: {
    sign: "",
    name: "batons",
    colour: "green",
    path: "M-2.6 12-3 10Q-9 11-10.5 6-6 3.5-3.6 6L-4.6-2A5.6 5.6 0 1 1 4.6-2L4 1Q6-2.5 10.5-.5 9 5 3.4 5L2.6 12Z",
  },
};
/** @type {Record<string, string>} */
const ITALIAN_WORDS = { A: "ace", J: "jack", Q: "horse", K: "king" };
/** @type {Record<string, string>} */
const COURT = { 1: "A", 11: "J", 12: "Q", 13: "K" };
const SIDES = [-1, 1];
/** @type {(...heights: number[]) => number[][]} */
const both = (...heights) => heights.flatMap((y) => SIDES.map((x) => [x, y]));
/** @type {Record<string, number[][]>} */
const PIPS = {
  A: [[0, 0]],
  2: [[0, -1], [0, 1]],
  3: [[0, -1], [0, 0], [0, 1]],
  4: both(-1, 1),
  5: [...both(-1, 1), [0, 0]],
  6: both(-1, 0, 1),
  7: [...both(-1, 0, 1), [0, -0.5]],
  8: [...both(-1, 0, 1), [0, -0.5], [0, 0.5]],
  9: [...both(-1, -1 / 3, 1 / 3, 1), [0, 0]],
  10: [...both(-1, -1 / 3, 1 / 3, 1), [0, -2 / 3], [0, 2 / 3]],
};
// Half a court card, around its middle at (0, 0): what it wears, its hair or beard, and what it wears on its head
/** @type {Record<string, Figure>} */
const COURT_PARTS = {
  jack: [
    ["robe", "M-12 0V-4L-5-8H5L12-4V0Z"],
    ["collar", "M-5-8 0-1 5-8Z"],
    ["face", "M-4.5-18H4.5V-11Q4.5-7 0-7T-4.5-11Z"],
    ["head", "M-8-17 7-17 8-20 2-26H-6L-9-20Z"],
    ["feather", "M5-20Q12-24 10-31 4-29 3-22Z"],
  ],
  queen: [
    ["robe", "M-12 0V-3Q-9-8 0-8T12-3V0Z"],
    ["hair", "M-8-6Q-10-21 0-22 10-21 8-6 5-9 5-14H-5Q-5-9-8-6Z"],
    ["face", "M-4.5-18H4.5V-11Q4.5-7 0-7T-4.5-11Z"],
    ["collar", "M-2.2-4A2.2 2.2 0 1 1 2.2-4 2.2 2.2 0 1 1-2.2-4Z"],
    ["head", "M-8-18Q-9-24-8-27L-4-22 0-29 4-22 8-27Q9-24 8-18Z"],
  ],
  king: [
    ["robe", "M-12 0V-5L-6-8H6L12-5V0Z"],
    ["face", "M-5-19H5V-12H-5Z"],
    ["hair", "M-6-14H-3L0-12 3-14H6Q6-3 0-2-6-3-6-14Z"],
    ["head", "M-9-18V-27L-5-23-3-29 0-24 3-29 5-23 9-27V-18Z"],
    ["feather", "M-.8-34H.8V-32H2.6V-30.4H.8V-28H-.8V-30.4H-2.6V-32H-.8Z"],
  ],
  hood: [
    ["robe", "M-12 0V-4L-5-8H5L12-4V0Z"],
    ["robe", "M-10-5Q-12-20-1-29 12-20 10-5 5-2 0-2T-10-5Z"],
    ["face", "M-4.5-16Q-4-20 0-20T4.5-16V-11Q4.5-7 0-7T-4.5-11Z"],
    ["hair", "M-4.6-13H4.6V-10Q4-6 0-6T-4.6-10Z"],
  ],
  envoy: [
    ["robe", "M-12 0V-3L-6-7H6L12-3V0Z"],
    ["face", "M-4.5-20H4.5V-12Q4.5-8 0-8T-4.5-12Z"],
    ["hair", "M-3.5-12H3.5Q3-6 0-4-3-6-3.5-12Z"],
    ["collar", "M-9-7Q-5-10 0-7 5-10 9-7 5-2 0-4-5-2-9-7Z"],
    ["head", "M-7-19Q-10-25-1-26T9-20Q1-17-7-19Z"],
    ["feather", "M5-24Q12-27 13-33 5-31 4-25Z"],
  ],
  horse: [
    ["robe", "M-12 0Q-12-6-7-8H8Q12-6 12 0Z"],
    ["face", "M-7-6Q-10-22 0-28L1-32 4-28Q10-24 12-15L9-12 3-15Q3-10 8-6Z"],
    ["hair", "M-7-6Q-10-22 0-28 1-24-2-20-4-12-3-6Z"],
    ["collar", "M3-23A1.2 1.2 0 1 1 3-20.6 1.2 1.2 0 1 1 3-23Z"],
  ],
};

// Nothing, glasses, a fringe or a hat: what tells faces apart must not look like a mood
const LOOKS = [
  "",
  "M4 8.5A2.5 2.5 0 1 0 9 8.5 2.5 2.5 0 1 0 4 8.5M11 8.5A2.5 2.5 0 1 0 16 8.5 2.5 2.5 0 1 0 11 8.5M9 8.5H11",
  "M2.5 5.5Q10 3 17.5 5.5",
  "M2 5H18M5 5V2.5H15V5",
];

/**
 * A face for a seat, beside its name: no two of eight have the same colour.
 * @param {number} seat
 */
export function buildAvatar(seat) {
  return svg(
    "svg",
    { class: `avatar seat${seat % 8}`, viewBox: "0 0 20 20", "aria-hidden": "true", focusable: "false" },
    svg("rect", { width: 20, height: 20, rx: 6 }),
    svg("path", { d: `M6.5 8V9.5M13.5 8V9.5M6.5 14Q10 15.8 13.5 14${LOOKS[(seat + (seat >> 3)) % LOOKS.length]}` }),
  );
}

/**
 * What a card is by where it lies.
 * @param {Card} card - rank and suit, a number of the zone's suit, a number or a word by itself
 * @param {CardPlace} [place]
 * @returns {CardFace}
 */
export function describeCard(card, place = {}) {
  const { suit = "", pack, figure = "" } = place;
  const [suits, words] = pack === "italian" ? [ITALIAN, ITALIAN_WORDS] : [SUITS, WORDS];
  const match = /^(10|[2-9TJQKA])([A-Z])$/.exec(String(card));
  const kind = suits[match ? match[2] : suit];
  if (!kind) return { text: String(card), sign: "", colour: "black", name: String(card), figure: COURT_PARTS[figure] };
  const rank = match ? match[1].replace("T", "10") : COURT[card] || String(card);
  const { [rank]: word = "" } = words;
  const text = word ? word[0].toUpperCase() : rank; // as people call it: an H for a horse
  return {
    text,
    suit: kind,
    sign: kind.sign || ` of ${kind.name}`,
    colour: kind.colour,
    court: word,
    name: `${word || rank} of ${kind.name}`,
  };
}

const WRITTEN = /(10|[2-9AJQK])?([♣♦♥♠])/g; // a card or a suit in a sentence
/** @type {Record<string, string>} */
const LETTERS = Object.fromEntries(Object.entries(SUITS).map(([letter, { sign }]) => [sign, letter]));
/** @type {(rank: string | undefined, sign: string) => string} */
const nameWritten = (rank, sign) => (rank ? describeCard(rank + LETTERS[sign]).name : SUITS[LETTERS[sign]].name);

/** @type {(written: string, rank: string | undefined, sign: string, at: number, text: string) => string} */
const nameWithArticle = (_, rank, sign, at, text) =>
  (rank && !/\bthe $/i.test(text.slice(0, at)) ? "the " : "") + nameWritten(rank, sign); // which keeps a card apart from a name that ends with a number

/**
 * Write a sentence for the ear: "You led the queen of spades".
 * @param {string} text - with signs of suits
 */
export function spell(text) {
  return text.replace(/([♣♦♥♠]) (?=(?:10|[2-9AJQK])[♣♦♥♠])/g, "$1, ").replace(WRITTEN, nameWithArticle);
}

/**
 * Build the nodes of a sentence: signs for the eye, words for the ear.
 * @param {string} text
 */
export function buildSentence(text) {
  const nodes = [];
  let end = 0;
  for (const { 0: written, 1: rank, 2: sign, index = 0 } of text.matchAll(WRITTEN)) {
    nodes.push(
      text.slice(end, index),
      element("span", { role: "img", "aria-label": nameWritten(rank, sign) }, written),
    );
    end = index + written.length;
  }
  return [...nodes, text.slice(end)];
}

/** @type {(suit: Suit, x: number, y: number, scale: number, turned?: boolean) => SVGElement} */
const drawPip = (suit, x, y, scale, turned) =>
  svg("path", { d: suit.path, transform: `translate(${x} ${y}) scale(${turned ? -scale : scale})` });

/** @type {(face: CardFace, turned: boolean) => SVGElement} */
const drawCorner = (face, turned) => {
  const fitted = face.text.length > 1 ? { textLength: 13, lengthAdjust: "spacingAndGlyphs" } : {}; // beside the pips, in any font
  const rank = svg("text", { x: 8.5, y: 18, class: "rank", ...fitted }, face.text);
  const sign = face.suit ? [drawPip(face.suit, 9, 27.5, 0.48)] : [];
  return svg("g", turned ? { class: "turned", transform: "rotate(180 30 42)" } : { class: "corner" }, rank, ...sign);
};

/** @param {CardFace} face */
const isWord = ({ suit, text }) => !suit && text.length > 3; // such a card lies on its side, to be read

/**
 * The middle of a card without a suit: a number, or a word, which may have a figure.
 * @type {(face: CardFace) => SVGElement[]}
 */
const drawWord = (face) => {
  const size = isWord(face) ? Math.max(9, Math.min(17, 110 / face.text.length)) : 24;
  const fitted = face.text.length > 9 ? { textLength: 70, lengthAdjust: "spacingAndGlyphs" } : {};
  /** @type {(x: number, y: number) => SVGElement} */
  const write = (x, y) => svg("text", { x, y: y + size / 3, class: "word", "font-size": size, ...fitted }, face.text);
  if (!isWord(face)) return [write(30, 42)];
  const hue = [...face.text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 0),
    fill = `hsl(${hue} 60% 86%)`;
  if (!face.figure) return [svg("rect", { x: 3, y: 7, width: 78, height: 30, rx: 4, fill }), write(42, 22)];
  const figure = face.figure.map(([part, d]) => svg("path", { class: part, d }));
  return [
    svg("rect", { x: 3, y: 3, width: 78, height: 36, rx: 4, fill }),
    svg("g", { transform: "translate(42 39)", color: `hsl(${hue} 45% 38%)` }, ...figure),
    write(42, 49),
  ];
};

/** @type {(face: CardFace) => SVGElement[]} */
const drawMiddle = (face) => {
  const { suit, court = "" } = face;
  if (!suit) return drawWord(face);
  const pips = PIPS[face.text];
  if (pips) {
    const scale = face.text === "A" ? 1.15 : 0.46;
    return pips.map(([x, y]) => drawPip(suit, 30 + 9 * x, 42 + 25 * y, scale, y > 0));
  }
  /** @type {(turn: number) => SVGElement} */
  const half = (turn) =>
    svg(
      "g",
      { transform: `translate(30 42) rotate(${turn})` },
      ...(COURT_PARTS[court] || []).map(([part, d]) => svg("path", { class: part, d })),
    );
  return [
    svg("rect", { x: 17, y: 7, width: 26, height: 70, rx: 3, class: "court" }),
    half(0),
    half(180),
    drawPip(suit, 22, 14, 0.34),
    drawPip(suit, 38, 70, 0.34, true),
  ];
};

/** @type {(face: CardFace) => SVGElement} */
const drawFace = (face) => {
  const inner = svg("g", { class: "face-middle" }, ...drawMiddle(face));
  const parts = isWord(face) ? [inner] : [drawCorner(face, false), inner, drawCorner(face, true)];
  const viewBox = isWord(face) ? `0 0 84 ${face.figure ? 60 : 44}` : "0 0 60 84";
  return svg("svg", { viewBox, "aria-hidden": "true", focusable: "false" }, ...parts);
};

/** @type {Map<string, SVGElement>} */
const pictures = new Map(); // by what tells faces apart

/** @type {(face: CardFace) => Node} */
const copyFace = (face) => {
  const key = face.name + Boolean(face.figure), picture = pictures.get(key) ?? drawFace(face);
  pictures.set(key, picture);
  return picture.cloneNode(true);
};

/**
 * Build a card, face up.
 * @param {Card} card
 * @param {CardPlace} [place] - where it lies
 * @param {?OnPress} [onPress] - for one that is a button
 * @returns {HTMLElement}
 */
export function buildCard(card, place, onPress) {
  const face = describeCard(card, place);
  const attributes = {
    class: `card ${face.colour}${isWord(face) ? " worded" : ""}${face.figure ? " figured" : ""}`,
    title: face.name,
  };
  const built = onPress
    ? element(
      "button",
      { ...attributes, type: "button", "data-card": card },
      element("span", { class: "hidden" }, face.name),
      copyFace(face),
    )
    : element("span", { ...attributes, role: "img", "aria-label": face.name }, copyFace(face));
  if (onPress) built.addEventListener("click", () => onPress(card, built));
  return built;
}

/**
 * Build cards of the past: small, their rank and their suits beside each other.
 * @param {Card[]} cards - of one rank, if several
 * @param {CardPlace} place - where they lie
 * @param {string} remark - what became of them; empty for nothing
 */
export function buildChip(cards, place, remark) {
  const faces = cards.map((card) => describeCard(card, place)), [{ text, colour }] = faces;
  const signs = faces.flatMap((
    { suit, colour: own },
  ) => (suit
    ? [
      svg(
        "svg",
        { class: own, viewBox: "-12 -12 24 24", "aria-hidden": "true", focusable: "false" },
        drawPip(suit, 0, 0, 1),
      ),
    ]
    : [])
  );
  const name = faces.map((face) => face.name).join(", ");
  const tone = faces.every((face) => face.colour === colour) ? colour : "";
  return element(
    "span",
    { class: `chip ${tone} ${remark}`, role: "img", "aria-label": remark ? `${name}, ${remark}` : name },
    text,
    ...signs,
  );
}
