// Tables that are sorted by a click on a column's name; long ones can be searched for a name. Without this script they
// stay as they are.
"use strict";
(() => {
  const MAX_UNSEARCHED_ROWS = 12; // among which one finds a name at a glance
  const choices = new Map(); // by captions, so that a table that is made anew stays as it was sorted and searched

  // What was chosen for a table, and the number by which its controls are found again
  const recallChoice = (table) => {
    const caption = table.caption.textContent;
    if (!choices.has(caption)) choices.set(caption, { number: choices.size, order: null, search: "" });
    return choices.get(caption);
  };

  const readCell = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.value ?? cell.textContent.trim();
    return { number: parseFloat(text.replace(/,/g, "")), text };
  };

  const compareRows = (one, other, column, isDown) => {
    const [a, b] = [readCell(one, column), readCell(other, column)];
    if (!a.text || !b.text) return Number(Boolean(b.text)) - Number(Boolean(a.text)); // what is not known stands last, either way
    const areFigures = !Number.isNaN(a.number) && !Number.isNaN(b.number);
    const order = areFigures ? a.number - b.number : a.text.localeCompare(b.text);
    return isDown ? -order : order;
  };

  const sort = (table, { column, isDown }) => {
    const [body] = table.tBodies;
    body.append(...[...body.rows].sort((one, other) => compareRows(one, other, column, isDown)));
    for (const [index, head] of [...table.tHead.rows[0].cells].entries())
      if (index === column) head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
  };

  // A field above a long table, which shows the rows that have its text in their name
  const makeSearchable = (table, choice) => {
    const rows = [...table.tBodies[0].rows];
    if (rows.length <= MAX_UNSEARCHED_ROWS) return;
    const field = arena.element("input", { type: "search", id: `find-${choice.number}`, value: choice.search });
    const filter = () => {
      choice.search = field.value;
      const text = field.value.trim().toLowerCase();
      for (const row of rows) row.hidden = !(row.querySelector("th") || row).textContent.toLowerCase().includes(text);
    };
    field.addEventListener("input", filter);
    field.setSelectionRange(field.value.length, field.value.length); // where one goes on when the table is made anew
    (table.closest(".scroller") || table).before(arena.element("p", { class: "filter" }, arena.element("label", {}, "find a bot ", field)));
    filter();
  };

  const makeSortable = (table, choice) => {
    for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
      if (head.dataset.fixed !== undefined) continue;
      const button = arena.element("button", { type: "button", class: "sort", id: `sort-${column}-${choice.number}` }, ...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        const areWords = head.classList.contains("words") || column === 0;
        choice.order = { column, isDown: now ? now === "ascending" : !areWords };
        sort(table, choice.order);
      });
    }
  };

  /** Make the tables of a part of the page sortable, in the order that was chosen before. */
  arena.sortable = (root) => {
    for (const table of root.querySelectorAll("table[data-sortable]")) {
      const choice = recallChoice(table);
      makeSortable(table, choice);
      makeSearchable(table, choice);
      if (choice.order) sort(table, choice.order);
    }
  };

  arena.sortable(document);
})();
