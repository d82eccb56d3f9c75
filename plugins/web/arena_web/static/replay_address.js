// Where one is in a replay, as the hash of the page's address says it: `#step=17&eye=1`; `#verdict=1` is where seat 1 failed.
"use strict";
(() => {
  const SAVE_MILLISECONDS = 200; // until an address is saved: a browser refuses many of them at once

  arena.ReplayAddress = class {
    #saving = 0; // the timer until the address says where one is

    /**
     * Read where an address leads.
     * @param {string} hash
     * @returns {{eye: ?string, step: ?number, verdict: ?string}} the eye, the number of the step, the seat that failed
     */
    static read(hash) {
      const parts = new URLSearchParams(hash.slice(1)), step = Number.parseInt(parts.get("step") ?? "", 10);
      return { eye: parts.get("eye"), step: Number.isNaN(step) ? null : step, verdict: parts.get("verdict") };
    }

    /**
     * Build the address of a step; what else the hash says stays.
     * @param {number} step - its number
     * @param {string} eye
     */
    static build(step, eye) {
      const parts = new URLSearchParams(location.hash.slice(1));
      parts.delete("verdict");
      parts.set("step", String(step));
      parts.set("eye", eye);
      return `#${parts}`;
    }

    /**
     * Have the address say where one is.
     * @param {number} step - its number
     * @param {string} eye
     */
    save(step, eye) {
      clearTimeout(this.#saving);
      this.#saving = setTimeout(() => history.replaceState(null, "", arena.ReplayAddress.build(step, eye)), SAVE_MILLISECONDS);
    }
  };
})();
