// The live page shows one match: a table that is being played, or a replay of the leaders' latest match at a readable
// pace; and when it is over the next one. The server chooses, and is told what was shown here already.
"use strict";
(() => {
  const FASTEST_STEP_MILLISECONDS = 350; // of a step
  const MAX_REPLAY_MILLISECONDS = 180_000; // of a replay, if its steps can still be read
  const MAX_LAG_MILLISECONDS = 10_000; // that the page is behind a table, at most
  const REST_MILLISECONDS = 4000; // between two matches
  const RETRY_MILLISECONDS = 10_000; // until the server is asked again, if it had nothing
  const MAX_REMEMBERED = 30; // matches
  const root = arena.byId("broadcast");
  const at = (name) => root.querySelector("." + name);
  const { element } = arena;
  const seen = [];
  let timer = 0;
  let paused = false;
  let board = null;

  const after = (milliseconds, act) => {
    clearTimeout(timer);
    timer = setTimeout(act, milliseconds);
  };

  const say = (words) =>
    at("told").replaceChildren(...words.map((word) => element("span", {}, arena.plain(word))));

  const apply = (step) => {
    board.apply(step.z);
    if (step.t && step.t.length) say(step.t);
    if (step.end) after(REST_MILLISECONDS, next);
  };
  const pace = new arena.Pace((steps) => steps.forEach(apply), () => 1);

  const begin = ({ kind, key, names }) => {
    seen.push(key);
    seen.splice(0, seen.length - MAX_REMEMBERED);
    root.dataset.kind = kind;
    root.querySelector("h2").textContent = names.join(", ");
    at("kind").textContent = kind === "live" ? `Match ${key}, being played` : `Match ${key}, a replay`;
    at("shown").replaceChildren();
    board = new arena.Board(at("shown"));
    board.name = (seat) => names[seat];
    say([]);
    at("whole").href = `${root.dataset.base}${kind === "live" ? "live" : "m"}/${encodeURIComponent(key)}`;
    at("whole").hidden = at("next").disabled = at("pause").disabled = false;
    at("pause").hidden = kind === "live";
  };

  const next = async () => {
    stop();
    try {
      const answer = await fetch(`${root.dataset.next}?seen=${seen.join(",")}`);
      const chosen = await answer.json();
      if (chosen.kind === "live") follow(chosen);
      else if (chosen.kind === "replay") await replay(chosen);
      else none();
    } catch {
      after(RETRY_MILLISECONDS, next); // the server is away
    }
  };

  const none = () => {
    root.querySelector("h2").textContent = "No match can be shown yet";
    at("kind").textContent = "A match is shown here as soon as its hands are public.";
    after(RETRY_MILLISECONDS, next);
  };

  const replay = async (chosen) => {
    const answer = await fetch(`${root.dataset.base}m/${encodeURIComponent(chosen.key)}/steps?eye=all`);
    if (!answer.ok) return after(RETRY_MILLISECONDS, next);
    begin(chosen);
    const { steps } = await answer.json();
    pace.add([...steps, { end: true }], Math.max(MAX_REPLAY_MILLISECONDS, FASTEST_STEP_MILLISECONDS * steps.length));
    if (document.hidden) pace.hold();
  };

  const follow = (chosen) => {
    begin(chosen);
    let old = 0; // the last frame from before this page came
    const over = (t) => {
      arena.watch(null);
      pace.add([{ t, end: true }], MAX_LAG_MILLISECONDS);
    };
    arena.watch(chosen.key, {
      now: (event) => (old = JSON.parse(event.data).frame),
      steps: (event) => pace.add(JSON.parse(event.data), Number(event.lastEventId) > old ? MAX_LAG_MILLISECONDS : 0),
      end: (event) => over([JSON.parse(event.data).said]),
      gone: () => over([]),
    });
  };

  const stop = () => {
    clearTimeout(timer);
    arena.watch(null);
    pace.clear();
  };

  const pause = (wanted) => {
    paused = wanted;
    at("pause").textContent = paused ? "Continue" : "Pause";
  };

  at("next").addEventListener("click", () => {
    pause(false);
    next();
  });
  at("pause").addEventListener("click", () => {
    pause(!paused);
    if (paused) pace.hold();
    else pace.go();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) pace.hold();
    else if (!paused) pace.go();
  });
  addEventListener("pagehide", stop);
  next();
})();
