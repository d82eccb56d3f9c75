// The matches of a site of files as rows of a table: in all, or from the side of a bot; and who beat whom, in a sentence.
"use strict";
(() => {
  const { element } = arena;
  const { labels = "{}", count } = arena.byId("site").dataset;
  const titles = new Map(Object.entries(JSON.parse(labels)));
  const [units, isFewestBest] = JSON.parse(count); // what people count of a score

  const countScore = (score) => (isFewestBest ? 0 - score : score);
  const dropVersion = (id) => id.replace(/@[^@]*$/, "");
  const label = (id) => titles.get(dropVersion(id)) || dropVersion(id); // what people call a bot
  const joinNames = (names) => (names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names.join(""));

  const buildKey = (list, row) => element("a", { href: `match.html#m=${list.keys[row]}` }, list.keys[row]);

  const buildPlayer = (list, row, seat) => {
    const score = list.scores[row][seat], name = label(list.bots[list.seats[row][seat]]);
    const points = score === null ? [] : [" ", element("b", {}, String(countScore(score)))];
    return element("span", { class: `player${list.places[row][seat] === 1 ? " won" : ""}` }, name, ...points);
  };

  const listFailures = (list, row) =>
    (list.verdicts[row] || []).flatMap((kind, seat) => (kind ? [`${label(list.bots[list.seats[row][seat]])}: ${kind}`] : []));

  // Whether a seat won, by the places of all
  const describeOutcome = (places, seat) => {
    if (!places[seat]) return "void";
    if (places[seat] > 1) return "lost";
    return places.some((place, other) => other !== seat && place === 1) ? "tied" : "won";
  };

  // The score of a seat and the best other one
  const describePoints = (scores, seat) => {
    const others = scores.filter((score, other) => other !== seat && score !== null);
    return [scores[seat], ...(others.length ? [Math.max(...others)] : [])].filter((score) => score !== null).map(countScore).join(" : ");
  };

  arena.rows = {
    /**
     * Where a bot is in a list: in all its versions, or in one.
     * @param {MatchColumns} list
     * @param {string} bot - its name or id; empty for none
     * @returns {?Set<number>}
     */
    findBot: (list, bot) =>
      bot ? new Set(list.bots.flatMap((id, at) => (id === bot || dropVersion(id) === bot ? [at] : []))) : null,

    /**
     * Build the row of a match.
     * @param {MatchColumns} list
     * @param {number} row
     * @returns {HTMLElement}
     */
    build: (list, row) => element("tr", {},
      element("th", { scope: "row" }, buildKey(list, row), ...(list.stages[row] ? [" ", element("small", {}, list.stages[row])] : [])),
      element("td", { class: "words players" }, ...list.seats[row].flatMap((_, seat) => [buildPlayer(list, row, seat), " "])),
      element("td", { class: "words" }, list.ends[row]),
      element("td", { class: "words" }, listFailures(list, row).join(", "))),

    /**
     * Build the row of a match from the side of a seat.
     * @param {MatchColumns} list
     * @param {number} row
     * @param {number} seat
     * @returns {HTMLElement}
     */
    buildSide: (list, row, seat) => {
      const places = list.places[row], outcome = describeOutcome(places, seat);
      const others = list.seats[row].flatMap((bot, other) =>
        (other === seat ? [] : [element("span", { class: "player" }, label(list.bots[bot])), " "]));
      return element("tr", {},
        element("th", { scope: "row" }, buildKey(list, row)),
        element("td", { class: `words result ${outcome}` }, outcome),
        element("td", {}, describePoints(list.scores[row], seat)),
        element("td", {}, places[seat] ? `${places[seat]} of ${places.length}` : ""),
        element("td", { class: "words players" }, ...others),
        element("td", { class: "words" }, list.ends[row]),
        element("td", { class: "words" }, (list.verdicts[row] && list.verdicts[row][seat]) || ""));
    },

    /**
     * Say who beat whom, as the pages of a server do.
     * @param {MatchColumns} list
     * @param {number} row
     * @returns {string}
     */
    describe: (list, row) => {
      const players = list.seats[row].map((bot, seat) =>
        ({ name: label(list.bots[bot]), place: list.places[row][seat], score: list.scores[row][seat] }));
      const join = (some) => joinNames(some.map(({ name }) => name));
      if (players.length < 2 || players.some(({ place }) => !place)) return players.map(({ name }) => name).join(" against ");
      const order = [...players].sort((one, other) => one.place - other.place);
      const best = order.filter(({ place }) => place === 1), rest = order.filter(({ place }) => place !== 1);
      const isDuel = order.length === 2 && order.every(({ score }) => score !== null);
      const points = isDuel ? `, ${countScore(order[0].score)} to ${countScore(order[1].score)} ${units}` : "";
      if (best.length === 1) return `${join(best)} beats ${join(rest)}${points}`;
      return `${join(best)} tie${points}${rest.length ? `, ahead of ${join(rest)}` : ""}`;
    },
  };
})();
