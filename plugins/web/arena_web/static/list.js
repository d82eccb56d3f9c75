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
 * @type {(list: MatchColumns, filter: Record<string, string>) => (row: number) => boolean}
 */
const buildFilter = (list, filter) => {
  const bot = findBot(list, filter.bot), against = findBot(list, filter.against);
  return (row) => {
    const seats = list.seats[row];
    const own = bot ? seats.flatMap((player, seat) => (bot.has(player) ? [seat] : [])) : [...seats.keys()];
    if (bot && !own.length) return false;
    if (against && !seats.some((player) => against.has(player))) return false;
    if (bot && filter.result && !own.some((seat) => RESULTS[filter.result].includes(findSeatResult(list, row, seat).result))) return false;
    if (filter.end ? list.ends[row] !== filter.end : list.ends[row] === "cancelled") return false;
    const verdicts = list.verdicts[row] || [];
    return !filter.verdict || own.some((seat) => verdicts[seat] === filter.verdict);
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
  #fields;
  #lists; // their numbers, the newest first
  /** @type {Record<string, string>} */
  #filter = {}; // what is asked for, by the names of the fields
  #rowCount = 0; // of the rows that are shown
  #iterator = this.#iterateRows();

  /** @param {HTMLElement} root */
  constructor(root) {
    this.#rows = find(root, "tbody");
    this.#more = find(root, "[data-more]");
    this.#status = find(root, "[data-said]");
    this.#headings = root.querySelectorAll("[data-side]");
    this.#form = find(root, "form");
    this.#fields = Object.fromEntries(FILTERS.map((name) => [name, find(root, `select[name=${name}]`)]));
    this.#lists = String(root.dataset.lists).split(" ").filter(Boolean).map(Number).sort((one, other) => other - one);
    this.#listen();
    this.#begin();
  }

  #listen() {
    this.#fields.bot.addEventListener("change", () => this.#allowResult());
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
    this.#fields.result.disabled = !this.#fields.bot.value;
  }

  // Show the matches that the address asks for, from the newest on
  #begin() {
    const parts = new URLSearchParams(location.hash.slice(1));
    this.#filter = Object.fromEntries(FILTERS.map((key) => [key, parts.get(key) || ""]));
    for (const key of FILTERS) {
      const field = this.#fields[key], value = this.#filter[key];
      const isUnlisted = key !== "result" && value && ![...field.options].some((option) => option.value === value);
      if (isUnlisted) field.add(new Option(value, value)); // one version of a bot
      field.value = value;
    }
    this.#filter.result = this.#fields.result.value; // "" for what is no result
    this.#allowResult();
    for (const heading of this.#headings) heading.hidden = (heading.dataset.side === "bot") !== Boolean(this.#filter.bot);
    this.#rows.replaceChildren();
    this.#iterator = this.#iterateRows();
    this.#rowCount = 0;
    return this.#show();
  }

  async *#iterateRows() {
    for (const number of this.#lists) {
      const list = await loadList(number);
      const isWanted = buildFilter(list, this.#filter), bot = findBot(list, this.#filter.bot);
      /** @type {(row: number) => number} */
      const findSeat = (row) => list.seats[row].findIndex((player) => bot?.has(player));
      for (let row = list.keys.length - 1; row >= 0; row -= 1)
        if (isWanted(row))
          yield bot ? buildSide(list, row, findSeat(row)) : buildRow(list, row);
    }
  }

  async #show() {
    const iterator = this.#iterator, rows = [];
    let isOver = false;
    try {
      while (rows.length < PAGE_MATCHES && !isOver) {
        const { value, done } = await iterator.next();
        isOver = Boolean(done);
        if (value) rows.push(value);
      }
    } catch (problem) {
      this.#status.textContent = problem instanceof Error ? problem.message : String(problem);
      return;
    }
    if (iterator !== this.#iterator) return; // something else is asked for by now
    this.#rows.append(...rows);
    this.#rowCount += rows.length;
    this.#more.hidden = isOver;
    this.#status.textContent = this.#rowCount ? `${this.#rowCount} matches shown${isOver ? " (all)" : ""}` : "No matches.";
  }
}

new MatchList(byId("site"));
