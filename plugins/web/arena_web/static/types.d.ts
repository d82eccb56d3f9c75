// What the server sends to pages, as types of which the comments of scripts speak; no page loads this file.
//
// Each message has the fields of its class in `messages.py`, or `replies.py` if a script asked for it; a step, a failure and a zone have those of `arena.records`
// and `arena.wires`: a test compares their types. Nobody writes into a message.
//
// Another test runs `tsc -p jsconfig.json`, which checks the scripts, as editors do. What plain scripts share by `arena` has
// its types at the end; modules have theirs where they stand.

/** A rank and a suit, a number, or a word. */
type Card = string | number;

/** What JSON can say: of an answer a page knows no more, since its form is the game's. */
type Json =
  | string | number | boolean | null | Json[] | { [key: string]: Json };

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

/** The answers to a question, of the form that its first key names. */
interface AnswerOptions {
  one?: Json[];
  about?: string[];
  some?: Json[];
  least?: number;
  most?: number;
  submits?: string[];
  labels?: string[];
  number?: Record<string, number>;
  text?: string;
  line?: string;
  hint?: string;
}

/** The answers to a question of which several cards are selected. */
type SelectionOptions = Required<Pick<AnswerOptions, "some" | "labels" | "least" | "most" | "submits">>;

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

/** What a page sends as an answer, besides the number of the question. */
type Answer = { answer: Json } | { standing: string } | { line: string };

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

/** What is done at events. */
type Hears = { [Name in keyof StreamEvents]?: (data: StreamEvents[Name]) => void };

/** What is drawn of a match in its time: a step, the loss of the own seat, or the end. */
interface Moment {
  step?: SeatStep;
  /** Whether the step is no news to who has just come. */
  isOld?: boolean;
  lost?: SeatLost;
  end?: MatchEnd;
}

/** A step of a replay. */
interface ReplayStep extends MatchStep {
  /** Its number, which is the same through each eye. */
  number: number;
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

/** A note, or a moment of the review that stands on the page. */
interface ShownNote extends Note {
  isReviewed?: boolean;
}

/** A note of what an answer cost. */
interface CostNote extends Note {
  cost: NotedCost;
}

/** A note with its step. */
interface PlacedNote extends ShownNote {
  at: number;
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
  source: string;
  text: string;
  answers: GivenAnswer[];
}

/** Why there is no hint. */
interface NoHint {
  none: string;
}

/** A hint for a question, or why there is none. */
interface HintReply extends Partial<GivenHint>, Partial<NoHint> {
  n: number;
}

/** How far the preparation of a bot is. */
interface PreparationProgress {
  share: number;
  over: boolean;
}

/** A match that the live page shows; its kind is `live`, `replay` or `none`. */
interface FeaturedMatch {
  kind: string;
  key?: string;
  names?: string[];
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

/** A suit of a pack, of which a font may have no sign. */
interface Suit {
  sign: string;
  name: string;
  colour: string;
  path: string;
}

/** The parts of which a figure is drawn. */
type Figure = [part: string, path: string][];

/** What a card of a zone is. */
interface CardFace {
  text: string;
  sign: string;
  colour: string;
  name: string;
  suit?: Suit;
  court?: string;
  figure?: Figure;
}

/** What is known of a card by where it lies. */
interface CardPlace {
  suit?: string;
  pack?: string;
  /** Whose picture it has. */
  figure?: string;
}

/** What is done where a card is pressed. */
type OnPress = (card: Card, button: HTMLElement) => void;

/** The cards that are buttons, as texts, and what a press does. */
interface CardOffer {
  cards: Set<string>;
  onPress?: OnPress;
}

/** How a zone is drawn. */
interface ZoneLook {
  /** Whether others have a line each. */
  isCompact: boolean;
  /** Whether this belongs to the own hand. */
  isOwn: boolean;
  offered: CardOffer | null;
  /** The name of a seat. */
  name: (seat: number) => string;
}

/** A turning point of a match: a round that changed much, a failure, or an answer that cost something. */
interface TurningPoint {
  at: number;
  kind: string;
  text: string;
  weight?: number;
  cost?: { amount: number };
  query?: Record<string, string>;
}

/** A turning point that is marked on the line of time, with its address and where in the match it is. */
interface MarkedPoint extends TurningPoint {
  address: string;
  place: string;
}

/** The elements of pages that are more than any HTMLElement, or that not all pages of a script have, by their ids. */
interface PageElements {
  answers: HTMLFieldSetElement;
  bot: HTMLSelectElement | null;
  confirm: HTMLSelectElement;
  hint: HTMLButtonElement | null;
  invitation: HTMLAnchorElement | null;
  leave: HTMLButtonElement;
  local: HTMLElement | null;
  replay: HTMLElement | null;
  sounds: HTMLInputElement;
  start: HTMLElement | null;
  tips: HTMLInputElement | null;
}

/** A place at a table: on which side, and the cells of a grid for who sits there and for what they play. */
interface SeatPlace {
  side: string;
  hand: string;
  played: string;
}

/** A board, as `board.js` describes it. */
interface Board {
  readonly root: HTMLElement;
  zones: Record<string, Zone>;
  onresize: (() => void) | null;
  nameSeat: ((seat: number) => string) | null;
  hasOwnHand: boolean;
  seat: number | null;
  own: number | null;
  apply(zones?: Zones): void;
  show(zones: Record<string, Zone>): void;
  offer(cards: Json[] | null, onPress?: OnPress): void;
  fit(height: number, past?: boolean, spare?: number, reserve?: number): void;
  reset(): void;
}

/** What makes moments take their time, as `pace.js` describes it. */
interface Pace {
  readonly pausing: boolean;
  add(moments: Moment[], within?: number): void;
  go(): void;
  skip(): void;
  hold(): void;
  clear(): void;
}

/** The notes of a match, as `notes.js` describes them. */
interface Notes {
  readonly curve: HTMLElement;
  readonly remarks: HTMLElement;
  readonly here: HTMLElement;
  readonly moments: TurningPoint[];
  fetch(): Promise<Note[]>;
  show(notes: PlacedNote[], steps: number): void;
  showStep(at: number): void;
  buildWay(query: Note["query"]): (string | HTMLElement)[];
}

/** The steps of a match through one eye, as `steps.js` describes them. */
interface PerspectiveSteps {
  readonly all: ReplayStep[];
  readonly words: (string | MarkedLine)[][];
  readonly length: number;
  findNumber(at: number): number;
  findZones(at: number): Record<string, Zone>;
  findPlace(at: number): string;
  findOpening(): number;
  findStep(number: number): number;
  findLine(line: number): number;
  findFailure(seat: string): number;
}

/** The turning points of a match, as `turning_points.js` describes them. */
interface TurningPoints {
  readonly points: TurningPoint[];
  readonly section: HTMLElement;
  readonly marks: HTMLElement;
  describe(at: number): string;
  readonly legend: HTMLElement;
  show(points: TurningPoint[], steps: number): void;
  find(at: number, forward: boolean): TurningPoint | undefined;
}

/** The views of a replay, as `replay_views.js` describes them. */
interface ReplayViews {
  readonly eyes: Eye[];
  readonly own?: string;
  readonly eye: string;
  readonly steps: PerspectiveSteps;
  readonly isLoaded: boolean;
  readonly seesNotes: boolean;
  readonly ownSeat: number | null;
  has(eye: string | null): boolean;
  isChosen(eye: string): boolean;
  choose(eye: string): Promise<ReplayStep[] | null>;
  look(eye: string, steps: ReplayStep[]): void;
  name(seat: number): string;
}

/** The address of a replay, as `replay_address.js` describes it. */
interface ReplayAddress {
  save(step: number, eye: string): void;
}

/** What plays a replay, as `replay_player.js` describes it. */
interface ReplayPlayer {
  readonly isPlaying: boolean;
  play(): void;
  stop(): void;
}

/** The log of a replay, as `replay_log.js` describes it. */
interface ReplayLog {
  readonly root: HTMLElement;
  fit(room: number): void;
  show(steps: PerspectiveSteps, buildAddress: (at: number) => string): void;
  markStep(at: number): void;
}

/** What the controls of a replay do with it. */
interface ControlledReplay {
  readonly at: number;
  go(wanted: number): void;
  goToTurningPoint(isForward: boolean): void;
  chooseEye(eye: string): void;
  togglePlay(): void;
}

/** The controls of a replay, as `replay_controls.js` describes them. */
interface ReplayControls {
  readonly root: HTMLElement;
  readonly slowness: number;
  /** In pixels. */
  readonly maxHeight: number;
  showStep(steps: PerspectiveSteps, at: number): void;
  showEye(eye: string): void;
  showPlaying(isPlaying: boolean): void;
  showTurningPoints(areThere: boolean): void;
  say(lines: (string | MarkedLine)[]): void;
}

/** The attributes of an element; those that are null, undefined or false are left out. */
type Attributes = Record<string, string | number | boolean | null | undefined>;

/** What plain scripts share: each adds its own, which is described where it stands. */
interface Arena {
  // arena.js
  policy: TrustedRules;
  load(...names: string[]): Promise<unknown>;
  fetchJson<Reply>(address: string, options?: RequestInit): Promise<Reply>;
  byId<K extends string>(id: K): K extends keyof PageElements ? PageElements[K] : HTMLElement;
  find<K extends keyof HTMLElementTagNameMap>(root: ParentNode, selectors: K): HTMLElementTagNameMap[K];
  find<E extends Element = HTMLElement>(root: ParentNode, selectors: string): E;
  element<K extends keyof HTMLElementTagNameMap>(name: K, attributes?: Attributes, ...children: (Node | string)[]): HTMLElementTagNameMap[K];
  svg<K extends keyof SVGElementTagNameMap>(name: K, attributes: Attributes, ...children: (Node | string)[]): SVGElementTagNameMap[K];
  counted(number: number, noun: string): string;
  plain(line: string | MarkedLine): string;
  isKeyOfControl(event: KeyboardEvent): boolean;
  recall(name: string): string | null;
  remember(name: string, text: string): void;
  fragment(text: string): ChildNode[];
  // cards.js
  avatar(seat: number): SVGElement;
  face(card: Card, place?: CardPlace): CardFace;
  spell(text: string): string;
  sentence(text: string): (string | HTMLElement)[];
  card(card: Card, place?: CardPlace, onPress?: OnPress | null): HTMLElement;
  chip(cards: Card[], place: CardPlace, remark: string): HTMLElement;
  // zones.js, seating.js, board.js, pace.js, sounds.js
  buildChips(zone: Zone): HTMLElement[];
  drawZone(section: HTMLElement, zone: Zone, look: ZoneLook): void;
  seating: {
    find(owners: (number | undefined)[], own: number | null | undefined): number[];
    placeAround(others: number): { places: SeatPlace[]; across: number };
  };
  Board: { new (root: HTMLElement, sheets?: HTMLElement | null): Board; merge(zones: Record<string, Zone>, changes?: Zones): Record<string, Zone> };
  Pace: { new (draw: (moments: Moment[]) => void, factor?: () => number): Pace; readonly MAX_LAG_MILLISECONDS: number };
  playSound(name: "card" | "turn" | "won" | "tied" | "lost"): void;
  // hints.js, review.js: loaded where they are needed
  hints: { ask(base: string, question: QuestionForm, isOpen: () => boolean): Promise<void> };
  review: { show(match: { seat: number }): void };
  // Replays
  Steps: new (eye: string, steps: ReplayStep[], name: (seat: number) => string) => PerspectiveSteps;
  TurningPoints: new (buildItem: (point: MarkedPoint) => HTMLElement) => TurningPoints;
  Notes: new (study: string | undefined, name: string, own: number | undefined, explain?: () => Promise<Note[]>) => Notes;
  buildLines(lines: (string | MarkedLine)[]): HTMLElement[];
  ReplayLog: new () => ReplayLog;
  ReplayViews: new (eyes: Eye[], own: string | undefined, load: (eye: string) => Promise<{ steps: ReplayStep[] }>) => ReplayViews;
  ReplayAddress: {
    new (): ReplayAddress;
    read(hash: string): { eye: string | null; step: number | null; line: number | null; verdict: string | null };
    build(step: number, eye: string): string;
  };
  ReplayPlayer: new (
    findNext: () => ReplayStep | undefined, advance: () => void, slowness: () => number, showPlaying: (isPlaying: boolean) => void,
  ) => ReplayPlayer;
  ReplayControls: new (
    replay: ControlledReplay, views: ReplayViews, turns: { marks: HTMLElement; legend: HTMLElement; describe: (at: number) => string }, remarks: HTMLElement,
  ) => ReplayControls;
  replay(
    root: HTMLElement, eyes: Eye[], load: (eye: string) => Promise<{ steps: ReplayStep[] }>, explain?: () => Promise<Note[]>,
  ): void;
  // sort.js
  sortable(root: ParentNode): void;
  // data.js, rows.js: of a site of files
  list(name: string, columns: MatchColumns): void;
  shard(name: string, text: string): void;
  data: {
    loadList(number: number): Promise<MatchColumns>;
    loadListOf(deal: number): Promise<MatchColumns>;
    loadReplays(shard: number): Promise<Record<string, StoredReplay>>;
    findTranscripts(shard: number): string;
  };
  rows: {
    findBot(list: MatchColumns, bot: string): Set<number> | null;
    findSeatResult(list: MatchColumns, row: number, seat: number): { result: string; count: string; score: string; place: string };
    build(list: MatchColumns, row: number): HTMLElement;
    buildSide(list: MatchColumns, row: number, seat: number): HTMLElement;
    describe(list: MatchColumns, row: number): string;
  };
}

// Pages look only for elements of HTML
interface ParentNode {
  querySelector<K extends keyof HTMLElementTagNameMap>(selectors: K): HTMLElementTagNameMap[K] | null;
  querySelector<E extends Element = HTMLElement>(selectors: string): E | null;
  querySelectorAll<K extends keyof HTMLElementTagNameMap>(selectors: K): NodeListOf<HTMLElementTagNameMap[K]>;
  querySelectorAll<E extends Element = HTMLElement>(selectors: string): NodeListOf<E>;
}
interface UIEvent {
  readonly target: HTMLElement;
}
interface Array<T> { // of the browsers, which Debian's TypeScript does not know
  findLast(predicate: (value: T) => unknown): T | undefined;
}
interface HTMLElement {
  hidePopover(): void;
}
declare class DecompressionStream implements GenericTransformStream {
  constructor(format: "deflate-raw");
  readonly readable: ReadableStream;
  readonly writable: WritableStream;
}
interface Navigator {
  userActivation?: { isActive: boolean };
}
interface TrustedRules { // what they make goes wherever a text goes
  createHTML(text: string): string;
  createScriptURL(url: string): string;
}
interface Window {
  trustedTypes?: { createPolicy(name: string, rules: TrustedRules): TrustedRules };
}
