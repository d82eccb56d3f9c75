// The list of all matches of a site of files, the newest first, with filters that stand in the address.

import { loadList } from "./data.js";
import { byId, find } from "./elements.js";
import { buildRow, buildSide, findBot, findSeatResult } from "./rows.js";

/** @typedef {import("./data.js").MatchColumns} MatchColumns */

const PAGE_MATCHES = 50; // matches that are shown at once
const FILTERS = ["bot", "against", "result", "verdict", "end"];
/** @type {Record<string, string[]>} */
const RESULTS = { won: ["won", "tied"], lost: ["lost"] }; // those that each choice finds

/**
 * Which rows the filters let through, as a function.
 * @type {(list: MatchColumns, wanted: Record<string, string>) => (row: number) => boolean}
 */
const buildFilter = (list, wanted) => {
  const bot = findBot(list, wanted.bot), against = findBot(list, wanted.against);
  return (row) => {
    const seats = list.seats[row];
    const own = bot ? seats.flatMap((player, seat) => (bot.has(player) ? [seat] : [])) : [...seats.keys()];
    if (bot && !own.length) return false;
    if (against && !seats.some((player) => against.has(player))) return false;
    if (bot && wanted.result && !own.some((seat) => RESULTS[wanted.result].includes(findSeatResult(list, row, seat).result))) return false;
    if (wanted.end ? list.ends[row] !== wanted.end : list.ends[row] === "cancelled") return false;
    const verdicts = list.verdicts[row] || [];
    return !wanted.verdict || own.some((seat) => verdicts[seat] === wanted.verdict);
  };
};

class MatchList {
  #rows;
  #more;
  #status;
  /** @type {NodeListOf<HTMLElement>} */
  #headings;
  /** @type {HTMLFormElement} */
  #form;
  /** @type {Record<string, HTMLSelectElement>} */
  #filters;
  #lists; // their numbers, the newest first
  /** @type {Record<string, string>} */
  #wanted = {}; // by the filters
  #shown = 0; // rows
  #found = this.#iterateRows();

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#rows = find(root, "tbody");
    this.#more = find(root, "[data-more]");
    this.#status = find(root, "[data-said]");
    this.#headings = root.querySelectorAll("[data-side]");
    this.#form = find(root, "form");
    this.#filters = Object.fromEntries(FILTERS.map((name) => [name, find(root, `select[name=${name}]`)]));
    this.#lists = String(root.dataset.lists).split(" ").filter(Boolean).map(Number).sort((one, other) => other - one);
    this.#listen();
    this.#begin();
  }

  #listen() {
    this.#filters.bot.addEventListener("change", () => this.#allowResult());
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      const fields = [...new FormData(this.#form)].map(([name, value]) => [name, String(value)]);
      const wanted = new URLSearchParams(fields.filter(([, value]) => value));
      history.replaceState(null, "", `#${wanted}`);
      this.#begin();
    });
    this.#more.addEventListener("click", () => this.#show());
    window.addEventListener("hashchange", () => this.#begin());
  }

  // A result is that of a bot
  #allowResult() {
    this.#filters.result.disabled = !this.#filters.bot.value;
  }

  // Show the matches that the address asks for, from the newest on
  #begin() {
    const parts = new URLSearchParams(location.hash.slice(1));
    this.#wanted = Object.fromEntries(FILTERS.map((key) => [key, parts.get(key) || ""]));
    for (const key of FILTERS) {
      const field = this.#filters[key], value = this.#wanted[key];
      const isUnlisted = key !== "result" && value && ![...field.options].some((option) => option.value === value);
      if (isUnlisted) field.add(new Option(value, value)); // one version of a bot
      field.value = value;
    }
    this.#wanted.result = this.#filters.result.value; // "" for what is no result
    this.#allowResult();
    for (const heading of this.#headings) heading.hidden = (heading.dataset.side === "bot") !== Boolean(this.#wanted.bot);
    this.#rows.replaceChildren();
    this.#found = this.#iterateRows();
    this.#shown = 0;
    return this.#show();
  }

  async *#iterateRows() {
    for (const number of this.#lists) {
      const list = await loadList(number);
      const isWanted = buildFilter(list, this.#wanted), bot = findBot(list, this.#wanted.bot);
      /** @type {(row: number) => number} */
      const findSeat = (row) => list.seats[row].findIndex((player) => bot?.has(player));
      for (let row = list.keys.length - 1; row >= 0; row -= 1)
        if (isWanted(row))
          yield bot ? buildSide(list, row, findSeat(row)) : buildRow(list, row);
    }
  }

  async #show() {
    const found = this.#found, rows = [];
    let isOver = false;
    try {
      while (rows.length < PAGE_MATCHES && !isOver) {
        const { value, done } = await found.next();
        isOver = Boolean(done);
        if (value) rows.push(value);
      }
    } catch (problem) {
      this.#status.textContent = problem instanceof Error ? problem.message : String(problem);
      return;
    }
    if (found !== this.#found) return; // something else is asked for by now
    this.#rows.append(...rows);
    this.#shown += rows.length;
    this.#more.hidden = isOver;
    this.#status.textContent = this.#shown ? `${this.#shown} matches shown${isOver ? " (all)" : ""}` : "No matches.";
  }
}

new MatchList(byId("site"));
