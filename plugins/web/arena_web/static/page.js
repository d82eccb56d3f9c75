// What every page does: times are by the reader's own clock, and the navigation shows where one is.

const format = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});

/**
 * Show the times of a part of the page by the reader's clock; without scripts they are in UTC, as their titles say.
 * @param {ParentNode} root
 */
export function showLocalTimes(root) {
  /** @type {NodeListOf<HTMLTimeElement>} */
  const times = root.querySelectorAll("time[datetime]");
  for (const time of times) {
    time.title = time.textContent ?? "";
    time.textContent = format.format(new Date(time.dateTime));
  }
}

/** On a telephone the navigation is one row that is pushed sideways: the link to this page comes into view. */
function showHere() {
  const here = document.querySelector(".top [aria-current]"), row = here?.parentElement;
  if (row) row.scrollLeft = here.offsetLeft - (row.clientWidth - here.offsetWidth) / 2;
}

showLocalTimes(document);
showHere();
