// A site of files: lists of matches and replays come as scripts, of which only those are loaded that
// are needed. Each hands over what it holds by `arena.list` or `arena.shard`.
"use strict";
(() => {
  const { element } = arena;
  const PAGE = 50; // matches
  const here = document.getElementById("site");
  const DEALS = Number(here.dataset.deals); // in a list
  const loaded = new Map();
  const given = new Map();
  const FILTERS = ["bot", "against", "result", "verdict", "end"];

  arena.list = (name, columns) => given.set(name, columns);
  arena.shard = (name, text) => given.set(name, text);

  const name = (letter, number) => letter + String(number).padStart(5, "0");
  const load = (which) => {
    if (!loaded.has(which))
      loaded.set(which, new Promise((resolve, reject) => {
        const script = element("script", {});
        script.src = arena.policy.createScriptURL(`data/${which}.js`);
        script.addEventListener("load", () => (given.has(which) ? resolve(given.get(which)) : reject(new Error(`${which}.js cannot be read`))));
        script.addEventListener("error", () => reject(new Error(`data/${which}.js is missing`)));
        document.head.append(script);
      }));
    return loaded.get(which);
  };

  const inflated = (text) => {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Response(stream).json();
  };

  const titles = new Map(Object.entries(JSON.parse(here.dataset.labels || "{}")));
  const [units, fewest] = JSON.parse(here.dataset.count); // what people count of a score
  const counted = (score) => (fewest ? 0 - score : score);
  const short = (id) => id.replace(/@[^@]*$/, "");
  const label = (id) => titles.get(short(id)) || short(id); // what people call it
  const player = (list, row, seat) => {
    const score = list.scores[row][seat];
    const made = element("span", { class: `player${list.places[row][seat] === 1 ? " won" : ""}` }, label(list.bots[list.seats[row][seat]]));
    if (score !== null) made.append(" ", element("b", {}, String(counted(score))));
    return made;
  };
  const joined = (names) => (names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}` : names.join(""));
  // Who beat whom, as the pages of a server say it
  const result = (list, row) => {
    const places = list.places[row];
    const players = list.seats[row].map((bot, seat) => ({ name: label(list.bots[bot]), place: places[seat], score: list.scores[row][seat] }));
    const labels = (some) => joined(some.map(({ name }) => name));
    if (players.length < 2 || players.some(({ place }) => !place)) return players.map(({ name }) => name).join(" against ");
    const order = [...players].sort((one, other) => one.place - other.place);
    const [best, rest] = [order.filter(({ place }) => place === 1), order.filter(({ place }) => place !== 1)];
    const points = order.length === 2 && order.every(({ score }) => score !== null) ? `, ${counted(order[0].score)} to ${counted(order[1].score)} ${units}` : "";
    if (best.length === 1) return `${labels(best)} beats ${labels(rest)}${points}`;
    return `${labels(best)} tie${points}${rest.length ? `, ahead of ${labels(rest)}` : ""}`;
  };
  const failures = (list, row) =>
    (list.verdicts[row] || []).flatMap((kind, seat) => (kind ? [`${label(list.bots[list.seats[row][seat]])}: ${kind}`] : []));
  const line = (list, row) =>
    element("tr", {},
      element("th", { scope: "row" }, element("a", { href: `match.html#m=${list.keys[row]}` }, list.keys[row]),
        ...(list.stages[row] ? [" ", element("small", {}, list.stages[row])] : [])),
      element("td", { class: "words players" }, ...list.seats[row].flatMap((_, seat) => [player(list, row, seat), " "])),
      element("td", { class: "words" }, list.ends[row]),
      element("td", { class: "words" }, failures(list, row).join(", ")));

  // The same from the side of a bot: whether it won, its score and the best other one, against whom
  const outcome = (places, seat) => {
    if (!places[seat]) return "void";
    if (places[seat] > 1) return "lost";
    return places.some((place, other) => other !== seat && place === 1) ? "tied" : "won";
  };
  const points = (scores, seat) => {
    const others = scores.filter((score, other) => other !== seat && score !== null);
    return [scores[seat], ...(others.length ? [Math.max(...others)] : [])].filter((score) => score !== null).map(counted).join(" : ");
  };
  const side = (list, row, seat) => {
    const places = list.places[row];
    const won = outcome(places, seat);
    const others = list.seats[row].flatMap((bot, other) => (other === seat ? [] : [element("span", { class: "player" }, label(list.bots[bot])), " "]));
    return element("tr", {},
      element("th", { scope: "row" }, element("a", { href: `match.html#m=${list.keys[row]}` }, list.keys[row])),
      element("td", { class: `words result ${won}` }, won),
      element("td", {}, points(list.scores[row], seat)),
      element("td", {}, places[seat] ? `${places[seat]} of ${places.length}` : ""),
      element("td", { class: "words players" }, ...others),
      element("td", { class: "words" }, list.ends[row]),
      element("td", { class: "words" }, (list.verdicts[row] && list.verdicts[row][seat]) || ""));
  };

  // What names a bot names it in all its versions, or in one
  const called = (list, who) => (who ? new Set(list.bots.flatMap((id, at) => (id === who || short(id) === who ? [at] : []))) : null);
  // Which rows a filter lets through
  const fits = (list, asked) => {
    const [bot, against] = [called(list, asked.bot), called(list, asked.against)];
    const results = { won: (place) => place === 1, lost: (place) => place > 1 };
    return (row) => {
      const seats = list.seats[row];
      const mine = bot ? seats.flatMap((one, seat) => (bot.has(one) ? [seat] : [])) : [...seats.keys()];
      if (bot && !mine.length) return false;
      if (against && !seats.some((one) => against.has(one))) return false;
      if (bot && asked.result && !mine.some((seat) => results[asked.result](list.places[row][seat]))) return false;
      if (asked.end ? list.ends[row] !== asked.end : list.ends[row] === "cancelled") return false;
      return !asked.verdict || mine.some((seat) => list.verdicts[row] && list.verdicts[row][seat] === asked.verdict);
    };
  };

  class Matches {
    constructor(root) {
      this.rows = root.querySelector("tbody");
      this.more = root.querySelector("[data-more]");
      this.said = root.querySelector("[data-said]");
      this.form = root.querySelector("form");
      this.headings = root.querySelectorAll("[data-side]");
      this.choose = () => (this.form.elements.result.disabled = !this.form.elements.bot.value); // whose result?
      this.form.elements.bot.addEventListener("change", this.choose);
      this.lists = here.dataset.lists.split(" ").filter(Boolean).map(Number).sort((one, other) => other - one);
      this.form.addEventListener("submit", (event) => {
        event.preventDefault();
        const asked = new URLSearchParams([...new FormData(this.form)].filter(([, value]) => value));
        history.replaceState(null, "", `#${asked}`);
        this.begin();
      });
      this.more.addEventListener("click", () => this.show());
      window.addEventListener("hashchange", () => this.begin());
      this.begin();
    }

    begin() {
      const words = new URLSearchParams(location.hash.slice(1));
      this.asked = Object.fromEntries(FILTERS.map((key) => [key, words.get(key) || ""]));
      for (const key of FILTERS) {
        const [field, wanted] = [this.form.elements[key], this.asked[key]];
        if (key !== "result" && wanted && ![...field.options].some(({ value }) => value === wanted)) field.add(new Option(wanted, wanted)); // one version of a bot
        field.value = wanted;
      }
      this.asked.result = this.form.elements.result.value; // "" for what is no result
      this.choose();
      for (const heading of this.headings) heading.hidden = (heading.dataset.side === "bot") !== Boolean(this.asked.bot);
      this.rows.replaceChildren();
      this.next = this.found();
      this.shown = 0;
      return this.show();
    }

    async *found() {
      for (const number of this.lists) {
        const list = await load(name("l", number));
        const fitting = fits(list, this.asked);
        const bot = called(list, this.asked.bot);
        const shown = (row) => (bot ? side(list, row, list.seats[row].findIndex((seated) => bot.has(seated))) : line(list, row));
        for (let row = list.keys.length - 1; row >= 0; row--) if (fitting(row)) yield shown(row);
      }
    }

    async show() {
      const from = this.next;
      const some = [];
      let over = false;
      try {
        while (some.length < PAGE && !over) {
          const { value, done } = await from.next();
          over = done;
          if (value) some.push(value);
        }
      } catch (problem) {
        this.said.textContent = problem.message;
        return;
      }
      if (from !== this.next) return; // something else is asked for by now
      this.rows.append(...some);
      this.shown += some.length;
      this.more.hidden = over;
      this.said.textContent = this.shown ? `${this.shown} matches shown${over ? " (all)" : ""}` : "No matches.";
    }
  }

  // One match: where it stands in the lists says which shard shows it
  const show = async () => {
    const key = new URLSearchParams(location.hash.slice(1)).get("m") || "";
    const title = document.querySelector("h1");
    const said = document.querySelector("[data-said]");
    const fail = (words) => (said.textContent = words);
    if (!/^\d{1,9}\.\d{1,4}$/.test(key)) return fail("This address does not name a match. It should look like match.html#m=12.0.");
    try {
      const list = await load(name("l", Math.floor(Number.parseInt(key, 10) / DEALS)));
      const row = list.keys.indexOf(key);
      if (row < 0) return fail("This match has not been played.");
      title.textContent = result(list, row);
      document.title = `${title.textContent} · ${document.title}`;
      document.querySelector(".far").append(" ", element("small", {}, `match ${key}`));
      document.querySelector("tbody").replaceChildren(line(list, row));
      document.querySelector(".scroller").hidden = false;
      const shard = list.shards[row];
      if (shard < 0) return fail("This match has no replay: its transcript was not stored, or its deal is not over yet.");
      const match = (await inflated(await load(name("r", shard))))[key];
      const file = document.querySelector("[data-transcript]");
      if (file) file.href = `data/${name("t", shard)}.jsonl.gz`;
      arena.replay(document.getElementById("replay"), match.eyes, async (eye) => match.steps[eye]);
    } catch (problem) {
      fail(problem.message);
    }
  };

  if (here.dataset.shows === "match") {
    const first = new URLSearchParams(location.hash.slice(1)).get("m");
    window.addEventListener("hashchange", () => new URLSearchParams(location.hash.slice(1)).get("m") !== first && location.reload());
    show();
  } else new Matches(here);
})();
