// How a match ended: who won, and a row for each player.

// A count with its unit, of which only the number is large
/** @param {string} count */
function buildCount(count) {
  const [number, ...unit] = count.split(" ");
  return [number, " ", arena.element("small", {}, unit.join(" "))];
}

/**
 * @param {PlayerResult} row
 * @param {string | undefined} counted - over which matches, if over several
 * @param {HTMLElement[]} cards
 */
function buildRow(row, counted, cards) {
  const hints = row.hints ? ` · ${arena.counted(row.hints, "hint")}` : "";
  return arena.element("tr", { class: row.you ? "you" : null },
    arena.element("td", {}, String(row.place)),
    arena.element("th", { scope: "row" }, (row.you ? "You" : row.name) + hints),
    arena.element("td", { class: "score" }, ...(row.verdict ? [row.verdict] : buildCount(row.count))),
    ...(counted ? [arena.element("td", { class: "score" }, ...buildCount(row.total ?? ""))] : []),
    arena.element("td", { class: "cards" }, ...cards));
}

/**
 * Show the end of a match.
 * @param {MatchEnd} end
 * @param {(row: PlayerResult) => HTMLElement[]} listCards - the cards that the player of a row held
 */
export function showResult(end, listCards) {
  arena.byId("ended").hidden = false;
  arena.byId("ended").classList.toggle("won", end.outcome === "won");
  arena.byId("ended-title").textContent = end.said;
  const failures = end.rows.filter((row) => row.verdict)
    .map((row) => `${row.you ? "you" : row.name} ${row.verdict === "left" ? "left" : "failed"}`);
  arena.byId("ended-why").textContent = end.end === "forfeited" ? `The match ended early, since ${failures.join(" and ")}.` : "";
  arena.byId("ended-rows").replaceChildren(...end.rows.map((row) => buildRow(row, end.counted_over, listCards(row))));
  arena.byId("ended-over").hidden = !end.counted_over;
  arena.byId("ended-over").textContent = end.counted_over ?? "";
}
