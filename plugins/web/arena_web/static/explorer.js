// Draws the cards of an explorer as the tables draw them; without scripts their names stand there.

import { buildCard } from "./cards.js";

for (const place of document.querySelectorAll("[data-card]")) {
  place.classList.add("drawn");
  place.replaceChildren(buildCard(String(place.dataset.card)));
}
