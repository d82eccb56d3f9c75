// A stream of events from the server: every page follows its own in this way.
//
//   const stream = new Stream((state) => ...);                 // how it is with the stream, one of StreamState
//   stream.follow("events", { steps: (steps) => ... });        // what is done at each event, with its data
//   stream.finish(false);                                      // nothing more comes
//
// A stream that breaks is opened again by the browser, behind the last frame that came. One that the server ends because it
// stops (`bye`), or refuses, such as for lack of room, is asked for again as long as its page is there. It ends for good
// where the page says so, or is gone itself. A page that leads elsewhere by now, or whose frames are of another feed, such
// as after a restart of the server, is loaded again.

const RETRY_MILLISECONDS = 3000; // until a stream is asked for again
const MAX_RETRY_MILLISECONDS = 60_000; // the same, where it was refused again and again

/**
 * Whether events come now; if not, whether the connection is lost or the server has stopped, so that they come again;
 * whether the stream is closed, since nobody looks or it is over; or whether the server no longer has its page.
 * @typedef {"open" | "lost" | "stopped" | "closed" | "gone"} StreamState
 */

/**
 * What is done at events, by their names.
 * @typedef {{[Name in keyof StreamEvents]?: (data: StreamEvents[Name]) => void}} Handlers
 */

export class Stream {
  #showState;
  #isKeptHidden;
  #address = "";
  /** @type {Handlers[]} */
  #handlers = [];
  /** @type {?EventSource} */
  #source = null;
  #timer = 0; // until it is asked for again; 0: it need not be
  #refusals = 0; // since it was open
  #isFinished = false;
  #frame = 0; // the last one that came
  #arrival = 0; // the last one from before this page came
  #feed = "";

  /**
   * @param {(state: StreamState) => void} showState
   * @param {boolean} [isKeptHidden] - whether it stays open while nobody looks, though a browser has few connections for a host
   */
  constructor(showState, isKeptHidden = false) {
    this.#showState = showState;
    this.#isKeptHidden = isKeptHidden;
    addEventListener("offline", () => this.#pause("lost")); // so that the others are told
    addEventListener("online", () => this.#open());
    addEventListener("pagehide", () => this.#drop());
    addEventListener("pageshow", () => this.#open());
    document.addEventListener("visibilitychange", () => (this.#isUnseen ? this.#pause("closed") : this.#open()));
  }

  /** Whether what comes now had happened before this page came, so that it is no news. */
  get isReplaying() {
    return this.#frame <= this.#arrival;
  }

  get #isUnseen() {
    return document.hidden && !this.#isKeptHidden;
  }

  /**
   * Follow the stream at an address, in place of another one, from its beginning.
   * @param {string} address
   * @param {...Handlers} handlers - what is done at each event, with its data, one after the other
   */
  follow(address, ...handlers) {
    this.#drop();
    this.#address = address;
    this.#handlers = handlers;
    this.#frame = this.#arrival = 0;
    this.#open();
  }

  /**
   * Do without the stream: what it was followed for is over.
   * @param {boolean} isFollowed - whether it still says something, as long as it is open
   */
  finish(isFollowed) {
    this.#isFinished = true;
    if (!isFollowed) this.#close("closed");
  }

  /** Give up: the server knows nothing of this page any more. */
  giveUp() {
    this.#isFinished = true;
    this.#close("gone");
  }

  #open() {
    if (this.#source || this.#isFinished || this.#isUnseen || !this.#address) return;
    this.#drop();
    const after = this.#frame ? `${this.#address.includes("?") ? "&" : "?"}after=${this.#frame}` : "";
    const source = this.#source = new EventSource(this.#address + after);
    const names = /** @type {(keyof StreamEvents)[]} */ ([
      ...this.#handlers.flatMap((handlers) => Object.keys(handlers)),
      "now",
      "bye",
    ]);
    for (const name of new Set(names)) {
      source.addEventListener(name, (event) => {
        if (event.lastEventId) this.#frame = Number(event.lastEventId);
        this.#handle(name, event.data);
      });
    }
    source.addEventListener("open", () => {
      this.#refusals = 0;
      this.#showState("open");
    });
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) this.#comeAgain("lost");
      else this.#showState(this.#isFinished ? "closed" : "lost");
    });
  }

  /**
   * @param {keyof StreamEvents} name
   * @param {string} text - its data, as JSON
   */
  #handle(name, text) {
    const data = JSON.parse(text);
    if (name === "now") this.#arrive(data);
    if (name === "bye") this.#comeAgain("stopped");
    for (const handlers of this.#handlers) handlers[name]?.(data);
  }

  /** @param {Arrival} arrival */
  #arrive({ frame, feed }) {
    if (this.#frame && this.#feed !== feed) location.reload();
    this.#arrival = frame;
    this.#feed = feed;
  }

  #drop() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#source?.close();
    this.#source = null;
  }

  /** @param {StreamState} state */
  #close(state) {
    this.#drop();
    this.#showState(state);
  }

  /** @param {StreamState} state - until it is opened again */
  #pause(state) {
    if (!this.#isFinished) this.#close(state);
  }

  /** @param {StreamState} state - until then */
  #comeAgain(state) {
    this.#close(this.#isFinished ? "closed" : state);
    if (!this.#isFinished) this.#schedule();
  }

  #schedule() {
    const pause = Math.min(RETRY_MILLISECONDS * 2 ** this.#refusals, MAX_RETRY_MILLISECONDS);
    this.#timer = setTimeout(() => this.#tryAgain(), pause);
  }

  async #tryAgain() {
    const timer = this.#timer;
    const page = await fetch(location.href, { method: "HEAD" }).catch(() => null);
    if (timer !== this.#timer) return; // it is open again, or need not be
    if (!page) return this.#schedule();
    if ([404, 405].includes(page.status)) return this.giveUp(); // it is gone, or was the reply to a form
    if (page.redirected) return location.reload();
    this.#refusals += 1;
    this.#open();
  }
}
