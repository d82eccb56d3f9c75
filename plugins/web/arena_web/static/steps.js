// The steps of a match as one eye sees them: the table after each, and what each says.
"use strict";
(() => {
  const FRAME_STEPS = 50; // steps between two key frames: a step back costs no more than so many merges

  const merge = (zones, changes) => {
    if (!changes) return zones;
    const all = { ...zones, ...changes };
    for (const key of Object.keys(changes)) if (changes[key] === null) delete all[key];
    return all;
  };

  const tally = (cards) => cards.reduce((counts, card) => counts.set(card, (counts.get(card) || 0) + 1), new Map());

  // The cards that a place has and had not, each with where it is
  const findGained = (zone, before) => {
    const had = tally((before && before.cards) || []);
    return (zone.cards || []).map((card, at) => [card, at]).filter(([card]) => {
      const left = had.get(card) || 0;
      had.set(card, left - 1);
      return left <= 0;
    });
  };

  const write = (card, zone) => {
    const { text, sign } = arena.face(card, zone);
    return text + sign;
  };

  const conjugate = (who, verb) => (who === "You" ? `You ${verb}` : `${who} ${verb}s`);

  /**
   * That a hand has fewer cards; empty for nothing.
   * @param {Zone} zone
   * @param {Zone} [before]
   */
  const describeHand = (zone, before) => {
    const { kind, title, cards = [] } = zone, { cards: had = [] } = before || {};
    if (kind !== "hand" || !cards.length || cards.length >= had.length) return "";
    return `${conjugate(title, "keep")} ${cards.map((card) => write(card, zone)).join(" ")}`;
  };

  /**
   * What a step says, for a list of words; where it says nothing: who lays which cards, who gets which, or what is
   * left of hands.
   * @param {MatchStep} step
   * @param {Object<string, Zone>} before
   * @param {(seat: number) => string} name
   * @returns {(string | MarkedLine)[]}
   */
  const describe = ({ t: words = [], z: changes }, before, name) => {
    const first = words.findIndex((word) => arena.plain(word).trim());
    if (first >= 0) return words.slice(first);
    const zones = /** @type {[string, Zone][]} */ (Object.entries(changes || {}).filter(([, zone]) => zone));
    const changed = zones.map(([key, zone]) => [zone, findGained(zone, before[key])]);
    const laid = changed.flatMap(([zone, cards]) =>
      zone.seats ? cards.map(([card, at]) => `${conjugate(name(zone.seats[at]), "play")} ${write(card, zone)}`) : []);
    const got = changed.flatMap(([zone, cards]) =>
      zone.kind === "hand" && cards.length ? [`${conjugate(zone.title, "get")} ${cards.map(([card]) => write(card, zone)).join(" ")}`] : []);
    const held = zones.map(([key, zone]) => describeHand(zone, before[key]));
    const rest = [Object.keys(before).length ? "The match goes on." : "The match begins."];
    const said = [laid, got, held].map((texts) => texts.filter(Boolean)).find((texts) => texts.length);
    return (said || rest).map((text) => ["quiet", text]);
  };

  arena.Steps = class {
    /**
     * @param {ReplayStep[]} steps - of a transcript
     * @param {(seat: number) => string} name - of a seat
     */
    constructor(steps, name) {
      this.all = steps.length ? steps : [{ l: 0, t: ["There is nothing to show."] }];
      this.frames = [];
      /** @type {Object<string, Zone>} */
      let zones = {};
      /** What each step says, as lines: a text, or [MARK, text]. */
      this.words = this.all.map((step, at) => {
        if (at % FRAME_STEPS === 0) this.frames.push(zones);
        const words = describe(step, zones, name);
        zones = merge(zones, step.z);
        return words;
      });
    }

    get length() {
      return this.all.length;
    }

    /**
     * The zones of the table after a step.
     * @param {number} at - the step
     * @returns {Object<string, Zone>}
     */
    findZones(at) {
      const frame = Math.floor(at / FRAME_STEPS);
      return this.all.slice(frame * FRAME_STEPS, at + 1).reduce((zones, step) => merge(zones, step.z), this.frames[frame]);
    }

    /**
     * Where a step is in the match: what began last, and what the step itself says; empty where nothing has begun.
     * @param {number} at - the step
     * @returns {string}
     */
    findPlace(at) {
      const heading = this.words.slice(0, at + 1).flat().findLast((line) => Array.isArray(line) && line[0] === "heading");
      const [begun, ...rest] = heading ? heading[1].split(":") : [""];
      const place = /\d/.test(begun) ? begun : [begun, ...rest].join(":").replace(/\.$/, "");
      const own = arena.plain(this.words[at][0] || "").match(/^\p{L}+ \d+(?=:)/u)?.[0] || "";
      return own && own !== place ? `${place}${place && ", "}${place ? own.toLowerCase() : own}` : place;
    }

    /**
     * The last step that is not behind a line of the transcript.
     * @param {number} line
     * @returns {number}
     */
    findStep(line) {
      let [low, high] = [0, this.length - 1];
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if (this.all[middle].l <= line) low = middle;
        else high = middle - 1;
      }
      return low;
    }

    /**
     * The first step that is not before a line of the transcript, what was answered there or what came of it; or the last.
     * @param {number} line
     * @returns {number}
     */
    findNext(line) {
      const step = this.all.findIndex(({ l }) => l >= line);
      return step < 0 ? this.length - 1 : step;
    }
  };
})();
