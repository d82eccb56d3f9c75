// What the server sends to pages, as types of which the comments of scripts speak; no page loads this file.
//
// Each message has the fields of its class in `messages.py`, or `replies.py` if a script asked for it; a step, a failure and a zone have those of `arena.records`
// and `arena.wires`: a test compares their types. Nobody writes into a message.
//
// Another test runs `tsc -p jsconfig.json`, which checks the scripts, as editors do. Types of scripts stand where they are made.

/** A rank and a suit, a number, or a word. */
type Card = string | number;

/** What JSON can say: of an answer a page knows no more, since its form is the game's. */
type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

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
}

/** An answer that can be chosen, or a card of an answer of several. */
interface Choice {
  value: Json;
  label: string;
  about?: string;
  is_held?: boolean;
  is_card?: boolean;
  target?: string;
  action?: string;
}

interface ChoiceOptions {
  kind: "choice";
  choices: Choice[];
}

interface SelectionOptions {
  kind: "selection";
  choices: Choice[];
  least: number;
  most: number;
  submits: string[];
}

interface NumberOptions {
  kind: "number";
  min: number;
  max: number;
  step: number;
  hint: string;
}

interface TextOptions {
  kind: "text";
  pattern: string;
  hint: string;
}

interface LineOptions {
  kind: "line";
}

/** The answers to a question. */
type AnswerOptions = ChoiceOptions | SelectionOptions | NumberOptions | TextOptions | LineOptions;

/** A question that is asked at a seat. */
interface QuestionForm {
  n: number;
  title: string;
  options: AnswerOptions;
  standing_answers: string[];
  /** Why an answer cannot be chosen now, by its label. */
  closed_answers: Record<string, string>;
  default: Json;
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
  seat: number;
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
  outcome: "won" | "tied" | "lost" | null;
  rows: PlayerResult[];
}

/** The event `now`: what came up to this frame is no news to a page that arrives now. */
interface Arrival {
  at: number;
  frame: number;
  feed: string;
}

/** The event `match`. */
interface Introduction {
  key: string;
  game: string;
  names: string[];
  variant: Record<string, Json>;
  seat: number | null;
  clock: number | null;
}

/** The event `no`. */
interface Refusal {
  n: number;
  why: string;
}

/** The event `again`. */
interface RematchNews {
  said: string;
  address?: string;
}

/** The event `present`. */
interface PresenceReport {
  said: string;
  presence: Record<string, string>;
  late: string[];
  away: string[];
  absent: [string, string][];
}

/** The event `hello`. */
interface ServerGreeting {
  server: string;
}

/** The event `changed`. */
interface TournamentChange {
  matches: number;
  figures: number;
}

/** The data of the events of streams. */
interface StreamEvents {
  now: Arrival;
  match: Introduction;
  steps: SeatStep[];
  no: Refusal;
  out: SeatLost;
  end: MatchEnd;
  again: RematchNews;
  present: PresenceReport;
  hello: ServerGreeting;
  changed: TournamentChange;
  /** Of a submission to a hill. */
  state: { over: boolean };
  moved: {};
  gone: {};
  bye: {};
}

/** A step of a replay. */
interface ReplayStep extends MatchStep {
  /** Its number, which is the same through each eye. */
  number: number;
  /** Where the match is from here on, unless it was there before. */
  place?: string;
  /** How much a turning point changed. */
  weight?: number;
}

/** The steps of a match through one eye. */
interface ReplaySteps {
  names: string[];
  steps: ReplayStep[];
}

/** An eye through which a match is seen: its key is `all`, `public`, or the number of a seat. */
interface Eye {
  key: string;
  name: string;
}

/** A replay on a site of files: the steps of each eye by its key. */
interface StoredReplay {
  eyes: Eye[];
  steps: Record<string, ReplayStep[]>;
}

/** The beginning of a match of a game, of which all is shown. */
interface SampleMatch {
  names: string[];
  steps: ReplayStep[];
  picture: number;
}

/** What an answer cost. */
interface NotedCost {
  amount: number;
  answer: string;
  best: string;
  is_best: boolean;
}

/** What a plugin says of a line of a transcript. */
interface Note {
  line: number;
  text: string;
  seat?: number;
  figure?: number;
  /** Whose lead the figure is, if not that of seat 0. */
  of?: number;
  query?: Record<string, string>;
  cost?: NotedCost;
  /** Whether it is said of the match as a whole. */
  whole?: boolean;
}

/** What plugins say of a match. */
interface MatchNotes {
  notes: Note[];
}

/** A moment that decided a match. */
interface ReviewMoment {
  line: number;
  title: string;
  words: string;
  better: string;
}

/** What decided a match, for one seat. */
interface MatchReview {
  title: string;
  summary: string;
  method: string;
  moments: ReviewMoment[];
}

/** An answer of a hint. */
interface GivenAnswer {
  answer: Json;
  label: string;
  share: number;
  text: string;
}

/** A hint. */
interface GivenHint {
  kind: "given";
  source: string;
  text: string;
  answers: GivenAnswer[];
}

/** Why there is no hint. */
interface NoHint {
  kind: "none";
  why: string;
}

/** The number of the question that a hint is for. */
interface HintReply {
  n: number;
}

/** How far the preparation of a bot is. */
interface PreparationProgress {
  share: number;
  over: boolean;
}

/** A match that the live page shows. */
interface FeaturedMatch {
  kind: "live" | "replay";
  key: string;
  names: string[];
}

/** That there is no match to show. */
interface NoFeaturedMatch {
  kind: "none";
}
