// The page of who watches a match: it sees what all players see.

import { MatchPage } from "./match.js";
import { CLOSED } from "./phases.js";
import { Table } from "./table.js";

/** @extends {MatchPage<Table>} */
class SpectatorPage extends MatchPage {
  #problem = ""; // why nothing more comes

  constructor() {
    super(new Table(arena.byId("match")), false);
    arena.byId("skip").addEventListener("click", () => this.pace.skip());
    addEventListener("resize", () => this.table.fit());
  }

  listEvents() {
    return { ...super.listEvents(), moved: () => location.reload() }; // other people sit down
  }

  /** @param {MatchEnd} end */
  beginEnd(end) {
    arena.byId("skip").hidden = false;
    super.beginEnd(end);
  }

  describeTurn() {
    if (this.table.isOver) return "The match is over";
    return this.#problem || (this.words.hasBegun ? "In play" : "Waiting for the players");
  }

  /** @param {MatchEnd} end */
  finish(end) {
    arena.byId("skip").hidden = true;
    super.finish(end);
  }

  closeTable() {
    this.#problem = CLOSED;
    super.closeTable();
  }
}

new SpectatorPage().open();
