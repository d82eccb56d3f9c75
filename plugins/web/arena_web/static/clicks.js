// Clicks that count: a click is meant for the question that stood when it began. The second click of a double click
// began with the first one; and a question that has just appeared has not been read. Keys are no clicks: after each
// answer the focus leaves the button, so that a key that is pressed twice does nothing.

const EARLY = "Too early: this click does not count.";

/**
 * Have clicks that answer too early do nothing.
 * @param {import("./dock.js").Dock} dock
 */
export function ignoreEarlyClicks(dock) {
  /** @type {QuestionForm | null} */
  let meant = null; // the question that stood when the last click began
  dock.root.addEventListener("mousedown", (event) => {
    if (event.detail < 2) meant = dock.isUnread ? null : dock.question;
  });
  dock.root.addEventListener("click", (event) => {
    if (!event.detail || !event.target.closest("#hand button, #controls button")) return;
    const isSelected = dock.question?.options.kind === "selection" && event.target.closest("[data-card]");
    if (isSelected) return; // which sends nothing
    const isEarly = meant !== dock.question;
    if (!isEarly && !(dock.confirmation.isOpen && event.detail > 1)) return; // a double click does not confirm, either
    event.stopPropagation();
    event.preventDefault();
    if (isEarly) dock.note(EARLY, true);
  }, true);
}
