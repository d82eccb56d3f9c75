// Draws the cards of an explorer as the tables draw them; without scripts their names stand there.
"use strict";
for (const face of document.querySelectorAll("[data-card]")) {
  face.classList.add("drawn");
  face.replaceChildren(arena.card(face.dataset.card));
}
