// A part of the page that follows a tournament: when the server says that something has changed, it is fetched again, and
// put in place of the old one if it differs. One stream a page, and none while nobody looks.
"use strict";
(() => {
  const REST_MILLISECONDS = 120_000; // without a match, after which a tournament counts as not live
  const LOOK_MILLISECONDS = 30_000; // until the page looks again whether it is live
  const RETRY_MILLISECONDS = 3000; // until a server that has stopped is asked again
  const part = document.querySelector("[data-live]");
  if (!part || !part.dataset.live) return;
  let source = null; // the stream, while it is open
  let retry = 0; // the timer until it is opened again
  let isOver = false; // whether the stream has no more
  let server = null; // the id of the server
  let shown = null; // the text of the part that was fetched last
  let isFetching = false;
  let isStale = false; // has something changed since that was asked for?
  let table = null; // that is watched on this page, with what hears of its events: one stream has both

  // What is over is not live, nor a tournament in which nothing was played for a while
  const isLive = (place) =>
    place.dataset.state !== "over" && !(Date.now() - Date.parse(place.dataset.last) > REST_MILLISECONDS);

  const showState = (words) => {
    const place = part.querySelector("[data-state]");
    if (place) place.textContent = isLive(place) ? words : "";
    part.dataset.following = words ? "yes" : "no";
  };

  // Find what had the focus in a part that was replaced: by its id, or by where its link leads
  const findAgain = ({ id, href }) =>
    id
      ? part.querySelector(`#${CSS.escape(id)}`)
      : [...part.querySelectorAll("a[href]")].find((link) => link.getAttribute("href") === href);

  // Put another text in place of the part: what is scrolled, sorted and has the focus stays so
  const replace = (text) => {
    const focused = part.contains(document.activeElement) ? document.activeElement : null;
    const kept = focused && { id: focused.id, href: focused.getAttribute("href") };
    const scrolled = [...part.querySelectorAll(".scroller")].map((scroller) => scroller.scrollLeft);
    part.replaceChildren(...arena.fragment(text));
    if (arena.sortable) arena.sortable(part);
    part.querySelectorAll(".scroller").forEach((scroller, index) => { scroller.scrollLeft = scrolled[index] || 0; });
    const found = kept && (kept.id || kept.href) ? findAgain(kept) : null;
    if (found) found.focus({ preventScroll: true });
  };

  const refresh = async () => {
    if (isFetching) {
      isStale = true;
      return;
    }
    isFetching = true;
    try {
      const answer = await fetch(part.dataset.live);
      if (answer.ok) {
        const text = await answer.text();
        if (text !== shown) replace(text);
        shown = text;
        showState(source ? "live" : ""); // what is over is not followed
      }
    } catch {
      showState(""); // the server is away; the stream says when it is there again
    } finally {
      isFetching = false;
    }
    if (isStale) {
      isStale = false;
      await refresh();
    }
  };

  const open = () => {
    if (source || isOver) return;
    clearTimeout(retry);
    const query = table ? `?${new URLSearchParams({ table: table.key, after: table.frame })}` : "";
    source = new EventSource(part.dataset.events + query);
    for (const [name, hear] of Object.entries(table ? table.hears : {}))
      source.addEventListener(name, (event) => {
        if (event.lastEventId) table.frame = event.lastEventId;
        hear(event);
      });
    source.addEventListener("hello", (event) => {
      const { server: current } = JSON.parse(event.data);
      if (server && server !== current) location.reload();
      server = current;
      refresh();
    });
    source.addEventListener("changed", refresh);
    source.addEventListener("state", (event) => { // of a submission
      isOver = JSON.parse(event.data).over;
      if (isOver) close();
      refresh();
    });
    source.addEventListener("bye", comeAgain);
    source.addEventListener("error", () => {
      showState("");
      if (source.readyState === EventSource.CLOSED) comeAgain(); // it was refused, such as by a proxy
    });
  };

  const comeAgain = () => {
    close();
    retry = setTimeout(open, RETRY_MILLISECONDS);
  };

  const close = () => {
    clearTimeout(retry);
    if (source) source.close();
    source = null;
    showState("");
  };

  /**
   * Watch a table by the stream of the page.
   * @param {?string} key - null ends that
   * @param {Object<string, (event: MessageEvent) => void>} [hears] - what is done at each of its events
   */
  arena.watch = (key, hears) => {
    if (!key && !table) return;
    table = key && { key, hears, frame: 0 };
    if (!source) return;
    close();
    open();
  };

  // What begins is seen by looking: the stream tells of what is over
  if (Number(part.dataset.every)) setInterval(() => source && refresh(), 1000 * Number(part.dataset.every));
  setInterval(() => source && showState("live"), LOOK_MILLISECONDS);
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  addEventListener("pageshow", () => document.hidden || open());
  if (!document.hidden) open();
})();
