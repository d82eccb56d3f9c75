// Waiting for friends: who is there, the link for them, and the way to the table once the match begins.

import { byId, findById } from "./elements.js";
import { offerSharing } from "./sharing.js";
import { Stream } from "./stream.js";
import { formatCount } from "./texts.js";

class WaitingPage {
  #start = findById("start"); // of who invited the others
  #bot = findById("bot");
  #places;
  #base;
  /** @type {string[]} */
  #missing = []; // names of those who have a seat, and have never been here

  /** @param {HTMLElement} page */
  constructor(page) {
    const { base = "", feed: ownFeed } = page.dataset;
    this.#base = base;
    this.#places = page.querySelectorAll("[data-presence]");
    this.#bot?.addEventListener("change", () => this.#labelStart());
    this.#labelStart();
    new Stream((state) => this.#showState(state), true).follow(`${base}/events`, { // so that the others see who is here
      now: ({ feed }) => {
        if (feed !== ownFeed) this.#move();
      },
      moved: () => this.#move(),
      present: (report) => this.#showPresence(report),
    });
  }

  /** Go to the table, also from where a name was refused. */
  #move() {
    location.assign(this.#base);
  }

  /** @param {PresenceReport} report */
  #showPresence({ said, presence, late }) {
    byId("present").textContent = said;
    for (const place of this.#places) place.textContent = presence[String(place.dataset.presence)];
    this.#missing = late;
    this.#labelStart();
  }

  /** @param {import("./stream.js").StreamState} state */
  #showState(state) {
    if (state === "gone") this.#move();
    else if (state !== "open") this.#forgetPresence();
  }

  /** Nobody knows who is there, until that is told again. */
  #forgetPresence() {
    for (const place of [byId("present"), ...this.#places]) place.textContent = "";
  }

  /** Say what it means to start now: without whom, or with how many bots. */
  #labelStart() {
    if (!this.#start) return;
    const bots = byId("players").querySelectorAll(".hint").length;
    const without = this.#missing.length ? ` without ${new Intl.ListFormat("en-GB").format(this.#missing)}` : "";
    this.#start.textContent = "Start" + (without || (this.#bot?.value ? ` with ${formatCount(bots, "bot")}` : " now"));
  }
}

new WaitingPage(byId("waiting"));

/**
 * Offer the link for friends.
 * @param {HTMLAnchorElement} link
 */
function offerLink(link) {
  const hint = findById("local");
  const isLocal = ["localhost", "127.0.0.1"].includes(location.hostname); // which a telephone cannot reach
  link.textContent = link.href;
  if (hint) hint.hidden = !isLocal;
  byId("code").hidden = isLocal;
  offerSharing(byId("copy"), link, { url: link.href }, "Share the link");
}

const link = findById("invitation");
if (link) offerLink(link);
