// What every page does: times are those of the reader, and the navigation shows where one is.

import { showLocalTimes } from "./times.js";

/** On a telephone the navigation is one row that is pushed sideways: the link to this page comes into view. */
function showHere() {
  const here = document.querySelector(".top [aria-current]"), row = here?.parentElement;
  if (row) row.scrollLeft = here.offsetLeft - (row.clientWidth - here.offsetWidth) / 2;
}

showLocalTimes(document);
showHere();
