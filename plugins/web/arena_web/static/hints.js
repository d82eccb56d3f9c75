// A hint for the open question, off until it is asked for: a bar for each answer, and why it is good; the likeliest
// answer is marked where it is a card or a button.

import { byId, element, svg } from "./elements.js";
import { fetchJson } from "./replies.js";

const SLOW_MILLISECONDS = 1000; // until a hint is said to take long
const LEAST_PIXELS = 68; // of empty felt, which is as much as a hint takes elsewhere
const GAP_PIXELS = 3; // around it

/** @param {number} share */
const drawBar = (share) =>
  svg(
    "svg",
    { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { width: (100 * share).toFixed(2), height: "8" }),
  );

/** @param {string} text */
const heading = (text, columns = 1) => element("th", { scope: "col", colspan: columns }, text);

// The likeliest first: they are seen without scrolling
/** @param {GivenAnswer[]} answers */
const listAnswers = (answers) =>
  element(
    "table",
    { class: "shares" },
    element("thead", {}, element("tr", {}, heading("answer"), heading("how often", 2), heading("then, on average"))),
    element(
      "tbody",
      {},
      ...[...answers].sort((one, other) => other.share - one.share).map(({ label, share, text }) =>
        element(
          "tr",
          {},
          element("th", { scope: "row" }, label),
          element("td", { class: "bar-cell" }, drawBar(share)),
          element("td", {}, `${(100 * share).toFixed(0)}\u00a0%`),
          element("td", {}, text),
        )
      ),
    ),
  );

// Mark the buttons of an answer, which may be several cards, and of one kind of card as many as it has
/** @param {GivenAnswer} given */
const mark = ({ answer }) => {
  const buttons = [...document.querySelectorAll("#dock [data-card]")];
  for (const card of Array.isArray(answer) ? answer : [answer]) {
    const button = buttons.find((other) => other.dataset.card === String(card) && !other.matches(".hint-here"));
    if (!button) continue;
    button.classList.add("hint-here");
    button.setAttribute("aria-description", "the hint");
  }
};

/** @param {GivenHint} hint */
const show = ({ source, text, answers }) => {
  mark(answers.reduce((best, answer) => (answer.share > best.share ? answer : best)));
  const [first] = answers, single = answers.length === 1 && !first.text;
  byId("hinted").replaceChildren(
    element(
      "p",
      {},
      element("strong", {}, `${source}: `),
      ...(single ? [element("b", {}, `${first.label}. `)] : []),
      text,
    ),
    ...(single ? [] : [listAnswers(answers)]),
  );
};

/**
 * Ask for a hint.
 * @param {string} base - the address of the seat
 * @param {QuestionForm} question
 * @param {() => boolean} isOpen - whether the question still is
 */
export async function showHint(base, question, isOpen) {
  /** @param {string} text */
  const say = (text) => {
    if (isOpen()) byId("hinted").replaceChildren(element("p", {}, text));
  };
  const slow = setTimeout(
    () => say("This hint takes longer than a second to work out. You can answer without it."),
    SLOW_MILLISECONDS,
  );
  /** @type {(HintReply & (GivenHint | NoHint)) | void} */
  const reply = await fetchJson(`${base}/hint`, { method: "POST" }).catch(({ message }) => say(message));
  clearTimeout(slow);
  if (!reply || !isOpen() || reply.n !== question.n) return;
  if (reply.kind === "none") say(`No hint: ${reply.why}.`);
  else show(reply);
}

// On a desk a hint lies beside the question, over the end of the log, which makes room for it; on a telephone over the felt that is empty
// above the end of the middle of the board, where that is enough
const place = () => {
  const [hinted, dock, match] = ["hinted", "dock", "match"].map(byId);
  /** @param {Element} part */
  const end = (part) => part.getBoundingClientRect().bottom;
  const middle = document.querySelector("#board .middle:has(.zone)"), bottom = middle ? end(middle) : 0;
  const free = middle ? bottom - Math.max(...[...middle.children].map(end)) - GAP_PIXELS : 0;
  const lift = free < LEAST_PIXELS ? GAP_PIXELS : dock.getBoundingClientRect().top - bottom + GAP_PIXELS;
  for (const [name, pixels] of Object.entries({ hinted: hinted.offsetHeight, free, lift })) {
    match.style.setProperty(`--${name}`, `${pixels}px`);
  }
};
new ResizeObserver(() => requestAnimationFrame(place)).observe(byId("hinted")); // in the next frame: it resizes
