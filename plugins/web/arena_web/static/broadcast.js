// The live page shows one match: a table that is being played, or a replay of the leaders' latest match at a readable
// pace; and when it is over the next one. The server chooses, and is told what was shown here already.
"use strict";
(() => {
  const SLOWEST = 1200; // milliseconds a step
  const FASTEST = 350;
  const LONGEST = 180_000; // milliseconds of a replay, if its steps can still be read
  const REST = 4000; // milliseconds between two matches
  const AGAIN = 10_000; // milliseconds until the server is asked again, if it had nothing
  const REMEMBERED = 30; // matches
  const root = document.getElementById("broadcast");
  const at = (name) => root.querySelector("." + name);
  const { element } = arena;
  const seen = [];
  let steps = []; // that are still to be shown
  let following = false; // a table that is being played
  let timer = 0;
  let pace = SLOWEST;
  let paused = false;
  let board = null;

  const after = (milliseconds, act) => {
    clearTimeout(timer);
    timer = setTimeout(act, milliseconds);
  };

  const say = (words) =>
    at("told").replaceChildren(...words.map((word) => element("span", {}, Array.isArray(word) ? word[1] : word)));

  const apply = (step) => {
    board.apply(step.z);
    if (step.t && step.t.length) say(step.t);
  };

  const begin = ({ kind, key, names }) => {
    seen.push(key);
    seen.splice(0, seen.length - REMEMBERED);
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
      after(AGAIN, next); // the server is away
    }
  };

  const none = () => {
    root.querySelector("h2").textContent = "No match can be shown yet";
    at("kind").textContent = "A match is shown here as soon as its hands are public.";
    after(AGAIN, next);
  };

  const replay = async (chosen) => {
    const answer = await fetch(`${root.dataset.base}m/${encodeURIComponent(chosen.key)}/steps?eye=all`);
    if (!answer.ok) return after(AGAIN, next);
    begin(chosen);
    ({ steps } = await answer.json());
    pace = Math.max(FASTEST, Math.min(SLOWEST, LONGEST / Math.max(1, steps.length)));
    advance();
  };

  const advance = () => {
    if (paused || document.hidden) return;
    const step = steps.shift();
    if (!step) return after(REST, next);
    apply(step);
    after(step.t && step.t.length ? pace : pace / 3, advance); // where only cards move, less is to be read
  };

  const follow = (chosen) => {
    begin(chosen);
    following = true;
    const over = (words) => {
      if (words) say([words]);
      stop();
      after(REST, next);
    };
    arena.watch(chosen.key, {
      steps: (event) => JSON.parse(event.data).forEach(apply),
      end: (event) => over(JSON.parse(event.data).said),
      gone: () => over(""),
    });
  };

  const stop = () => {
    clearTimeout(timer);
    arena.watch(null);
    following = false;
    steps = [];
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
    if (paused) clearTimeout(timer);
    else advance();
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && !following && steps.length) advance();
  });
  addEventListener("pagehide", stop);
  next();
})();
