// The pages of an open hill: a bot is sent by its form, and what is shown once can be copied.
"use strict";
(() => {
  const form = arena.byId("upload");
  if (form) {
    const said = arena.byId("said"), refused = arena.byId("refused"), sent = arena.byId("sent");
    const button = arena.find(form, "button"), { then, to, most } = form.dataset;
    /** @type {HTMLInputElement} */
    const bot = arena.find(form, "[name=bot]");
    /** @type {HTMLInputElement} */
    const upload = arena.find(form, "[name=file]");

    /** @param {string} words - why nothing is uploaded */
    const refuse = (words) => {
      refused.textContent = words;
      said.textContent = "";
      sent.hidden = true;
      button.disabled = false;
    };

    /** @param {XMLHttpRequest} request */
    const answered = (request) => {
      /** @type {{submission?: number, title?: string}} */
      let answer = {};
      try {
        answer = JSON.parse(request.responseText);
      } catch {
        // not ours: a proxy's
      }
      if (request.status === 202 || request.status === 200) location.assign(`${then}${answer.submission}`);
      else if (request.status === 401) refuse("You are signed out: reload this page and sign in again.");
      else if (!request.status) refuse("The connection was lost and nothing was uploaded. Try again.");
      else refuse(answer.title || `The server answered ${request.status}.`);
    };

    /** @param {File} file */
    const send = (file) => {
      const request = new XMLHttpRequest(); // fetch does not say how much was sent
      request.open("PUT", to + encodeURIComponent(bot.value));
      request.setRequestHeader("Content-Type", "application/zip");
      request.upload.addEventListener("progress", (event) => {
        if (event.lengthComputable) sent.value = event.loaded / event.total;
      });
      request.upload.addEventListener("load", () => (said.textContent = "Uploaded"));
      request.addEventListener("loadend", () => answered(request));
      request.send(file);
    };

    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const [file] = upload.files || [];
      refused.textContent = "";
      if (file.size > Number(most)) return refuse(`${file.name} has ${(file.size / 2 ** 20).toFixed(1)} MB; ${Number(most) / 2 ** 20} MB are allowed.`);
      said.textContent = "Uploading";
      sent.value = 0;
      sent.hidden = false;
      button.disabled = true;
      send(file);
    });
    addEventListener("pageshow", () => (button.disabled = false)); // who came back
  }

  // A part that is put in place of another is not read out by itself: what is new in it is.
  const part = arena.byId("part"), moved = arena.byId("moved");
  if (moved) {
    const words = () => arena.find(part, ".verdict h2").textContent;
    let before = words();
    new MutationObserver(() => {
      if (words() !== before) moved.textContent = before = words();
    }).observe(part, { childList: true });
  }

  for (const shown of document.querySelectorAll("[data-copy]")) {
    const button = arena.element("button", { type: "button", "aria-label": `Copy ${shown.dataset.copy}` }, "Copy");
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(shown.textContent ?? "");
      button.textContent = "Copied";
    });
    const block = /** @type {HTMLElement} */ (shown.parentElement);
    const row = arena.element("div", { class: "copied" });
    block.replaceWith(row);
    row.append(block, button);
  }
})();
