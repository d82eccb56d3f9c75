// The page of who watches a match: it shows what all players see.

import { byId } from "./elements.js";
import { Match } from "./match.js";
import { CLOSED } from "./phases.js";
import { Table } from "./table.js";

const table = new Table(byId("match")), skip = byId("skip");
let isGone = false; // whether nothing more comes

/** @type {Match} */
const match = new Match(table, {
  isKeptHidden: false,
  handlers: {
    moved: () => location.reload(), // other people sit down
    end: () => {
      skip.hidden = false;
    },
  },
  draw: () => match.words.say("", ""),
  finish: () => {
    skip.hidden = true;
  },
  describeTurn: () => {
    if (table.isOver) return "The match is over";
    if (isGone) return CLOSED;
    return match.words.hasBegun ? "In play" : "Waiting for the players";
  },
  showConnection: (state) => {
    isGone = state === "gone";
  },
});

skip.addEventListener("click", () => match.pace.skip());
addEventListener("resize", () => table.fit());
match.follow();
