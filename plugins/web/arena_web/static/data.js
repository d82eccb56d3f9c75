// The data of a site of files: lists of matches and replays come as scripts, of which only those are loaded that are
// needed. Each hands over what it holds by `arena.list` or `arena.shard`, with its name.

import { byId, element } from "./elements.js";

/**
 * A part of the list of all matches, as columns.
 * @typedef {Object} MatchColumns
 * @property {string[]} bots
 * @property {[said: string, seats: SeatResult[]][]} results - how matches ended: a sentence with places for names, and each seat
 * @property {string[]} keys
 * @property {string[]} ends
 * @property {string[]} stages
 * @property {number[][]} seats - the indices in `bots`
 * @property {number[]} result_of - the index in `results`
 * @property {(string[] | 0)[]} verdicts - the kinds by seat; 0 where nobody got one
 * @property {number[]} shards
 *
 * How a match ended for a seat, in words: won, tied, lost or void; its score, alone and beside the best other one; its place.
 * @typedef {[result: string, count: string, score: string, place: string]} SeatResult
 *
 * The replays of a shard, by the keys of their matches.
 * @typedef {Record<string, StoredReplay>} Replays
 */

const dealsOfList = Number(byId("site").dataset.deals);

/** @type {(letter: string, number: number) => string} */
const nameFile = (letter, number) => letter + String(number).padStart(5, "0");

/** @type {Pick<TrustedTypePolicy, "createScriptURL">} */
const policy = {
  createScriptURL: (url) => {
    if (/^data\/[a-z]\d{5}\.js$/.test(url)) return url;
    throw new TypeError(`not a script of this site: ${url}`);
  },
};
const trusted = window.trustedTypes?.createPolicy("arena", policy) ?? policy;

/**
 * The scripts of one kind, each of which hands over what it holds once it is loaded.
 * @template T - what they hold
 */
class Scripts {
  #letter;
  /** @type {Map<string, Promise<T>>} */
  #loading = new Map(); // by names of scripts
  /** @type {Map<string, T>} */
  #handed = new Map(); // the same

  /** @param {string} letter - with which their names begin */
  constructor(letter) {
    this.#letter = letter;
  }

  /**
   * Take what a script holds.
   * @param {string} name - of the script
   * @param {T} content
   */
  take(name, content) {
    this.#handed.set(name, content);
  }

  /**
   * Load what a script holds, once; a script that could not be loaded is loaded anew when it is asked for again.
   * @param {number} number - of the script
   * @returns {Promise<T>}
   */
  load(number) {
    const name = nameFile(this.#letter, number);
    const known = this.#loading.get(name);
    if (known) return known;
    const loading = this.#loadScript(name);
    this.#loading.set(name, loading);
    loading.catch(() => this.#loading.delete(name));
    return loading;
  }

  /**
   * @param {string} name
   * @returns {Promise<T>}
   */
  #loadScript(name) {
    return new Promise((resolve, reject) => {
      const script = element("script");
      script.src = trusted.createScriptURL(`data/${name}.js`);
      script.addEventListener("load", () => {
        const content = this.#handed.get(name);
        if (content === undefined) reject(new Error(`${name}.js cannot be read`));
        else resolve(content);
      });
      script.addEventListener("error", () => reject(new Error(`data/${name}.js is missing`)));
      document.head.append(script);
    });
  }
}

/** @type {Scripts<MatchColumns>} */
const lists = new Scripts("l");
/** @type {Scripts<string>} */
const shards = new Scripts("r");

// What the scripts call
Object.assign(globalThis, {
  arena: {
    /** @type {(name: string, columns: MatchColumns) => void} */
    list: (name, columns) => lists.take(name, columns),
    /** @type {(name: string, text: string) => void} */
    shard: (name, text) => shards.take(name, text), // in base 64, deflated
  },
});

/** @type {(text: string) => Promise<Replays>} */
const inflate = (text) => {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).json();
};

/**
 * Load a part of the list of matches.
 * @param {number} number
 */
export function loadList(number) {
  return lists.load(number);
}

/**
 * Load the part of the list that has the matches of a deal.
 * @param {number} deal
 */
export function loadListOf(deal) {
  return lists.load(Math.floor(deal / dealsOfList));
}

/**
 * Load the replays of a shard.
 * @param {number} shard
 */
export async function loadReplays(shard) {
  return inflate(await shards.load(shard));
}

/**
 * The address of the transcripts of a shard.
 * @param {number} shard
 */
export function findTranscripts(shard) {
  return `data/${nameFile("t", shard)}.jsonl.gz`;
}
