// Tables that are sorted by a click on a column's name; long ones can be searched for a name. Without this script they
// stay as they are.
"use strict";

arena.sorted = {}; // by the table's caption: which column, which way; so that a part that follows stays sorted

arena.value = (row, column) => {
  const cell = row.cells[column];
  const text = cell.dataset.value ?? cell.textContent.trim();
  const number = parseFloat(text.replace(/,/g, ""));
  return { number, text, known: text !== "" };
};

arena.compare = (one, other, column) => {
  const [a, b] = [arena.value(one, column), arena.value(other, column)];
  if (!a.known || !b.known) return b.known - a.known; // what is not known stands last, either way
  const figures = !Number.isNaN(a.number) && !Number.isNaN(b.number);
  return { by: figures ? a.number - b.number : a.text.localeCompare(b.text) };
};

arena.sort = (table, column, down) => {
  const body = table.tBodies[0];
  const rows = [...body.rows].sort((one, other) => {
    const order = arena.compare(one, other, column);
    return typeof order === "number" ? order : down ? -order.by : order.by;
  });
  body.append(...rows);
  for (const [index, head] of [...table.tHead.rows[0].cells].entries())
    if (index === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
};

arena.LONG = 12; // rows that one finds a name in at a glance
arena.searched = {}; // by the table's caption, too: what is looked for

// A field above a long table, which shows the rows that have its text in their name
arena.searchable = (table, name) => {
  const rows = [...table.tBodies[0].rows];
  if (rows.length <= arena.LONG) return;
  const field = arena.element("input", { type: "search", id: `find-${name.length}`, value: arena.searched[name] || "" });
  const look = () => {
    arena.searched[name] = field.value;
    const text = field.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !(row.querySelector("th") || row).textContent.toLowerCase().includes(text);
  };
  field.addEventListener("input", look);
  field.setSelectionRange(field.value.length, field.value.length); // where one goes on when the table is made anew
  (table.closest(".scroller") || table).before(arena.element("p", { class: "filter" }, arena.element("label", {}, "find a bot ", field)));
  look();
};

arena.sortable = (root) => {
  for (const table of root.querySelectorAll("table[data-sortable]")) {
    const name = table.caption.textContent;
    for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
      if (head.dataset.fixed !== undefined) continue;
      const button = arena.element("button", { type: "button", class: "sort", id: "sort-" + column + "-" + name.length });
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        const words = head.classList.contains("words") || column === 0;
        const down = now ? now === "ascending" : !words;
        arena.sorted[name] = { column, down };
        arena.sort(table, column, down);
      });
    }
    arena.searchable(table, name);
    if (arena.sorted[name]) arena.sort(table, arena.sorted[name].column, arena.sorted[name].down);
  }
};

arena.sortable(document);
