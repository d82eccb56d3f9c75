// Waiting for friends: who is there, the link for them, and the way to the table once the match begins.
"use strict";
(() => {
  const page = document.getElementById("waiting");
  const at = (id) => document.getElementById(id);
  const move = () => location.reload();
  const source = new EventSource(page.dataset.base + "/events");
  source.addEventListener("now", ({data}) => { if (JSON.parse(data).feed !== page.dataset.feed) move(); });
  source.addEventListener("moved", move);
  source.addEventListener("present", ({data}) => { at("present").textContent = JSON.parse(data).said; });
  source.addEventListener("error", () => { if (source.readyState === EventSource.CLOSED) move(); });
  addEventListener("pagehide", () => source.close());

  const link = at("invitation");
  if (!link) return;
  link.textContent = link.href;
  at("local").hidden = !["localhost", "127.0.0.1"].includes(location.hostname);
  at("copy").addEventListener("click", async () => {
    if (navigator.share && matchMedia("(pointer: coarse)").matches) return navigator.share({url: link.href}).catch(() => {});
    try {
      await navigator.clipboard.writeText(link.href);
      at("copy").textContent = "Copied";
    } catch { // a browser that allows no page to do so
      getSelection().selectAllChildren(link);
    }
  });
})();
