// Times by the reader's own clock; without scripts they are in UTC, as their titles say.

const format = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });

/**
 * Show the times of a part of the page as local ones.
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
