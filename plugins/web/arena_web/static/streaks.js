// How a person has done against each bot, kept in this browser alone: wins and losses, and how many of them in a row.
"use strict";
(() => {
  const KEY = "arena-streaks";
  const COUNTED = 200; // matches that are remembered as counted, so that a page that is loaded again counts none twice
  const read = () => {
    try {
      return { bots: {}, counted: [], ...JSON.parse(localStorage.getItem(KEY) || "{}") };
    } catch {
      return { bots: {}, counted: [] }; // something else was stored there, or nothing may be
    }
  };
  const shown = ({ streak }) => `${Math.abs(streak)} ${streak > 0 ? "win" : "loss"}${Math.abs(streak) === 1 ? "" : streak > 0 ? "s" : "es"}`;
  const told = (record) => {
    const { won = 0, lost = 0, tied = 0, streak = 0 } = record;
    const all = `${won} won, ${lost} lost${tied ? `, ${tied} tied` : ""}`;
    return streak ? `${all}; ${shown({ streak })} in a row` : all;
  };

  arena.streaks = {
    // What is known of a bot, in words; nothing where there is none
    of: (game, bot) => {
      const record = read().bots[`${game}/${bot}`];
      return record ? told(record) : "";
    },
    // Wins in a row, or losses as a negative number
    streak: (game, bot) => (read().bots[`${game}/${bot}`] || {}).streak || 0,
    // Count a match that is over, once: `won` is 1, 0 for a tie, or -1
    count: (game, bots, match, won) => {
      const all = read();
      if (all.counted.includes(match)) return;
      all.counted = [...all.counted, match].slice(-COUNTED);
      for (const bot of bots) {
        const record = { won: 0, lost: 0, tied: 0, streak: 0, ...all.bots[`${game}/${bot}`] };
        record[won > 0 ? "won" : won < 0 ? "lost" : "tied"] += 1;
        record.streak = won && Math.sign(record.streak) === won ? record.streak + won : won;
        all.bots[`${game}/${bot}`] = record;
      }
      try {
        localStorage.setItem(KEY, JSON.stringify(all));
      } catch {
        // there is no room, or nothing may be stored
      }
    },
  };

  for (const row of document.querySelectorAll("[data-bot]")) {
    const { game, bot } = row.dataset;
    row.querySelector(".streak").textContent = arena.streaks.of(game, bot);
  }
})();
