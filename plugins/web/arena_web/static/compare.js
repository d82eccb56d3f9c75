// A site of files: which two bots are chosen says which file shows them side by side.

/** @type {?HTMLFormElement} */
const form = document.querySelector("[data-compare]");
if (form) {
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [first, second] = [...new FormData(form).values()].map(String).sort();
    if (first !== second) {
      location.assign(`${form.dataset.compare}${encodeURIComponent(first)}.${encodeURIComponent(second)}.html`);
    }
  });
}
