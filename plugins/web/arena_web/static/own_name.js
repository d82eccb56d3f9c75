// The name that a person gave before: it stands in each field for it, and is kept when a form is sent.

import { loadSetting, saveSetting } from "./settings.js";

const NAME_KEY = "arena-name";

/** @param {HTMLFormElement} form */
const rememberName = (form) => {
  /** @type {?HTMLInputElement} */
  const field = form.querySelector("[data-name]");
  if (field && field.type !== "hidden") saveSetting(NAME_KEY, field.value);
};
/** @type {NodeListOf<HTMLInputElement>} */
const names = document.querySelectorAll("[data-name]");
for (const field of names) field.value ||= loadSetting(NAME_KEY) || "";
for (const form of document.querySelectorAll("form")) form.addEventListener("submit", () => rememberName(form));
