// Waiting for friends: who is there, the link for them, and the way to the table once the match begins.
"use strict";
(() => {
  const page = arena.byId("waiting");
  const move = () => location.assign(page.dataset.base); // also from where a name was refused
  const source = new EventSource(page.dataset.base + "/events");
  let missing = []; // names of those who have a seat, and have never been here
  source.addEventListener("now", ({data}) => { if (JSON.parse(data).feed !== page.dataset.feed) move(); });
  source.addEventListener("moved", move);
  source.addEventListener("present", ({data}) => {
    const {said, presence, late} = JSON.parse(data);
    arena.byId("present").textContent = said;
    for (const place of page.querySelectorAll("[data-presence]")) place.textContent = presence[place.dataset.presence];
    missing = late;
    label();
  });
  source.addEventListener("error", () => { if (source.readyState === EventSource.CLOSED) move(); else lost(); });
  addEventListener("offline", () => { source.close(); lost(); });
  addEventListener("online", move);
  addEventListener("pagehide", () => source.close());

  // Nobody knows who is there, until that is told again
  function lost() {
    for (const place of [arena.byId("present"), ...page.querySelectorAll("[data-presence]")]) place.textContent = "";
  }

  // What it means to start now: without whom, or with how many bots
  function label() {
    if (!arena.byId("start")) return;
    const bots = arena.byId("players").querySelectorAll(".hint").length;
    const without = missing.length ? ` without ${new Intl.ListFormat("en-GB").format(missing)}` : "";
    arena.byId("start").textContent = "Start" + (without || (arena.byId("bot").value ? ` with ${arena.counted(bots, "bot")}` : " now"));
  }
  if (arena.byId("bot")) arena.byId("bot").addEventListener("change", label);
  label();

  const link = arena.byId("invitation");
  if (!link) return;
  const shares = navigator.share && matchMedia("(pointer: coarse)").matches;
  if (shares) arena.byId("copy").textContent = "Share the link";
  link.textContent = link.href;
  const local = ["localhost", "127.0.0.1"].includes(location.hostname); // which a telephone cannot reach
  if (arena.byId("local")) arena.byId("local").hidden = !local;
  arena.byId("code").hidden = local;
  arena.byId("copy").addEventListener("click", async () => {
    if (shares) return navigator.share({url: link.href}).catch(() => {});
    try {
      await navigator.clipboard.writeText(link.href);
      arena.byId("copy").textContent = "Copied";
    } catch { // a browser that allows no page to do so
      getSelection().selectAllChildren(link);
    }
  });
})();
