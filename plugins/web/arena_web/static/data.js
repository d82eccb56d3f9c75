// The data of a site of files: lists of matches and replays come as scripts, of which only those are loaded that are
// needed. Each hands over what it holds by `arena.list` or `arena.shard`.
"use strict";
(() => {
  const dealsOfList = Number(arena.byId("site").dataset.deals);

  /** @type {(letter: string, number: number) => string} */
  const nameFile = (letter, number) => letter + String(number).padStart(5, "0");
  /** @type {Map<string, Promise<MatchColumns | string>>} */

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
     * Load what a script holds, once.
     * @param {number} number - of the script
     * @returns {Promise<T>}
     */
    load(number) {
      const name = nameFile(this.#letter, number), loading = this.#loading.get(name) ?? this.#loadScript(name);
      this.#loading.set(name, loading);
      return loading;
    }

    /**
     * @param {string} name
     * @returns {Promise<T>}
     */
    #loadScript(name) {
      return new Promise((resolve, reject) => {
        const script = arena.element("script");
        script.src = arena.policy.createScriptURL(`data/${name}.js`);
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

  /**
   * Take a part of the list of all matches, as columns.
   * @param name - of its script
   */
  arena.list = (name, columns) => lists.take(name, columns);

  /**
   * Take the replays of some matches.
   * @param name - of their script
   * @param text - in base 64, deflated
   */
  arena.shard = (name, text) => shards.take(name, text);

  /** @type {(text: string) => Promise<Record<string, StoredReplay>>} */
  const inflate = (text) => {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return new Response(stream).json();
  };

  arena.data = {
    /** Load a part of the list of matches. */
    loadList: (number) => lists.load(number),

    /** Load the part of the list that has the matches of a deal. */
    loadListOf: (deal) => lists.load(Math.floor(deal / dealsOfList)),

    /**
     * Load the replays of a shard.
     * @returns by the keys of the matches
     */
    loadReplays: async (shard) => inflate(await shards.load(shard)),

    /** The address of the transcripts of a shard. */
    findTranscripts: (shard) => `data/${nameFile("t", shard)}.jsonl.gz`,
  };
})();
