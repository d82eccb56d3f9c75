// Beside each link a button that copies it.
"use strict";
for (const link of document.querySelectorAll(".invited a")) {
  const button = arena.element("button", {type: "button", "aria-label": "Copy the link to " + link.textContent}, "Copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(link.href);
    button.textContent = "Copied";
  });
  link.after(" ", button);
}
