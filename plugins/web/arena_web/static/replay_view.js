// The steps of a match as one eye sees them: the table after each, and what each says.

import { Board } from "./board.js";
import { describeCard } from "./cards.js";
import { getText } from "./texts.js";

const MAX_DEALING_STEPS = 16; // steps in which hands are dealt, at most
const FRAME_STEPS = 50; // steps between two key frames: a step back costs no more than so many merges

/** @type {(cards: Card[]) => Map<Card, number>} */
const tally = (cards) => {
  const counts = new Map();
  for (const card of cards) counts.set(card, (counts.get(card) ?? 0) + 1);
  return counts;
};

/**
 * The cards that a place has and had not, each with where it is.
 * @type {(zone: Zone, before?: Zone) => [card: Card, at: number][]}
 */
const findGained = (zone, before) => {
  const had = tally(before?.cards ?? []);
  return (zone.cards ?? []).flatMap((card, at) => {
    const left = had.get(card) ?? 0;
    had.set(card, left - 1);
    return left > 0 ? [] : [[card, at]];
  });
};

/** @type {(card: Card, zone: Zone) => string} */
const write = (card, zone) => {
  const { text, sign } = describeCard(card, zone);
  return text + sign;
};

/** @type {(cards: Card[], zone: Zone) => string} */
const list = (cards, zone) => cards.map((card) => write(card, zone)).join(" ");

/** @type {(who: string, verb: string) => string} */
const conjugate = (who, verb) => (who === "You" ? `You ${verb}` : `${who} ${verb}s`);

/**
 * Who lays which cards; none where nobody does.
 * @type {(zone: Zone, before: Zone | undefined, name: (seat: number) => string) => string[]}
 */
const describeLaid = (zone, before, name) => {
  const { seats } = zone;
  return seats
    ? findGained(zone, before).map(([card, at]) => `${conjugate(name(seats[at]), "play")} ${write(card, zone)}`)
    : [];
};

/**
 * Which cards a hand gets; none where it gets none.
 * @type {(zone: Zone, before?: Zone) => string[]}
 */
const describeGot = (zone, before) => {
  const cards = findGained(zone, before).map(([card]) => card);
  return zone.kind === "hand" && cards.length ? [`${conjugate(zone.title, "get")} ${list(cards, zone)}`] : [];
};

/**
 * Which cards are left of a hand; none where it is no smaller.
 * @type {(zone: Zone, before?: Zone) => string[]}
 */
const describeKept = (zone, before) => {
  const { kind, title, cards = [] } = zone, had = before?.cards ?? [];
  return kind === "hand" && cards.length && cards.length < had.length
    ? [`${conjugate(title, "keep")} ${list(cards, zone)}`]
    : [];
};

/**
 * What a step says, for a list of words; where it says nothing: who lays which cards, who gets which, or what is
 * left of hands.
 * @param {MatchStep} step
 * @param {Record<string, Zone>} before
 * @param {(seat: number) => string} name
 * @returns {(string | MarkedLine)[]}
 */
const describe = ({ t: words = [], z: changes = {} }, before, name) => {
  const first = words.findIndex((word) => getText(word).trim());
  if (first >= 0) return words.slice(first);
  const zones = Object.entries(changes).flatMap(([key, zone]) => (zone ? [{ zone, old: before[key] }] : []));
  const [laid, got, kept] = [describeLaid, describeGot, describeKept].map((tell) =>
    zones.flatMap(({ zone, old }) => tell(zone, old, name))
  );
  const said = [laid, got, kept].find((texts) => texts.length) ??
    [Object.keys(before).length ? "The match goes on." : "The match begins."];
  return said.map((text) => ["quiet", text]);
};

/** @param {Zone} zone */
const hasCards = ({ cards = [], hidden = 0 }) => cards.length > 0 || hidden > 0;

export class ReplayView {
  /** @type {Record<string, Zone>[]} */
  #frames = []; // the zones before each of so many steps

  #eye;

  /**
   * @param {string} eye - its key
   * @param {ReplayStep[]} steps - that it sees of a transcript
   * @param {(seat: number) => string} name - of a seat
   */
  constructor(eye, steps, name) {
    this.#eye = eye;
    this.all = steps.length ? steps : [{ l: 0, number: 0, t: ["There is nothing to show."] }];
    /** @type {Record<string, Zone>} */
    let zones = {};
    /** What each step says, as lines: a text, or [MARK, text]. */
    this.words = this.all.map((step, at) => {
      if (at % FRAME_STEPS === 0) this.#frames.push(zones);
      const words = describe(step, zones, name);
      zones = Board.merge(zones, step.z);
      return words;
    });
  }

  get length() {
    return this.all.length;
  }

  /**
   * The number of a step, which is the same through all eyes.
   * @param {number} at - its index
   */
  findNumber(at) {
    return this.all[at].number;
  }

  /**
   * The zones of the table after a step.
   * @param {number} at - its index
   */
  findZones(at) {
    const frame = Math.floor(at / FRAME_STEPS);
    return this.all.slice(frame * FRAME_STEPS, at + 1).reduce(
      (zones, step) => Board.merge(zones, step.z),
      this.#frames[frame],
    );
  }

  /**
   * Nobody begins with an empty table, but with the first step at which the cards are seen of all hands that this eye
   * sees, if that is in the beginning, or else the first at which there are cards.
   */
  findOpening() {
    const tables = this.all.slice(0, MAX_DEALING_STEPS).map((_, at) => Object.values(this.findZones(at)));
    const first = tables.findIndex((zones) => zones.some(hasCards));
    const open = tables.findIndex((zones) => zones.some(hasCards) && !zones.some((zone) => this.#isUnseen(zone)));
    return Math.max(0, open < 0 ? first : open);
  }

  /**
   * Whether a zone is a hand of which this eye will see cards that it does not see yet.
   * @param {Zone} zone
   */
  #isUnseen({ kind, of: owner, cards = [], hidden = 0 }) {
    if (kind !== "hand") return false;
    return this.#eye === "all" ? hidden > 0 : String(owner) === this.#eye && !cards.length;
  }

  /**
   * Where a step is in the match, such as in a trick; empty where nothing has begun.
   * @param {number} at - the step
   * @returns {string}
   */
  findPlace(at) {
    return this.all.slice(0, at + 1).findLast(({ place }) => place)?.place ?? "";
  }

  /**
   * The step with a number, or the last before it.
   * @param {number} number
   * @returns {number}
   */
  findStep(number) {
    let [low, high] = [0, this.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.findNumber(middle) <= number) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /**
   * The step in which a line of the transcript is seen, and what came of it.
   * @param {number} line
   * @returns {number}
   */
  findLine(line) {
    const step = this.all.findIndex(({ l }) => l >= line);
    return step < 0 ? this.length - 1 : step;
  }

  /**
   * The step at which a seat failed, or -1.
   * @param {string} seat
   * @returns {number}
   */
  findFailure(seat) {
    return this.all.findIndex(({ bad }) => bad && String(bad.seat) === seat);
  }
}
