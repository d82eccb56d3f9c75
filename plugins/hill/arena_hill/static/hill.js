// The pages of an open hill: a bot is sent by its form, a verdict is read out, and what is shown once can be copied.

import { byId, element, find, findById } from "./elements.js";

/** The form that sends a bot, and says how much of it was sent. */
class UploadForm {
  #form;
  #status = byId("said");
  #refusal = byId("refused");
  #progress = byId("sent");
  /** @type {HTMLButtonElement} */
  #button;
  /** @type {HTMLInputElement} */
  #bot;
  /** @type {HTMLInputElement} */
  #file;

  /** @param {HTMLFormElement} form */
  constructor(form) {
    this.#form = form;
    this.#button = find(form, "button");
    this.#bot = find(form, "[name=bot]");
    this.#file = find(form, "[name=file]");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
    addEventListener("pageshow", () => this.#allow(true)); // who came back
  }

  /** @param {boolean} isAllowed - whether a bot can be sent */
  #allow(isAllowed) {
    this.#button.disabled = !isAllowed;
  }

  #submit() {
    const [file] = this.#file.files || [], limit = Number(this.#form.dataset.most);
    this.#refusal.textContent = "";
    if (file.size > limit) {
      return this.#refuse(
        `${file.name} has ${(file.size / 2 ** 20).toFixed(1)} MB; ${limit / 2 ** 20} MB are allowed.`,
      );
    }
    this.#status.textContent = "Uploading";
    this.#progress.value = 0;
    this.#progress.hidden = false;
    this.#allow(false);
    this.#send(file);
  }

  /** @param {File} file */
  #send(file) {
    const request = new XMLHttpRequest(); // fetch does not say how much was sent
    request.open("PUT", this.#form.dataset.to + encodeURIComponent(this.#bot.value));
    request.setRequestHeader("Content-Type", "application/zip");
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) this.#progress.value = event.loaded / event.total;
    });
    request.upload.addEventListener("load", () => {
      this.#status.textContent = "Uploaded";
    });
    request.addEventListener("loadend", () => this.#finish(request));
    request.send(file);
  }

  /** @param {XMLHttpRequest} request - that was answered, or was not */
  #finish(request) {
    /** @type {{submission?: number, title?: string}} */
    let answer = {};
    try {
      answer = JSON.parse(request.responseText);
    } catch {
      // not ours: a proxy's
    }
    if (request.status === 202 || request.status === 200) {
      location.assign(`${this.#form.dataset.then}${answer.submission}`);
    } else if (request.status === 401) this.#refuse("You are signed out: reload this page and sign in again.");
    else if (!request.status) this.#refuse("The connection was lost and nothing was uploaded. Try again.");
    else this.#refuse(answer.title || `The server answered ${request.status}.`);
  }

  /** @param {string} problem - why nothing is uploaded */
  #refuse(problem) {
    this.#refusal.textContent = problem;
    this.#status.textContent = "";
    this.#progress.hidden = true;
    this.#allow(true);
  }
}

/**
 * Have a verdict read out: a part that is put in place of another is not read out by itself.
 * @param {HTMLElement} region - for screen readers
 */
function announceVerdicts(region) {
  const part = byId("part"), read = () => find(part, ".verdict h2").textContent;
  let before = read();
  new MutationObserver(() => {
    if (read() !== before) region.textContent = before = read();
  }).observe(part, { childList: true });
}

/**
 * Have a button copy a text.
 * @param {HTMLElement} text - which stands alone in a block
 */
function offerCopy(text) {
  const button = element("button", { type: "button", "aria-label": `Copy ${text.dataset.copy}` }, "Copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text.textContent ?? "");
    button.textContent = "Copied";
  });
  const block = /** @type {HTMLElement} */ (text.parentElement), row = element("div", { class: "copied" });
  block.replaceWith(row);
  row.append(block, button);
}

const upload = findById("upload");
const moved = findById("moved");
if (upload) new UploadForm(upload);
if (moved) announceVerdicts(moved);
for (const text of document.querySelectorAll("[data-copy]")) offerCopy(text);
