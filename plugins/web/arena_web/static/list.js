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
    if (
      bot && filter.result &&
      !own.some((seat) => RESULTS[filter.result].includes(findSeatResult(list, row, seat).result))
    ) return false;
    if (filter.end ? list.ends[row] !== filter.end : list.ends[row] === "cancelled") return false;
    const verdicts = list.verdicts[row] || [];
    return !filter.verdict || own.some((seat) => verdicts[seat] === filter.verdict);
  };
};

/** The matches that the filters let through, the newest first, as far as they are asked for. */
class Search {
  #lists; // numbers of those that are not loaded yet, the newest first
  #filter;
  /** @type {(() => HTMLElement)[]} */
  #builders = []; // of the rows that were found and not taken yet

  /**
   * @param {number[]} lists - their numbers, the newest first
   * @param {Record<string, string>} filter - what is asked for, by the names of the fields
   */
  constructor(lists, filter) {
    this.#lists = [...lists];
    this.#filter = filter;
  }

  /** Whether all matches have been taken. */
  get isOver() {
    return !this.#builders.length && !this.#lists.length;
  }

  /**
   * Load lists until so many rows can be taken; a list that fails is the first that is loaded the next time.
   * @param {number} count
   */
  async load(count) {
    while (this.#builders.length < count && this.#lists.length) {
      const list = await loadList(this.#lists[0]);
      this.#lists.shift();
      this.#find(list);
    }
  }

  /**
   * Take the next rows, of those that are loaded.
   * @param {number} count - at most
   */
  take(count) {
    return this.#builders.splice(0, count).map((build) => build());
  }

  /** @param {MatchColumns} list */
  #find(list) {
    const isWanted = buildFilter(list, this.#filter);
    const bot = findBot(list, this.#filter.bot);
    /** @param {number} row */
    const build = (
      row,
    ) => (bot ? buildSide(list, row, list.seats[row].findIndex((player) => bot.has(player))) : buildRow(list, row));
    for (let row = list.keys.length - 1; row >= 0; row -= 1) {
      if (isWanted(row)) this.#builders.push(() => build(row));
    }
  }
}

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
  #rowCount = 0; // of the rows that are shown
  #search = new Search([], {});

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
    this.#more.addEventListener("click", () => this.#showMore());
    window.addEventListener("hashchange", () => this.#begin());
  }

  // A result is that of a bot
  #allowResult() {
    this.#fields.result.disabled = !this.#fields.bot.value;
  }

  // Show the matches that the address asks for, from the newest on
  #begin() {
    const parts = new URLSearchParams(location.hash.slice(1));
    for (const key of FILTERS) {
      const field = this.#fields[key];
      const value = parts.get(key) || "";
      const isUnlisted = key !== "result" && value && ![...field.options].some((option) => option.value === value);
      if (isUnlisted) field.add(new Option(value, value)); // one version of a bot
      field.value = value;
    }
    this.#allowResult();
    const filter = Object.fromEntries(FILTERS.map((key) => [key, this.#fields[key].value])); // "" for what is no result
    for (const heading of this.#headings) heading.hidden = (heading.dataset.side === "bot") !== Boolean(filter.bot);
    this.#rows.replaceChildren();
    this.#search = new Search(this.#lists, filter);
    this.#rowCount = 0;
    this.#show(this.#search);
  }

  // The button keeps the focus while it cannot be used, so it is not disabled
  #showMore() {
    if (this.#more.ariaDisabled !== "true") this.#show(this.#search);
  }

  /**
   * Show the next matches of a search, unless there is another one by then.
   * @param {Search} search
   */
  async #show(search) {
    this.#more.ariaDisabled = "true";
    /** @type {?Error} */
    const problem = await search.load(PAGE_MATCHES).then(() => null, (error) => error);
    if (search !== this.#search) return;
    this.#more.ariaDisabled = "false";
    const rows = search.take(PAGE_MATCHES);
    this.#more.hidden = search.isOver;
    this.#rows.append(...rows);
    this.#rowCount += rows.length;
    this.#status.textContent = problem
      ? `${problem.message}: press “Show older matches” to try again`
      : this.#describeCount();
  }

  #describeCount() {
    if (!this.#rowCount) return "No matches.";
    return `${this.#rowCount} matches shown${this.#search.isOver ? " (all)" : ""}`;
  }
}

new MatchList(byId("site"));
