// A hint for the open question, off until it is asked for: a bar for each answer, and why it is good.
"use strict";
(() => {
  const { element } = arena;
  const at = (id) => document.getElementById(id);
  const base = document.getElementById("match").dataset.base;
  let open = null; // the question that may be asked about

  const draw = (name, attributes, ...children) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  const drawBar = (share) => draw("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    draw("rect", { width: (100 * share).toFixed(2), height: "8" }));

  const listAnswers = (answers) => element("table", { class: "shares" },
    element("caption", { class: "quiet" }, "Answers of the hint"),
    element("tbody", {}, ...answers.map(({ label, share, text }) => element("tr", {},
      element("th", { scope: "row" }, label),
      element("td", { class: "bar-cell" }, drawBar(share)),
      element("td", {}, `${(100 * share).toFixed(0)} %`),
      element("td", {}, text)))));

  const show = ({ source, text, answers }) => {
    const [first] = answers, single = answers.length === 1 && !first.text;
    at("hinted").replaceChildren(
      element("p", {}, element("strong", {}, `${source}: `), ...(single ? [element("b", {}, `${first.label}. `)] : []), text),
      ...(single ? [] : [listAnswers(answers)]),
    );
  };

  at("hint").addEventListener("click", async () => {
    const asked = open;
    at("hint").disabled = true;
    try {
      const answer = await fetch(`${base}/hint`, { method: "POST" });
      const told = answer.ok ? await answer.json() : { n: asked.n, none: "the server is busy; try again in a moment" };
      if (asked !== open || told.n !== asked.n) return;
      if (told.none) at("hinted").replaceChildren(element("p", {}, `No hint: ${told.none}.`));
      else show(told);
    } catch {
      if (asked === open) at("hinted").replaceChildren(element("p", {}, "The server cannot be reached. Try again."));
    }
    if (asked === open) at("hint").disabled = false;
  });

  arena.hints = {
    // Offer a hint for this question, or for none
    offer: (question) => {
      open = question;
      at("hint").hidden = !question;
      at("hint").disabled = false;
      at("hinted").replaceChildren();
    },
  };
})();
