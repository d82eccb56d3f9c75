// Waiting for friends: who is there, the link for them, and the way to the table once the match begins.

import { Stream } from "./stream.js";

const page = arena.byId("waiting"), start = arena.byId("start"), bot = arena.byId("bot"), link = arena.byId("invitation");
const { base = "", feed: ownFeed } = page.dataset;
const places = page.querySelectorAll("[data-presence]");

// --- who is there ---------------------------------------------------------------------------
const move = () => location.assign(base); // also from where a name was refused
/** @type {string[]} */
let missing = []; // names of those who have a seat, and have never been here

// Nobody knows who is there, until that is told again
const forgetPresence = () => {
  for (const place of [arena.byId("present"), ...places]) place.textContent = "";
};

// What it means to start now: without whom, or with how many bots
const labelStart = () => {
  if (!start) return;
  const bots = arena.byId("players").querySelectorAll(".hint").length;
  const without = missing.length ? ` without ${new Intl.ListFormat("en-GB").format(missing)}` : "";
  start.textContent = "Start" + (without || (bot?.value ? ` with ${arena.counted(bots, "bot")}` : " now"));
};

/** @param {import("./stream.js").StreamState} state */
const showState = (state) => {
  if (state === "gone") move();
  else if (state !== "open") forgetPresence();
};

new Stream(showState, true).follow(`${base}/events`, { // so that the others see who is here
  now: ({ feed }) => { if (feed !== ownFeed) move(); },
  moved: move,
  present: ({ said, presence, late }) => {
    arena.byId("present").textContent = said;
    for (const place of places) place.textContent = presence[String(place.dataset.presence)];
    missing = late;
    labelStart();
  },
});
if (bot) bot.addEventListener("change", labelStart);
labelStart();

// --- the link -------------------------------------------------------------------------------
/** @param {HTMLAnchorElement} link */
const offerLink = (link) => {
  const copy = arena.byId("copy"), hint = arena.byId("local");
  const canShare = "share" in navigator && matchMedia("(pointer: coarse)").matches;
  const isLocal = ["localhost", "127.0.0.1"].includes(location.hostname); // which a telephone cannot reach
  if (canShare) copy.textContent = "Share the link";
  link.textContent = link.href;
  if (hint) hint.hidden = !isLocal;
  arena.byId("code").hidden = isLocal;
  copy.addEventListener("click", async () => {
    if (canShare) return navigator.share({ url: link.href }).catch(() => {});
    try {
      await navigator.clipboard.writeText(link.href);
      copy.textContent = "Copied";
    } catch { // a browser that allows no page to do so
      getSelection()?.selectAllChildren(link);
    }
  });
};
if (link) offerLink(link);
