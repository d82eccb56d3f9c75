// The matches of a site of files as rows of a table: in all, or from the side of a bot. Python has the words of
// results, the same as on the pages of a server; scripts fill in names.

import { byId, element } from "./elements.js";

/** @typedef {import("./data.js").MatchColumns} MatchColumns */

/** @type {Map<string, string>} */
const titles = new Map(Object.entries(JSON.parse(byId("site").dataset.labels || "{}"))); // of bots

/** @type {(id: string) => string} */
const dropVersion = (id) => id.replace(/@[^@]*$/, "");
/** @type {(id: string) => string} */
const label = (id) => titles.get(dropVersion(id)) || dropVersion(id); // what people call a bot
/** @type {(list: MatchColumns, row: number, seat: number) => string} */
const labelSeat = (list, row, seat) => label(list.bots[list.seats[row][seat]]);
/** @type {(list: MatchColumns, row: number) => MatchColumns["results"][number]} */
const getResult = (list, row) => list.results[list.result_of[row]];

/** @type {(list: MatchColumns, row: number) => HTMLElement} */
const buildKey = (list, row) => element("a", { href: `match.html#m=${list.keys[row]}` }, list.keys[row]);

/** @type {(list: MatchColumns, row: number, seat: number) => HTMLElement} */
const buildPlayer = (list, row, seat) => {
  const { result, count } = findSeatResult(list, row, seat), isFirst = result === "won" || result === "tied";
  return element(
    "span",
    { class: `player${isFirst ? " won" : ""}` },
    labelSeat(list, row, seat),
    ...(count ? [" ", element("b", {}, count)] : []),
  );
};

/** @type {(list: MatchColumns, row: number) => string[]} */
const listVerdicts = (list, row) => list.verdicts[row] || [];

/** @type {(list: MatchColumns, row: number) => string[]} */
const listFailures = (list, row) =>
  listVerdicts(list, row).flatMap((kind, seat) => (kind ? [`${labelSeat(list, row, seat)}: ${kind}`] : []));

/**
 * Where a bot is in a list: in all its versions, or in one.
 * @param {MatchColumns} list
 * @param {string} bot - its name or id; empty for none
 */
export function findBot(list, bot) {
  return bot ? new Set(list.bots.flatMap((id, at) => (id === bot || dropVersion(id) === bot ? [at] : []))) : null;
}

/**
 * How a match ended for a seat, in words.
 * @param {MatchColumns} list
 * @param {number} row
 * @param {number} seat
 */
export function findSeatResult(list, row, seat) {
  const [, seats] = getResult(list, row), [result, count, score, place] = seats[seat];
  return { result, count, score, place };
}

/**
 * Build the row of a match.
 * @param {MatchColumns} list
 * @param {number} row
 */
export function buildRow(list, row) {
  return element(
    "tr",
    {},
    element(
      "th",
      { scope: "row" },
      buildKey(list, row),
      ...(list.stages[row] ? [" ", element("small", {}, list.stages[row])] : []),
    ),
    element(
      "td",
      { class: "words players" },
      ...list.seats[row].flatMap((_, seat) => [buildPlayer(list, row, seat), " "]),
    ),
    element("td", { class: "words" }, list.ends[row]),
    element("td", { class: "words" }, listFailures(list, row).join(", ")),
  );
}

/**
 * Build the row of a match from the side of a seat.
 * @param {MatchColumns} list
 * @param {number} row
 * @param {number} seat
 */
export function buildSide(list, row, seat) {
  const { result, score, place } = findSeatResult(list, row, seat);
  const others = list.seats[row].flatMap((
    bot,
    other,
  ) => (other === seat ? [] : [element("span", { class: "player" }, label(list.bots[bot])), " "]));
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, buildKey(list, row)),
    element("td", { class: `words result ${result}` }, result),
    element("td", {}, score),
    element("td", {}, place),
    element("td", { class: "words players" }, ...others),
    element("td", { class: "words" }, list.ends[row]),
    element("td", { class: "words" }, listVerdicts(list, row)[seat] || ""),
  );
}

/**
 * Say who won.
 * @param {MatchColumns} list
 * @param {number} row
 */
export function describeMatch(list, row) {
  const [sentence] = getResult(list, row);
  return sentence.replace(
    /\{(\d+)\}/g,
    (/** @type {string} */ _, /** @type {number} */ seat) => labelSeat(list, row, seat),
  );
}
