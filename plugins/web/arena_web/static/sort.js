// Tables that are sorted by a click on a column's name; long ones can be searched for a name. Without this script they
// stay as they are.
"use strict";
(() => {
  const MAX_UNSEARCHED_ROWS = 12; // among which one finds a name at a glance
  const orders = {}; // by the table's caption: which column, which way; so that a part that follows stays sorted
  const searches = {}; // by the table's caption, too: what is looked for

  const readCell = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.value ?? cell.textContent.trim();
    return { number: parseFloat(text.replace(/,/g, "")), text };
  };

  const compareRows = (one, other, column, isDown) => {
    const [a, b] = [readCell(one, column), readCell(other, column)];
    if (!a.text || !b.text) return Boolean(b.text) - Boolean(a.text); // what is not known stands last, either way
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
  const makeSearchable = (table, name) => {
    const rows = [...table.tBodies[0].rows];
    if (rows.length <= MAX_UNSEARCHED_ROWS) return;
    const field = arena.element("input", { type: "search", id: `find-${name.length}`, value: searches[name] || "" });
    const filter = () => {
      searches[name] = field.value;
      const text = field.value.trim().toLowerCase();
      for (const row of rows) row.hidden = !(row.querySelector("th") || row).textContent.toLowerCase().includes(text);
    };
    field.addEventListener("input", filter);
    field.setSelectionRange(field.value.length, field.value.length); // where one goes on when the table is made anew
    (table.closest(".scroller") || table).before(arena.element("p", { class: "filter" }, arena.element("label", {}, "find a bot ", field)));
    filter();
  };

  const makeSortable = (table, name) => {
    for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
      if (head.dataset.fixed !== undefined) continue;
      const button = arena.element("button", { type: "button", class: "sort", id: `sort-${column}-${name.length}` }, ...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        const areWords = head.classList.contains("words") || column === 0;
        orders[name] = { column, isDown: now ? now === "ascending" : !areWords };
        sort(table, orders[name]);
      });
    }
  };

  /**
   * Make the tables of a part of the page sortable, in the order that was chosen before.
   * @param {ParentNode} root
   */
  arena.sortable = (root) => {
    for (const table of root.querySelectorAll("table[data-sortable]")) {
      const name = table.caption.textContent;
      makeSortable(table, name);
      makeSearchable(table, name);
      if (orders[name]) sort(table, orders[name]);
    }
  };

  arena.sortable(document);
})();
