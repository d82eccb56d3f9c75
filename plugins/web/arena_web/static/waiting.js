// Waiting for friends: who is there, the link for them, and the way to the table once the match begins.
"use strict";
(() => {
  const page = document.getElementById("waiting");
  const at = (id) => document.getElementById(id);
  const move = () => location.assign(page.dataset.base); // also from where a name was refused
  const source = new EventSource(page.dataset.base + "/events");
  let missing = []; // names of those who have a seat, and have never been here
  source.addEventListener("now", ({data}) => { if (JSON.parse(data).feed !== page.dataset.feed) move(); });
  source.addEventListener("moved", move);
  source.addEventListener("present", ({data}) => {
    const {said, presence, late} = JSON.parse(data);
    at("present").textContent = said;
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
    for (const place of [at("present"), ...page.querySelectorAll("[data-presence]")]) place.textContent = "";
  }

  // What it means to start now: without whom, or with how many bots
  function label() {
    if (!at("start")) return;
    const bots = at("players").querySelectorAll(".hint").length;
    const without = missing.length ? ` without ${new Intl.ListFormat("en-GB").format(missing)}` : "";
    at("start").textContent = "Start" + (without || (at("bot").value ? ` with ${bots} bot${bots === 1 ? "" : "s"}` : " now"));
  }
  if (at("bot")) at("bot").addEventListener("change", label);
  label();

  const link = at("invitation");
  if (!link) return;
  const shares = navigator.share && matchMedia("(pointer: coarse)").matches;
  if (shares) at("copy").textContent = "Share the link";
  link.textContent = link.href;
  const local = ["localhost", "127.0.0.1"].includes(location.hostname); // which a telephone cannot reach
  if (at("local")) at("local").hidden = !local;
  at("code").hidden = local;
  at("copy").addEventListener("click", async () => {
    if (shares) return navigator.share({url: link.href}).catch(() => {});
    try {
      await navigator.clipboard.writeText(link.href);
      at("copy").textContent = "Copied";
    } catch { // a browser that allows no page to do so
      getSelection().selectAllChildren(link);
    }
  });
})();
