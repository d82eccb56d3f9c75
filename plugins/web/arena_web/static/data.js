// The data of a site of files: lists of matches and replays come as scripts, of which only those are loaded that are
// needed. Each hands over what it holds by `arena.list` or `arena.shard`.
"use strict";
(() => {
  const dealsOfList = Number(arena.byId("site").dataset.deals);
  const loading = new Map(); // promises of what a script holds, by its name
  const handed = new Map(); // what scripts hold, by their names

  /**
   * Take a part of the list of all matches, as columns.
   * @param name - of its script
   */
  arena.list = (name, columns) => handed.set(name, columns);

  /**
   * Take the replays of some matches.
   * @param name - of their script
   * @param text - in base 64, deflated
   */
  arena.shard = (name, text) => handed.set(name, text);

  const nameFile = (letter, number) => letter + String(number).padStart(5, "0");

  const loadScript = (name) => new Promise((resolve, reject) => {
    const script = arena.element("script");
    script.src = arena.policy.createScriptURL(`data/${name}.js`);
    script.addEventListener("load", () => (handed.has(name) ? resolve(handed.get(name)) : reject(new Error(`${name}.js cannot be read`))));
    script.addEventListener("error", () => reject(new Error(`data/${name}.js is missing`)));
    document.head.append(script);
  });

  const load = (name) => {
    if (!loading.has(name)) loading.set(name, loadScript(name));
    return loading.get(name);
  };

  const inflate = (text) => {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new globalThis.DecompressionStream("deflate-raw"));
    return new Response(stream).json();
  };

  arena.data = {
    /** Load a part of the list of matches. */
    loadList: (number) => load(nameFile("l", number)),

    /** Load the part of the list that has the matches of a deal. */
    loadListOf: (deal) => load(nameFile("l", Math.floor(deal / dealsOfList))),

    /**
     * Load the replays of a shard.
     * @returns by the keys of the matches
     */
    loadReplays: async (shard) => inflate(await load(nameFile("r", shard))),

    /** The address of the transcripts of a shard. */
    findTranscripts: (shard) => `data/${nameFile("t", shard)}.jsonl.gz`,
  };
})();
