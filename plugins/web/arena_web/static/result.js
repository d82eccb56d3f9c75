// How a match ended: who won, and a row for each player.

import { byId, element } from "./elements.js";
import { formatCount } from "./texts.js";

// A count with its unit, of which only the number is large
/** @param {string} count */
function buildCount(count) {
  const [number, ...unit] = count.split(" ");
  return [number, " ", element("small", {}, unit.join(" "))];
}

/**
 * @param {PlayerResult} row
 * @param {string | undefined} counted - over which matches, if over several
 * @param {HTMLElement[]} cards
 */
function buildRow(row, counted, cards) {
  const hints = row.hints ? ` · ${formatCount(row.hints, "hint")}` : "";
  return element(
    "tr",
    { class: row.you ? "you" : null },
    element("td", {}, String(row.place)),
    element("th", { scope: "row" }, (row.you ? "You" : row.name) + hints),
    element("td", { class: "score" }, ...(row.verdict ? [row.verdict] : buildCount(row.count))),
    ...(counted ? [element("td", { class: "score" }, ...buildCount(row.total ?? ""))] : []),
    element("td", { class: "cards" }, ...cards),
  );
}

/**
 * Show the end of a match.
 * @param {MatchEnd} end
 * @param {(row: PlayerResult) => HTMLElement[]} listCards - the cards that the player of a row held
 */
export function showResult(end, listCards) {
  byId("ended").hidden = false;
  byId("ended").classList.toggle("won", end.outcome === "won");
  byId("ended-title").textContent = end.said;
  const failures = end.rows.filter((row) => row.verdict)
    .map((row) => `${row.you ? "you" : row.name} ${row.verdict === "left" ? "left" : "failed"}`);
  byId("ended-why").textContent = end.end === "forfeited"
    ? `The match ended early, since ${failures.join(" and ")}.`
    : "";
  byId("ended-rows").replaceChildren(...end.rows.map((row) => buildRow(row, end.counted_over, listCards(row))));
  byId("ended-over").hidden = !end.counted_over;
  byId("ended-over").textContent = end.counted_over ?? "";
}
