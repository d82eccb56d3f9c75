// Draws the cards of an explorer as the tables draw them; without scripts their names stand there.
"use strict";
for (const place of document.querySelectorAll("[data-card]")) {
  place.classList.add("drawn");
  place.replaceChildren(arena.card(String(place.dataset.card)));
}
