// A part of the page that follows a tournament: when the server says that something has changed,
// it is fetched again, and put in place of the old one if it differs. One stream a page, and none
// while nobody looks.
"use strict";

(() => {
  const part = document.querySelector("[data-live]");
  if (!part || !part.dataset.live) return;
  let source = null;
  let shown = null; // the text of the part that was fetched last
  let server = null;
  let asking = false;
  let again = false;
  let table = null; // that is watched on this page, with what hears of its events: one stream has both

  // What is over is not live, nor a tournament in which nothing was played for two minutes
  const playing = (place) =>
    place.dataset.state !== "over" && !(Date.now() - Date.parse(place.dataset.last) > 120_000);

  const state = (words) => {
    const place = part.querySelector("[data-state]");
    if (place) place.textContent = playing(place) ? words : "";
    part.dataset.following = words ? "yes" : "no";
  };

  const replace = (text) => {
    const focus = document.activeElement;
    const kept = part.contains(focus) && (focus.id ? "#" + CSS.escape(focus.id) : focus.getAttribute("href"));
    const scrolled = [...part.querySelectorAll(".scroller")].map((one) => one.scrollLeft);
    part.replaceChildren(...arena.fragment(text));
    if (arena.sortable) arena.sortable(part);
    part.querySelectorAll(".scroller").forEach((one, index) => (one.scrollLeft = scrolled[index] || 0));
    if (!kept) return;
    const found = kept.startsWith("#")
      ? part.querySelector(kept)
      : [...part.querySelectorAll("a[href]")].find((one) => one.getAttribute("href") === kept);
    if (found) found.focus({ preventScroll: true });
  };

  const look = async () => {
    if (asking) {
      again = true;
      return;
    }
    asking = true;
    try {
      const answer = await fetch(part.dataset.live);
      if (answer.ok) {
        const text = await answer.text();
        if (text !== shown) replace(text);
        shown = text;
        state(source ? "live" : ""); // what is over is not followed
      }
    } catch {
      state(""); // the server is away; the stream says when it is there again
    } finally {
      asking = false;
    }
    if (again) {
      again = false;
      await look();
    }
  };

  // What begins is seen by looking: the stream tells of what is over.
  if (Number(part.dataset.every)) setInterval(() => source && look(), 1000 * part.dataset.every);

  setInterval(() => source && state("live"), 30_000);

  const open = () => {
    if (source) return;
    source = new EventSource(part.dataset.events + (table ? `?${new URLSearchParams({ table: table.key, after: table.last })}` : ""));
    for (const [name, hear] of Object.entries(table ? table.hears : {}))
      source.addEventListener(name, (event) => {
        if (event.lastEventId) table.last = event.lastEventId;
        hear(event);
      });
    source.addEventListener("hello", (event) => {
      const now = JSON.parse(event.data).server;
      if (server && server !== now) location.reload();
      server = now;
      look();
    });
    source.addEventListener("changed", look);
    source.addEventListener("state", look); // of a submission
    source.addEventListener("bye", close);
    source.addEventListener("error", () => state(""));
  };

  const close = () => {
    if (source) source.close();
    source = null;
    state("");
  };

  // Watch a table: `hears` are functions by the names of events; null ends that
  arena.watch = (key, hears) => {
    if (!key && !table) return;
    table = key && { key, hears, last: 0 };
    if (!source) return;
    close();
    open();
  };

  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  addEventListener("pageshow", () => document.hidden || open());
  if (!document.hidden) open();
})();
