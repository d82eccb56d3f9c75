// The stream of a match's events: opened again where it was lost, and closed for good once nothing more comes.

const RETRY_MILLISECONDS = 3000; // until a stream that was refused is asked for again
const MAX_TRIES = 10;
const LOST = "Connection lost: you can answer once it is back. Trying again…";
const GONE = "The server no longer has this table, so the match ends here and does not count.";
const STOPPED = "The server has stopped. The match goes on here once it is back.";

export class Connection {
  #base;
  #page;
  #source = null;
  #frame = 0; // the last one that came
  #arrival = 0; // the last one from before this page came
  #feed = "";
  #tries = 0;
  #isFinished = false;

  /** Seconds by which the clock of the server is behind the one here. */
  lag = 0;

  /**
   * @param {string} base - the address of the seat or of the table
   * @param {import("./match.js").MatchPage} page - that hears of each event, which `messages.py` lists
   */
  constructor(base, page) {
    this.#base = base;
    this.#page = page;
    addEventListener("offline", () => { if (this.pause()) page.showConnection(false, LOST); }); // so that the others are told
    addEventListener("online", () => this.resume());
    addEventListener("pagehide", () => this.#source.close());
    addEventListener("pageshow", (event) => { if (event.persisted && !this.#isFinished) this.open(); });
  }

  /** Whether what comes now had happened before this page came, so that it is no news. */
  get isReplaying() {
    return this.#frame <= this.#arrival;
  }

  /** Open the stream, behind the last frame that came. */
  open() {
    this.#source = new EventSource(`${this.#base}/events?after=${this.#frame}`);
    const hears = { ...this.#page.listEvents(), now: (data) => this.#arrive(data), bye: () => this.#wait(STOPPED) };
    for (const [name, hear] of Object.entries(hears))
      this.#source.addEventListener(name, (event) => {
        if (event.lastEventId) this.#frame = Number(event.lastEventId);
        hear(JSON.parse(event.data));
      });
    this.#source.addEventListener("open", () => {
      this.#tries = 0;
      this.#page.showConnection(true, "");
    });
    this.#source.addEventListener("error", () => {
      this.#page.showConnection(false, this.#isFinished ? "" : LOST);
      if (!this.#isFinished && this.#source.readyState === EventSource.CLOSED) this.#tryAgain();
    });
  }

  /**
   * Close the stream for now.
   * @returns {boolean} whether it is opened again
   */
  pause() {
    if (!this.#isFinished) this.#source.close();
    return !this.#isFinished;
  }

  /** Open the stream again, unless nothing more comes. */
  resume() {
    if (this.pause()) this.open();
  }

  /**
   * Do without the stream: the match is over.
   * @param {boolean} isFollowed - whether it still says who wants to play again
   */
  finish(isFollowed) {
    this.#isFinished = true;
    if (!isFollowed) this.#source.close();
  }

  /** Give up: the server knows nothing of this table any more. */
  giveUp() {
    this.finish(false);
    this.#page.showConnection(false, GONE);
    this.#page.closeTable();
  }

  #arrive({ at, frame, feed }) {
    if (this.#frame && this.#feed !== feed) return location.reload(); // the server was started again
    this.lag = Date.now() / 1000 - at;
    this.#arrival = frame;
    this.#feed = feed;
  }

  #wait(problem) {
    this.#source.close();
    if (this.#isFinished) return;
    this.#page.showConnection(false, problem);
    setTimeout(() => this.#tryAgain(), RETRY_MILLISECONDS);
  }

  // A stream that was refused: the server has no room for it, or knows nothing of this table any more
  async #tryAgain() {
    const page = await fetch(location.href, { method: "HEAD" }).catch(() => null);
    if (page) this.#tries += 1;
    if (this.#tries > MAX_TRIES || (page && page.status === 404)) this.giveUp();
    else setTimeout(() => (page ? this.open() : this.#tryAgain()), RETRY_MILLISECONDS);
  }
}
