// Tables that are sorted by a click on a column's name; long ones can be searched for a name. Without this script they
// stay as they are.

import { element } from "./elements.js";

const MAX_UNSEARCHED_ROWS = 12; // among which one finds a name at a glance

/**
 * What was chosen for a table, and the number by which its controls are found again.
 * @typedef {{number: number, order: ?Order, search: string}} TableState
 *
 * The column by which it is sorted.
 * @typedef {{column: number, isDown: boolean}} Order
 */

/** @type {Map<string, TableState>} */
const states = new Map(); // by captions, so that a table that is made anew stays as it was sorted and searched

/** @type {(table: HTMLTableElement) => TableState} */
const recallState = (table) => {
  const caption = table.caption?.textContent ?? "";
  const state = states.get(caption) ?? { number: states.size, order: null, search: "" };
  states.set(caption, state);
  return state;
};

/** @type {(table: HTMLTableElement) => HTMLTableCellElement[]} */
const listHeads = (table) => (table.tHead ? [...table.tHead.rows[0].cells] : []);

/** @type {(row: HTMLTableRowElement, column: number) => {number: number, text: string}} */
const readCell = (row, column) => {
  const cell = row.cells[column];
  const text = cell.dataset.value ?? (cell.textContent ?? "").trim();
  return { number: parseFloat(text.replace(/,/g, "")), text };
};

/** @type {(one: HTMLTableRowElement, other: HTMLTableRowElement, order: Order) => number} */
const compareRows = (one, other, { column, isDown }) => {
  const [a, b] = [readCell(one, column), readCell(other, column)];
  if (!a.text || !b.text) return Number(Boolean(b.text)) - Number(Boolean(a.text)); // what is not known stands last, either way
  const areFigures = !Number.isNaN(a.number) && !Number.isNaN(b.number);
  const order = areFigures ? a.number - b.number : a.text.localeCompare(b.text);
  return isDown ? -order : order;
};

/** @type {(table: HTMLTableElement, order: Order) => void} */
const sort = (table, order) => {
  const [body] = table.tBodies;
  body.append(...[...body.rows].sort((one, other) => compareRows(one, other, order)));
  for (const [index, head] of listHeads(table).entries()) {
    if (index === order.column) head.setAttribute("aria-sort", order.isDown ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
};

/** @type {(row: HTMLTableRowElement) => string} */
const readName = (row) => ((row.querySelector("th") || row).textContent ?? "").toLowerCase();

/**
 * Have a field above a long table, which shows the rows that have its text in their name; `data-search-label` says what it finds.
 * @param {HTMLTableElement} table
 * @param {TableState} state
 */
const makeSearchable = (table, state) => {
  const rows = [...table.tBodies[0].rows];
  if (rows.length <= MAX_UNSEARCHED_ROWS) return;
  const field = element("input", { type: "search", id: `find-${state.number}`, value: state.search });
  const filter = () => {
    state.search = field.value;
    const text = field.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !readName(row).includes(text);
  };
  field.addEventListener("input", filter);
  field.setSelectionRange(field.value.length, field.value.length); // where one goes on when the table is made anew
  (table.closest(".scroller") || table).before(
    element("p", { class: "filter" }, element("label", {}, `${table.dataset.searchLabel ?? "find a name"} `, field)),
  );
  filter();
};

/** @type {(table: HTMLTableElement, state: TableState) => void} */
const makeSortable = (table, state) => {
  for (const [column, head] of listHeads(table).entries()) {
    if (head.dataset.fixed !== undefined) continue;
    const button = element(
      "button",
      { type: "button", class: "sort", id: `sort-${column}-${state.number}` },
      ...head.childNodes,
    );
    head.append(button);
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      const areWords = head.classList.contains("words") || column === 0;
      state.order = { column, isDown: now ? now === "ascending" : !areWords };
      sort(table, state.order);
    });
  }
};

/**
 * Make the tables of a part of the page sortable, in the order that was chosen before.
 * @param {ParentNode} root
 */
export function makeTablesSortable(root) {
  /** @type {NodeListOf<HTMLTableElement>} */
  const tables = root.querySelectorAll("table[data-sortable]");
  for (const table of tables) {
    const state = recallState(table);
    makeSortable(table, state);
    makeSearchable(table, state);
    if (state.order) sort(table, state.order);
  }
}

makeTablesSortable(document);
