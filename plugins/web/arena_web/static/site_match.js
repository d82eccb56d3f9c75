// One match of a site of files, which the address names: where it stands in the lists says which shard shows it.

import { findTranscripts, loadListOf, loadReplays } from "./data.js";
import { element, find } from "./elements.js";
import { showReplay } from "./replay.js";
import { buildRow, describeMatch } from "./rows.js";

const readKey = () => new URLSearchParams(location.hash.slice(1)).get("m") || "";
const ownKey = readKey();

// Show the match; return why nothing is shown, or only a part
/** @param {string} key */
const show = async (key) => {
  if (!/^\d{1,9}\.\d{1,4}$/.test(key)) {
    return "This address does not name a match. It should look like match.html#m=12.0.";
  }
  const list = await loadListOf(Number.parseInt(key, 10)), row = list.keys.indexOf(key);
  if (row < 0) return "This match has not been played.";
  const title = find(document, "h1");
  title.textContent = describeMatch(list, row);
  document.title = `${title.textContent} · ${document.title}`;
  find(document, ".far").append(" ", element("small", {}, `match ${key}`));
  find(document, "tbody").replaceChildren(buildRow(list, row));
  find(document, ".scroller").hidden = false;
  const shard = list.shards[row];
  if (shard < 0) return "This match has no replay: its transcript was not stored, or its deal is not over yet.";
  const { [key]: match } = await loadReplays(shard);
  if (!match) return "The replay of this match is missing from the files of this site.";
  /** @type {?HTMLAnchorElement} */
  const file = document.querySelector("[data-transcript]");
  if (file) file.href = findTranscripts(shard);
  showReplay(find(document, "#replay"), match.eyes, async (eye) => ({ steps: match.steps[eye] }));
  return "";
};

window.addEventListener("hashchange", () => {
  if (readKey() !== ownKey) location.reload();
});
show(ownKey).catch((problem) => problem.message).then((problem) => {
  find(document, "[data-said]").textContent = problem;
});
