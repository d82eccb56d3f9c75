// The live page shows one match: a table that is being played, or a replay of the leaders' latest match at a readable
// pace; and when it is over the next one. The server chooses, and is told what was shown here already.
"use strict";
(() => {
  const FASTEST_STEP_MILLISECONDS = 350; // of a step
  const MAX_REPLAY_MILLISECONDS = 180_000; // of a replay, if its steps can still be read
  const MAX_LAG_MILLISECONDS = 10_000; // that the page is behind a table, at most
  const REST_MILLISECONDS = 4000; // between two matches
  const RETRY_MILLISECONDS = 10_000; // until the server is asked again, if it had nothing
  const MAX_SHOWN_KEYS = 30; // matches
  const root = arena.byId("broadcast");
  const part = (name) => root.querySelector("." + name);
  const { element } = arena;
  const shownKeys = []; // of the latest matches
  let timer = 0;
  let isPaused = false;
  let board = null;

  const wait = (milliseconds, act) => {
    clearTimeout(timer);
    timer = setTimeout(act, milliseconds);
  };

  const tell = (words) =>
    part("told").replaceChildren(...words.map((word) => element("span", {}, arena.plain(word))));

  const takeStep = ({ t: lines = [], z: zones }) => {
    board.apply(zones);
    if (lines.length) tell(lines);
  };
  const takeEnd = ({ said }) => {
    if (said) tell([said]);
    wait(REST_MILLISECONDS, next);
  };
  const take = ({ step, end }) => (step ? takeStep(step) : takeEnd(end));
  const pace = new arena.Pace((moments) => moments.forEach(take), () => 1);
  const END = { end: "", said: "", won: null, rows: [] }; // of which nothing is told

  const begin = ({ kind, key, names }) => {
    shownKeys.push(key);
    shownKeys.splice(0, shownKeys.length - MAX_SHOWN_KEYS);
    root.dataset.kind = kind;
    root.querySelector("h2").textContent = names.join(", ");
    part("kind").textContent = kind === "live" ? `Match ${key}, being played` : `Match ${key}, a replay`;
    part("shown").replaceChildren();
    board = new arena.Board(part("shown"));
    board.nameSeat = (seat) => names[seat];
    tell([]);
    part("whole").href = `${root.dataset.base}${kind === "live" ? "live" : "m"}/${encodeURIComponent(key)}`;
    part("whole").hidden = part("next").disabled = part("pause").disabled = false;
    part("pause").hidden = kind === "live";
  };

  const next = async () => {
    stop();
    try {
      const answer = await fetch(`${root.dataset.next}?seen=${shownKeys.join(",")}`);
      const chosen = await answer.json();
      if (chosen.kind === "live") follow(chosen);
      else if (chosen.kind === "replay") await replay(chosen);
      else showNone();
    } catch {
      wait(RETRY_MILLISECONDS, next); // the server is away
    }
  };

  const showNone = () => {
    root.querySelector("h2").textContent = "No match can be shown yet";
    part("kind").textContent = "A match is shown here as soon as its hands are public.";
    wait(RETRY_MILLISECONDS, next);
  };

  const replay = async (chosen) => {
    const answer = await fetch(`${root.dataset.base}m/${encodeURIComponent(chosen.key)}/steps?eye=all`);
    if (!answer.ok) return wait(RETRY_MILLISECONDS, next);
    begin(chosen);
    const { steps } = await answer.json();
    pace.add([...steps.map((step) => ({ step })), { end: END }], Math.max(MAX_REPLAY_MILLISECONDS, FASTEST_STEP_MILLISECONDS * steps.length));
    if (document.hidden) pace.hold();
  };

  const follow = (chosen) => {
    begin(chosen);
    let old = 0; // the last frame from before this page came
    const finish = (end) => {
      arena.watch(null);
      pace.add([{ end }], MAX_LAG_MILLISECONDS);
    };
    arena.watch(chosen.key, {
      now: (event) => (old = JSON.parse(event.data).frame),
      steps: (event) => {
        const moments = JSON.parse(event.data).map((step) => ({ step }));
        pace.add(moments, Number(event.lastEventId) > old ? MAX_LAG_MILLISECONDS : 0);
      },
      end: (event) => finish(JSON.parse(event.data)),
      gone: () => finish(END),
    });
  };

  const stop = () => {
    clearTimeout(timer);
    arena.watch(null);
    pace.clear();
  };

  const setPaused = (wanted) => {
    isPaused = wanted;
    part("pause").textContent = isPaused ? "Continue" : "Pause";
  };

  part("next").addEventListener("click", () => {
    setPaused(false);
    next();
  });
  part("pause").addEventListener("click", () => {
    setPaused(!isPaused);
    if (isPaused) pace.hold();
    else pace.go();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) pace.hold();
    else if (!isPaused) pace.go();
  });
  addEventListener("pagehide", stop);
  next();
})();
