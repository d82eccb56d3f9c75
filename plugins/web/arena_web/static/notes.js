// What is said of a match: a step in words, and notes beside the steps, each at its line; what a seat has done is marked and listed,
// figures make a curve, and what is said of the first line stands above all. A note: {line, text, seat, figure, query}, and `at`, its step.
"use strict";
(() => {
  const { element } = arena;
  const signed = (figure) => `${figure > 0 ? "+" : figure < 0 ? "−" : ""}${Math.abs(Number(figure.toFixed(2)))}`;
  const { svg: draw, plain } = arena;
  const counted = (cards) => cards.reduce((counts, card) => counts.set(card, (counts.get(card) || 0) + 1), new Map());
  // The cards that a place has and had not
  const gained = (zone, before) => {
    const had = counted((before && before.cards) || []);
    return (zone.cards || []).map((card, at) => [card, at]).filter(([card]) => {
      const left = had.get(card) || 0;
      had.set(card, left - 1);
      return left <= 0;
    });
  };
  const shown = (card, zone) => (({ text, sign }) => text + sign)(arena.face(card, zone));

  const does = (who, verb) => who === "You" ? `You ${verb}` : `${who} ${verb}s`;

  // A place of the table, with what is written there, if that is new; a hand in another order
  const named = ({ kind, title, text, cards = [] }, before) => {
    if (!before) return title;
    if (text && text !== before.text) return `${title}: ${text}`;
    const sorted = kind === "hand" && cards.length && (before.cards || []).length === cards.length;
    return sorted ? `${does(title, "sort")} the hand` : title;
  };

  // What a step says, for a list of words; where it says nothing: who lays which cards, who gets which, or which
  // places of the table change. `before`: the table as it was; `name`: of a seat.
  arena.told = ({ t: words = [], z: changes }, before, name) => {
    const first = words.findIndex((word) => plain(word).trim());
    if (first >= 0) return words.slice(first);
    const changed = Object.entries(changes || {}).flatMap(([key, zone]) => (zone ? [[zone, gained(zone, before[key])]] : []));
    const laid = changed.flatMap(([zone, cards]) =>
      zone.seats ? cards.map(([card, at]) => `${does(name(zone.seats[at]), "play")} ${shown(card, zone)}`) : []);
    const got = changed.flatMap(([zone, cards]) =>
      zone.kind === "hand" && cards.length ? [`${does(zone.title, "get")} ${cards.map(([card]) => shown(card, zone)).join(" ")}`] : []);
    const titles = Object.entries(changes || {}).flatMap(([key, zone]) => (zone ? [named(zone, before[key])] : []));
    const rest = Object.keys(before).length ? `(${titles.join(", ")})` : "The match begins.";
    const said = laid.length ? laid : got.length ? got : [rest];
    return said.map((text) => ["quiet", text]);
  };

  arena.Notes = class {
    // `study`: where a note's query leads, if it leads anywhere; `name`: of seat 0, whose curve it is; `own`: the
    // seat of who looks, if it is one
    constructor(study, name, own) {
      Object.assign(this, { study, name, own, all: [], steps: 1 });
      this.curve = element("figure", { class: "curve", hidden: true });
      this.remarks = element("div", { class: "remarks", hidden: true });
    }

    take(notes, steps) {
      Object.assign(this, { all: notes.filter(({ text, figure, query }) => text || query || figure !== undefined), steps });
      const whole = this.all.filter((note) => this.whole(note));
      this.remarks.hidden = !whole.length;
      this.remarks.replaceChildren(...whole.map(({ text }) => element("p", {}, text)));
      this.draw(this.all.filter(({ figure }) => figure !== undefined));
    }

    // Is it said of the match as a whole?
    whole({ line, seat, figure }) {
      return line === 1 && seat === undefined && figure === undefined;
    }

    // What is marked on the line of time
    get moments() {
      return this.all.filter((note) => note.text && note.seat !== undefined).map((note) => ({ ...note, kind: "noted" }));
    }

    // What is to be said at a step, and the way to its position: as one's own seat saw it, or who is remarked on
    said(at) {
      const here = this.all.filter((note) => note.at === at && !this.whole(note));
      const texts = here.filter(({ text }) => text).map(({ text, seat }) =>
        element("p", { class: seat === undefined ? "note" : "note marked" }, text));
      const noted = here.filter(({ query }) => query);
      const note = noted.find(({ seat }) => seat === this.own) || noted.find(({ text }) => text) || noted[0];
      return note ? [...texts, element("p", { class: "note" }, ...this.way(note.query))] : texts;
    }

    // The way to what is known of a position
    way(query) {
      if (!query || !this.study) return [];
      return [" ", element("a", { href: `${this.study}?${new URLSearchParams(query)}` }, "Explore this round")];
    }

    x(at) {
      return (1000 * at) / Math.max(1, this.steps - 1);
    }

    draw(noted) {
      this.curve.hidden = noted.length < 2;
      if (this.curve.hidden) return;
      const figures = noted.map((note) => note.figure);
      const [low, high] = [Math.min(0, ...figures), Math.max(0, ...figures)];
      const y = (figure) => 96 - (92 * (figure - low)) / (high - low || 1);
      const points = noted.map(({ at, figure }) => `${this.x(at).toFixed(1)},${y(figure).toFixed(1)}`).join(" ");
      this.here = draw("line", { class: "here", y1: 0, y2: 100 });
      const zero = draw("line", { class: "zero", x1: 0, x2: 1000, y1: y(0), y2: y(0) });
      const size = { viewBox: "0 0 1000 100", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" };
      this.curve.replaceChildren(
        element("figcaption", {}, `Expected lead of ${this.name}`),
        element("div", {}, draw("svg", size, zero, this.here, draw("polyline", { points })),
          element("span", { class: "high" }, signed(high)), element("span", { class: "low" }, signed(low))),
      );
    }

    // Mark on the curve where one is
    stand(at) {
      if (this.here) for (const key of ["x1", "x2"]) this.here.setAttribute(key, this.x(at));
    }
  };
})();
