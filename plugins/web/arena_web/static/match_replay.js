// The page of a replay: `<div id="replay" data-steps="URL" data-notes="URL" data-eyes='[{"key": "all", "name": ...}, ...]'>`,
// and below it the review of a game of one's own.

import { byId, findById } from "./elements.js";
import { fetchJson } from "./replies.js";
import { showReplay } from "./replay.js";

const root = byId("replay");
const { steps, notes, eyes = "[]", own } = root.dataset;

/** @type {(eye: string) => Promise<ReplaySteps>} */
const load = (eye) => fetchJson(`${steps}?eye=${encodeURIComponent(eye)}`);

const explain = async () => {
  /** @type {MatchNotes} */
  const reply = await fetchJson(String(notes));
  return reply.notes;
};

const replay = showReplay(root, JSON.parse(eyes), load, notes ? explain : undefined);
if (findById("review")) {
  import("./review.js").then(({ showReview }) =>
    showReview(Number(own), { onMoments: (moments) => replay.addMoments(moments) })
  );
}
