// What the server sends to pages, as types of which the comments of scripts speak; no page loads this file.
//
// Each message has the fields of its class in `messages.py`; a step, a failure and a zone have those of `arena.records`
// and `arena.wires`: a test compares their types. Nobody writes into a message.
//
// Another test runs `tsc -p jsconfig.json`, which checks the scripts, as editors do. What hangs on `arena` is `any` to it,
// also elements that `arena.byId` finds; modules, messages and the elements of queries have their types.

/** A rank and a suit, a number, or a word. */
type Card = string | number;

/** Why a line stands out, and the line; the mark is empty for a plain one. */
type MarkedLine = [mark: string, text: string];

/** A zone of the table, without what has its usual value. */
interface Zone {
  kind: "hand" | "table" | "pile" | "row" | "text";
  title: string;
  of?: number;
  cards?: Card[];
  hidden?: number;
  seats?: number[];
  suit?: string;
  pack?: string;
  text?: string;
  act?: string;
  turn?: boolean;
  chips?: number;
  won?: number[];
  lost?: number[];
  received?: number[];
  rows?: string[][];
  figures?: string[];
}

/** Zones that change, by their keys; null for one that is gone. */
type Zones = Record<string, Zone | null>;

/** A failure of a player, at its step. */
interface FailureMark {
  seat: number;
  kind: "timeout" | "illegal" | "malformed" | "crashed" | "flooded";
  detail: string;
}

/** A step of a match: all that somebody sees at once. */
interface MatchStep {
  /** The line of the transcript. */
  l: number;
  /** The text: lines. */
  t?: (string | MarkedLine)[];
  z?: Zones;
  /** The state in lines, in whose place a page draws the zones. */
  s?: string[];
  bad?: FailureMark;
  /** Why this is a turning point. */
  turn?: string;
  /** How much it changed; in replays. */
  weight?: number;
}

/** The answers to a question, of the form that its first key names. */
interface AnswerOptions {
  one?: any[];
  about?: string[];
  some?: any[];
  least?: number;
  most?: number;
  submits?: string[];
  labels?: string[];
  number?: Record<string, number>;
  text?: string;
  line?: string;
  hint?: string;
}

/** A question that is asked at a seat. */
interface QuestionForm {
  n: number;
  title: string;
  options: AnswerOptions;
  standing_answers: string[];
  /** Why an answer cannot be chosen now, by its label. */
  closed_answers: Record<string, string>;
  default: any;
  guide: string;
  allowed: number | null;
  at: number;
}

/** A step as a page of a seat gets it: what happened, if anything is shown, and how the seat stands now. */
interface SeatStep extends Partial<MatchStep> {
  ask?: QuestionForm;
  standing?: string;
  closed_question?: number;
  left?: boolean;
}

/** What a page sends as an answer, besides the number of the question. */
type Answer = { answer: any } | { standing: string } | { line: string };

/** The event `out`. */
interface SeatLost {
  kind: string;
  why: string;
  then: string;
  zones: Record<string, Zone>;
}

/** A row of the table of results. */
interface PlayerResult {
  place: number;
  name: string;
  score: number | null;
  count: string;
  verdict: string;
  you: boolean;
  hints?: number;
  total?: string;
}

/** What the event `end` has besides where people play. */
interface TableEnd {
  more: boolean;
  next_label: string;
  hands: Record<string, Zone>;
  record?: string;
  counted_over?: string;
}

/** The event `end`. */
interface MatchEnd extends Partial<TableEnd> {
  end: string;
  said: string;
  won: boolean | null;
  rows: PlayerResult[];
}

/** What is drawn of a match in its time: a step, the loss of the own seat, or the end. */
interface Moment {
  step?: SeatStep;
  /** Whether the step is no news to who has just come. */
  isOld?: boolean;
  lost?: SeatLost;
  end?: MatchEnd;
}

/** What a plugin says of a line of a transcript; a page adds its step. */
interface Note {
  line: number;
  text: string;
  seat?: number;
  figure?: number;
  /** Whose lead the figure is, if not that of seat 0. */
  of?: number;
  query?: Record<string, string>;
  cost?: { answer: string; amount: number; best: string; is_best: boolean };
  at?: number;
}

/** How a match ended for a seat, in words: won, tied, lost or void; its score, alone and beside the best other one; its place. */
type SeatResult = [result: string, count: string, score: string, place: string];

/** A part of the list of all matches of a site of files, as columns. */
interface MatchColumns {
  bots: string[];
  /** How matches ended: a sentence with places for names, and each seat. */
  results: [said: string, seats: SeatResult[]][];
  keys: string[];
  ends: string[];
  stages: string[];
  /** The indices in `bots`. */
  seats: number[][];
  /** The index in `results`. */
  result_of: number[];
  /** The kinds by seat; 0 where nobody got one. */
  verdicts: (string[] | 0)[];
  shards: number[];
}

// Pages look only for elements of HTML
interface ParentNode {
  querySelector<K extends keyof HTMLElementTagNameMap>(selectors: K): HTMLElementTagNameMap[K] | null;
  querySelector<E extends Element = HTMLElement>(selectors: string): E | null;
  querySelectorAll<K extends keyof HTMLElementTagNameMap>(selectors: K): NodeListOf<HTMLElementTagNameMap[K]>;
  querySelectorAll<E extends Element = HTMLElement>(selectors: string): NodeListOf<E>;
}
interface Array<T> { // of the browsers, which Debian's TypeScript does not know
  findLast(predicate: (value: T) => boolean): T | undefined;
}
interface Window {
  trustedTypes?: any;
}
declare const trustedTypes: any;
