// Where one chooses a game: a picture of each, and a sample match of one, once the server has played them.

import { find } from "./elements.js";
import { fetchJson } from "./replies.js";
import { buildBoard, findZones, SampleReplay } from "./sample_replay.js";

/**
 * @param {HTMLElement} place
 * @param {SampleMatch} match
 */
const drawPicture = (place, { names, steps, picture }) => {
  const all = findZones(steps.slice(0, picture + 1));
  const middle = Object.entries(all).filter(([, { kind }]) => !["hand", "row", "text"].includes(kind));
  const zones = middle.length ? Object.fromEntries(middle) : all;
  if (Object.keys(zones).length) buildBoard(place, names).show(zones);
};

/** @param {HTMLElement} sample */
const showSamples = async (sample) => {
  /** @type {Record<string, SampleMatch>} */
  const samples = await fetchJson(String(sample.dataset.samples));
  for (const place of document.querySelectorAll("[data-picture]")) {
    const match = samples[String(place.dataset.picture)];
    if (match) drawPicture(place, match);
  }
  const own = samples[String(sample.dataset.sample)];
  if (own && own.steps.some((step) => step.z && Object.keys(step.z).length)) new SampleReplay(sample, own);
  else sample.hidden = true;
};

const sample = document.querySelector("[data-sample]");
if (sample) {
  showSamples(sample).catch(() => { // without the pictures, too, one can play
    find(sample, ".told").textContent = "The server is busy. Load this page again to see a match.";
  });
}
