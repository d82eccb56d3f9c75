// A list of games by days: a heading where the day changes, by the reader's own clock, and behind it only the time.

import { element } from "./elements.js";

const days = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const times = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const NEAR = ["Today", "Yesterday"];

/** @param {Date} at */
const nameDay = (at) => {
  /** @param {number} back */
  const isBack = (back) => {
    const day = new Date();
    day.setDate(day.getDate() - back);
    return day.toDateString() === at.toDateString();
  };
  return NEAR.find((_, back) => isBack(back)) ?? days.format(at);
};

/** @param {HTMLTableElement} table - whose rows have a time each, the latest first */
const group = (table) => {
  let last = "";
  for (const row of table.querySelectorAll("tbody > tr")) {
    /** @type {?HTMLTimeElement} */
    const time = row.querySelector("time[datetime]");
    if (!time) continue;
    const at = new Date(time.dateTime), day = nameDay(at);
    time.textContent = times.format(at);
    if (day === last) continue;
    last = day;
    row.before(element("tr", { class: "day" }, element("th", { scope: "rowgroup", colspan: "3" }, day)));
  }
};

// the page's own script has written whole dates before
/** @type {NodeListOf<HTMLTableElement>} */
const tables = document.querySelectorAll("table[data-days]");
for (const table of tables) group(table);
