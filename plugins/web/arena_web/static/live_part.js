// A part of the page that follows a tournament: when the server says that something has changed, it is fetched again, and
// put in place of the old one if it differs. One stream a page, and none while nobody looks.

import { showLocalTimes } from "./page.js";
import { makeTablesSortable } from "./sort.js";
import { Stream } from "./stream.js";

/** @typedef {import("./stream.js").Handlers} Handlers */

const REST_MILLISECONDS = 120_000; // without a match, after which a tournament counts as not live
const LOOK_MILLISECONDS = 30_000; // until the page looks again whether it is live

/** @type {Pick<TrustedTypePolicy, "createHTML">} */
const policy = { createHTML: (text) => text }; // of what our own server has made: whatever a stranger wrote is text in it
const trusted = window.trustedTypes?.createPolicy("arena", policy) ?? policy;

/**
 * The nodes of a part of a page.
 * @param {string} text
 */
function parseFragment(text) {
  const { body } = new DOMParser().parseFromString(trusted.createHTML(text), "text/html");
  showLocalTimes(body);
  return [...body.childNodes];
}

export class LivePart {
  #part;
  #server = ""; // the id of the server
  #text = ""; // the text of the part that was fetched last
  #isFollowing = false; // whether the stream is open
  #isWatching = false; // whether it has a table, too
  #isFetching = false;
  #isStale = false; // whether something has changed since that was asked for
  #stream = new Stream((state) => this.#showConnection(state));

  /** @param {HTMLElement} part */
  constructor(part) {
    this.#part = part;
    if (!part.dataset.live) return; // this one follows nothing
    // What begins is seen by looking: the stream tells of what is over
    const seconds = Number(part.dataset.every);
    if (seconds) setInterval(() => this.#isFollowing && this.#refresh(), 1000 * seconds);
    setInterval(() => this.#isFollowing && this.#showState("live"), LOOK_MILLISECONDS);
    this.#follow();
  }

  /** Whether what comes now of a table had happened before this page came. */
  get isReplaying() {
    return this.#stream.isReplaying;
  }

  /**
   * Watch a table by the stream of the page.
   * @param {string} key
   * @param {Handlers} handlers - what is done at each of its events
   */
  watch(key, handlers) {
    this.#isWatching = true;
    this.#follow(`?${new URLSearchParams({ table: key })}`, handlers);
  }

  /** Watch no table any more. */
  stopWatching() {
    if (this.#isWatching) this.#follow();
    this.#isWatching = false;
  }

  /**
   * @param {string} [query]
   * @param {Handlers} [handlers]
   */
  #follow(query = "", handlers = {}) {
    this.#stream.follow(this.#part.dataset.events + query, handlers, {
      hello: ({ server }) => this.#greet(server),
      changed: () => this.#refresh(),
      state: ({ over }) => { // of a submission
        if (over) this.#stream.finish(false);
        this.#refresh();
      },
    });
  }

  /** @param {string} server - its id */
  #greet(server) {
    if (this.#server && this.#server !== server) location.reload();
    this.#server = server;
    this.#refresh();
  }

  /** @param {import("./stream.js").StreamState} state */
  #showConnection(state) {
    this.#isFollowing = state === "open";
    if (!this.#isFollowing) this.#showState("");
  }

  /**
   * What is over is not live, nor a tournament in which nothing was played for a while.
   * @param {HTMLElement} place - that says since when
   */
  #isLive(place) {
    return place.dataset.state !== "over" && !(Date.now() - Date.parse(String(place.dataset.last)) > REST_MILLISECONDS);
  }

  /** @param {string} words - of a part that is live; empty for one that is not followed */
  #showState(words) {
    const place = this.#part.querySelector("[data-state]");
    if (place) place.textContent = this.#isLive(place) ? words : "";
    this.#part.dataset.following = words ? "yes" : "no";
  }

  async #refresh() {
    if (this.#isFetching) {
      this.#isStale = true;
      return;
    }
    this.#isFetching = true;
    try {
      const answer = await fetch(String(this.#part.dataset.live));
      if (answer.ok) {
        const text = await answer.text();
        if (text !== this.#text) this.#replace(text);
        this.#text = text;
        this.#showState(this.#isFollowing ? "live" : ""); // what is over is not followed
      }
    } catch {
      this.#showState(""); // the server is away; the stream says when it is there again
    } finally {
      this.#isFetching = false;
    }
    if (this.#isStale) {
      this.#isStale = false;
      await this.#refresh();
    }
  }

  /**
   * Put another text in place of the part: what is scrolled, sorted and has the focus stays so.
   * @param {string} text
   */
  #replace(text) {
    const part = this.#part, focused = part.contains(document.activeElement) ? document.activeElement : null;
    const mark = focused && { id: focused.id, href: focused.getAttribute("href") };
    const scrolled = [...part.querySelectorAll(".scroller")].map((scroller) => scroller.scrollLeft);
    part.replaceChildren(...parseFragment(text));
    makeTablesSortable(part);
    part.querySelectorAll(".scroller").forEach((scroller, index) => {
      scroller.scrollLeft = scrolled[index] || 0;
    });
    const again = mark && (mark.id || mark.href) ? this.#findAgain(mark) : null;
    if (again) again.focus({ preventScroll: true });
  }

  /**
   * Find what had the focus in a part that was replaced: by its id, or by where its link leads.
   * @param {{id: string, href: ?string}} link
   * @returns {HTMLElement | null | undefined}
   */
  #findAgain({ id, href }) {
    if (id) return document.getElementById(id);
    /** @type {NodeListOf<HTMLAnchorElement>} */
    const links = this.#part.querySelectorAll("a[href]");
    return [...links].find((link) => link.getAttribute("href") === href);
  }
}
