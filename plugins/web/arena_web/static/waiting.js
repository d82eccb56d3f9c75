// Waiting for friends: who is there, the link for them, and the way to the table once the match begins.
"use strict";
(() => {
  const page = arena.byId("waiting"), start = arena.byId("start"), bot = arena.byId("bot"), link = arena.byId("invitation");
  const places = page.querySelectorAll("[data-presence]");

  // --- who is there ---------------------------------------------------------------------------
  const move = () => location.assign(page.dataset.base); // also from where a name was refused
  const source = new EventSource(`${page.dataset.base}/events`);
  let missing = []; // names of those who have a seat, and have never been here

  // Nobody knows who is there, until that is told again
  const forgetPresence = () => {
    for (const place of [arena.byId("present"), ...places]) place.textContent = "";
  };

  // What it means to start now: without whom, or with how many bots
  const labelStart = () => {
    if (!start) return;
    const bots = arena.byId("players").querySelectorAll(".hint").length;
    const without = missing.length ? ` without ${new Intl.ListFormat("en-GB").format(missing)}` : "";
    start.textContent = "Start" + (without || (bot.value ? ` with ${arena.counted(bots, "bot")}` : " now"));
  };

  source.addEventListener("now", ({ data }) => { if (JSON.parse(data).feed !== page.dataset.feed) move(); });
  source.addEventListener("moved", move);
  source.addEventListener("present", ({ data }) => {
    const { said, presence, late } = JSON.parse(data);
    arena.byId("present").textContent = said;
    for (const place of places) place.textContent = presence[place.dataset.presence];
    missing = late;
    labelStart();
  });
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) move();
    else forgetPresence();
  });
  addEventListener("offline", () => {
    source.close();
    forgetPresence();
  });
  addEventListener("online", move);
  addEventListener("pagehide", () => source.close());
  if (bot) bot.addEventListener("change", labelStart);
  labelStart();

  // --- the link -------------------------------------------------------------------------------
  const offerLink = () => {
    const copy = arena.byId("copy"), hint = arena.byId("local");
    const canShare = navigator.share && matchMedia("(pointer: coarse)").matches;
    const isLocal = ["localhost", "127.0.0.1"].includes(location.hostname); // which a telephone cannot reach
    if (canShare) copy.textContent = "Share the link";
    link.textContent = link.href;
    if (hint) hint.hidden = !isLocal;
    arena.byId("code").hidden = isLocal;
    copy.addEventListener("click", async () => {
      if (canShare) return navigator.share({ url: link.href }).catch(() => {});
      try {
        await navigator.clipboard.writeText(link.href);
        copy.textContent = "Copied";
      } catch { // a browser that allows no page to do so
        getSelection().selectAllChildren(link);
      }
    });
  };
  if (link) offerLink();
})();
