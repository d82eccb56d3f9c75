// What the server prepares, such as the solution of a game: how far it is, and the page anew once it is ready.

import { fetchJson } from "./replies.js";

const POLL_MILLISECONDS = 1000; // until one looks how far a preparation is

/** @param {HTMLElement} place */
const followPreparation = (place) =>
  setTimeout(async () => {
    /** @type {?PreparationProgress} */
    const progress = await fetchJson(String(place.dataset.preparing)).catch(() => null); // it is asked again
    if (progress?.over) return location.assign(location.pathname + location.search);
    if (progress) place.textContent = `${place.textContent?.split(":")[0]}: ${Math.floor(100 * progress.share)}\u00a0%`;
    followPreparation(place);
  }, POLL_MILLISECONDS);
for (const place of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-preparing]"))) {
  followPreparation(place);
}
