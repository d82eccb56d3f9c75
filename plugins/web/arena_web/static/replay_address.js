// Where one is in a replay, as the hash of the page's address says it: `#step=17&eye=1`; `#line=40` is where that
// line of the transcript is seen, and `#verdict=1` where seat 1 failed.

const SAVE_MILLISECONDS = 200; // until an address is saved: a browser refuses many of them at once
const KEYS = ["eye", "step", "line", "verdict"];

export class ReplayAddress {
  #saving = 0; // the timer until the address says where one is

  /**
   * Read where an address leads.
   * @param {string} hash
   * @returns {{eye: ?string, step: ?number, line: ?number, verdict: ?string}} the eye, the number of the step or a line in it, the seat that failed
   */
  static read(hash) {
    const parts = new URLSearchParams(hash.slice(1));
    /** @param {string} name */
    const readNumber = (name) => {
      const number = Number.parseInt(parts.get(name) ?? "", 10);
      return Number.isNaN(number) ? null : number;
    };
    return { eye: parts.get("eye"), step: readNumber("step"), line: readNumber("line"), verdict: parts.get("verdict") };
  }

  /**
   * Whether an address leads to somewhere in a replay, and not to another part of the page.
   * @param {string} hash
   */
  static isOfReplay(hash) {
    const parts = new URLSearchParams(hash.slice(1));
    return KEYS.some((key) => parts.has(key));
  }

  /**
   * Build the address of a step; what else the hash says stays.
   * @param {number} step - its number
   * @param {string} eye
   */
  static build(step, eye) {
    const parts = new URLSearchParams(location.hash.slice(1));
    for (const other of ["line", "verdict"]) parts.delete(other);
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
    this.#saving = setTimeout(() => history.replaceState(null, "", ReplayAddress.build(step, eye)), SAVE_MILLISECONDS);
  }
}
