"""The moments that decided a match for one seat, and what would have been better in each.

The rules are played again on the answers of the transcript, which gives the score after each
round. A moment is a round in which the lead of the seat over the best of the others changed much,
in the direction of the result. Where a plugin knows the expected result after every round, its
changes count in place of those of the score. What would have been better is what an answer cost,
if a plugin knows it, or what the source of hints answers with what the seat knew then.

Where the bot of a source of hints can play positions on, the moments of who has not won are its own
answers that cost most: the source answers otherwise, and more games are won after that. These two
shares are all that is said of a moment's chances. What might be chance is left out; where nothing
else is left, the moments are answers that the source would have given otherwise.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import lru_cache, partial
from itertools import pairwise
from math import fsum
from typing import Any, TypeVar

from attrs import define, evolve, field, frozen
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from arena import (
    Game,
    Greeting,
    Hint,
    HintSource,
    InformationState,
    Mark,
    MarkedLine,
    Narrator,
    Question,
    Seat,
    Text,
    UserError,
)
from arena.plugins import get_plugins
from arena.records import Replayer, Transcript, parse_text
from arena.rules import Sides, find_sides
from arena.wires import freeze, to_printable
from arena_web.http.caches import IMMUTABLE_CACHE_CONTROL, LimitedThreads
from arena_web.pages.analysis import annotate
from arena_web.pages.playouts import Comparison, compare, rewind, weigh_results
from arena_web.pages.rounds import list_rounds
from arena_web.player_names import present_players

MAX_CACHED_MATCHES = 64  # matches whose moments are remembered
MAX_PARALLEL = 1  # matches that are looked at: each may take a second
MAX_WAITING = 20  # requests that wait; the next one is sent away
RETRY_SECONDS = 5  # after which a refused request may come again
MAX_MOMENTS = 5  # of which a page shows the weightiest three at once
NEXT = MarkedLine("", Mark.HEADING)  # in place of a question or the outcome
MAX_WORDS = 7  # lines on what happened
MAX_ANSWERS = 3  # of a hint that draws among several
ROUGH_PLAYOUTS = 30  # games after each answer, to choose the answers that are looked at
PLAYOUTS = 250  # games after these
MAX_WEIGHED = 6  # of these answers
CHANCES, POINTS, UNSURE = "chances", "points", "unsure"
MAX_STORY = 5  # lines on the last loss
SMALLEST_SHARE = 0.005  # of an answer that is written as more than 0 %
T = TypeVar("T")
SKIPPED = (Mark.STATE, Mark.HINT)


@define(eq=False)
class Reviewer:
    """Looks for the moments of finished matches, one match at a time."""

    _threads: LimitedThreads = field(init=False, factory=lambda: LimitedThreads(MAX_PARALLEL))

    async def list_moments(
        self, transcript: Transcript, seat: str, source: HintSource | None
    ) -> Response:
        """Return the moments of a seat as JSON; 503 if too many requests wait."""
        review = await self._review(transcript, seat, source)
        return _respond(
            {
                "expected": review.expected,
                "direction": review.direction,
                "source": source and to_printable(source.title),
                "playouts": PLAYOUTS if review.measure == CHANCES else 0,
                "measure": review.measure,
                "noise": review.noise,
                "story": [*map(to_printable, review.story)],
                "moments": [moment.json for moment in review.moments],
            }
        )

    async def find_better_answer(
        self, transcript: Transcript, seat: str, source: HintSource | None, line: str
    ) -> Response:
        """Return what would have been better at the moment of this line, as JSON."""
        review = await self._review(transcript, seat, source)
        found = [moment for moment in review.moments if str(moment.line) == line]
        if not found or source is None:
            raise HTTPException(404)
        words = await self._run(partial(say_what_was_better, found[0], source))
        return _respond({"better": to_printable(words)})

    async def _review(self, transcript: Transcript, seat: str, source: HintSource | None) -> Review:
        if seat not in map(str, range(transcript.seats)):
            raise HTTPException(404)
        return await self._run(partial(_review, transcript.text, int(seat), source))

    async def _run(self, call: Callable[[], T]) -> T:
        return await self._threads.run(call, MAX_WAITING, RETRY_SECONDS)


def _respond(body: Mapping[str, Any]) -> Response:
    return JSONResponse(body, headers={"Cache-Control": IMMUTABLE_CACHE_CONTROL})


@lru_cache(maxsize=MAX_CACHED_MATCHES)
def _review(text: str, seat: Seat, source: HintSource | None) -> Review:
    transcript = parse_text(text)
    game = get_plugins().find_game(transcript.header.game)
    review = find_moments(game, transcript, seat, annotate(text))
    if source is None or review.expected or review.direction > 0:
        return review
    if source.weigh:
        return choose_costly(review, weigh_points(review, source.weigh), POINTS)
    if source.playouts is None:
        return review
    return weigh_moments(game, transcript, seat, review, source)


@frozen(eq=False)
class OwnAnswer:
    """An answer of a seat that had a choice."""

    line: int  #: of its question
    state: InformationState  #: what the seat knew
    answer: Any
    say: Callable[[Any], str]  #: writes an answer in the words of the game
    asked: str  #: the question in these words


@frozen(eq=False)
class Moment:
    """A round that changed much for a seat."""

    line: int  #: of the transcript, counted from 1, where it begins to show
    span: tuple[int, int]  #: the lines of the answers that completed the round before, and it
    title: str  #: its number in the game's words, such as "Turn 3"; or nothing
    words: Sequence[str]  #: what happened, as the narrator tells it
    before: float  #: the lead over the best of the others
    after: float
    better: str = ""  #: what would have been better, if that is known without thinking
    own: Sequence[OwnAnswer] = ()

    @property
    def json(self) -> dict[str, Any]:
        """The moment as pages need it; `asked`: the source of hints may know what is better."""
        leads = [round(self.before, 2), round(self.after, 2)]
        told = {"line": self.line, "title": self.title, "words": self.words, "leads": leads}
        return {**told, "better": self.better, "asked": not self.better}


@frozen
class Review:
    """What a page says of a match, as one seat sees it."""

    moments: Sequence[Moment]  #: the weightiest first
    direction: int  #: 1: the seat has won, -1: it has lost
    expected: bool  #: whether leads are expected results, and not those by the score
    others: Sequence[Moment] = ()  #: the other rounds in which the seat had a choice
    story: Sequence[str] = ()  #: what somebody reads who wants to know why the match was lost
    measure: str = ""  #: what moments' answers cost most, CHANCES or POINTS; UNSURE: perhaps none
    noise: float = 0.0  #: by which such a difference may be chance, at most


def find_moments(
    game: Game, transcript: Transcript, seat: Seat, notes: Sequence[Mapping[str, Any]] = ()
) -> Review:
    """Return the moments that decided a finished match; `notes` are those of plugins, as JSON."""
    sides = find_sides(transcript.header.read_variant(game), transcript.seats)
    rounds = list_rounds(game, transcript)
    ends = [played.end for played in rounds]
    leads = [_compute_lead(sides, played.scores, seat) for played in rounds]
    result = leads[-1]
    expected = _list_expectations(notes, ends, seat)
    leads = expected or leads
    changes = [after - before for before, after in pairwise(leads)]
    direction = (result > 0) - (result < 0)
    found = [
        at for at, change in enumerate(changes) if change and (change * direction > 0 or not result)
    ]
    told = _list_words(game, transcript, seat)
    answers = find_own_answers(game, transcript, seat)

    def list_own(at: int) -> list[OwnAnswer]:
        return [answer for answer in answers if ends[at] < answer.line <= ends[at + 1]]

    found = [at for at in found if list_own(at)] or found
    decisive = sorted(found, key=lambda at: -abs(changes[at]))[:MAX_MOMENTS]

    def build(at: int) -> Moment:
        span, own = (ends[at], ends[at + 1]), list_own(at)
        title, words = told.find(span)
        return Moment(
            own[0].line + 1 if own else words[0][0] if words else span[1],
            span,
            title,
            [word for _, word in words][-MAX_WORDS:],
            leads[at],
            leads[at + 1],
            _describe_cost(notes, ends, at, seat),
            own,
        )

    rest = [build(at) for at in range(len(changes)) if at not in decisive]
    others = [moment for moment in rest if moment.own]
    story = _tell_last_loss(transcript, seat, told, ends) if direction < 0 else []
    return Review([build(at) for at in decisive], direction, bool(expected), others, story)


def _tell_last_loss(
    transcript: Transcript, seat: Seat, told: _Told, ends: Sequence[int]
) -> list[str]:
    """Return a sentence on the last round in which a seat answered, if that brought it bad news."""
    answered = [line.number for line in transcript.lines if line.value.get("from") == seat]
    spans = [span for span in pairwise(ends) if any(span[0] < line <= span[1] for line in answered)]
    title, words = told.find(spans[-1]) if spans else ("", [])
    if not any(_is_marked(word, Mark.LOST) for _, word in words):
        return []
    when = f"in {_begin_small(title)}" if title else "like this"
    return [f"It ended for you {when}: {' '.join(word for _, word in words[-MAX_STORY:])}"]


def _begin_small(words: str) -> str:
    """Return words that go on with a sentence."""
    return f"{words[:1].lower()}{words[1:]}"


def _compute_lead(sides: Sides, scores: Sequence[float], seat: Seat) -> float:
    """Return how far a seat's side is ahead of the best of the others, below 0 if it is behind."""
    others = [scores[side[0]] for side in sides if seat not in side]
    return scores[seat] - max(others, default=0.0)


def _list_expectations(
    notes: Sequence[Mapping[str, Any]], ends: Sequence[int], seat: Seat
) -> list[float]:
    """Return the expected result after each round, if all rounds of a game of two have one."""
    figures = {_find_round(note, ends): note["figure"] for note in notes if "figure" in note}
    if any(at not in figures for at in range(1, len(ends))):
        return []
    sign = -1 if seat else 1  # figures are those of seat 0
    return [0.0, *(sign * figures[at] for at in range(1, len(ends)))]


def _find_round(note: Mapping[str, Any], ends: Sequence[int]) -> int:
    """Return the number of the last round that was over when a note was made."""
    return bisect_left(ends, note["line"]) - 1


def _describe_cost(
    notes: Sequence[Mapping[str, Any]], ends: Sequence[int], at: int, seat: Seat
) -> str:
    """Return what a seat's answer of a round cost, if a plugin knows it."""
    for note in notes:
        if "cost" in note and note["seat"] == seat and _find_round(note, ends) == at + 1:
            cost = note["cost"]
            if cost["is_best"]:
                return f"Your {cost['answer']} was a best answer."
            return (
                f"Your {cost['answer']} cost {cost['amount']:.2f} points in expectation."
                f" Best answers: {cost['best']}."
            )
    return ""


def _list_words(game: Game, transcript: Transcript, seat: Seat) -> _Told:
    """Return all that a seat reads of what is announced, with its lines."""
    header = transcript.header
    names = present_players(header.game, header.names, header.bots)
    replayer = Replayer.of(game, header, [seat], names, page=True)
    replayer.begin()
    said: list[tuple[int, str]] = []
    for line in transcript.lines:
        words = [word for step in replayer.take(line) for word in step.words]
        if {"question", "outcome"} & {*line.value}:
            words = [NEXT]
        elif line.value.get("to") is not None or "answer" in line.value:
            words = []
        said += [(line.number, word) for word in words if not _is_marked(word, *SKIPPED)]
    return _Told(said)


@frozen
class _Told:
    """What a seat reads, with its lines; headings stand where something new begins."""

    said: Sequence[tuple[int, str]]

    def find(self, span: tuple[int, int]) -> tuple[str, list[tuple[int, str]]]:
        """Return the number of a round ("Turn 3"), if it has one, and its sentences by lines.

        What is told after the answer that completed a round, up to the next heading or question,
        belongs to that round.
        """
        new = [at for at, (_, word) in enumerate(self.said) if _is_marked(word, Mark.HEADING)]
        begin, end = (
            next((at for at in new if self.said[at][0] > over), len(self.said)) for over in span
        )
        titles = [word for _, word in self.said[:end] if _is_marked(word, Mark.HEADING) and word]
        words = [pair for pair in self.said[begin:end] if not _is_marked(pair[1], Mark.HEADING)]
        title = re.match(r"\w+ \d+", titles[-1]) if titles else None
        return title[0] if title else "", words


def _is_marked(word: str, *marks: Mark) -> bool:
    return isinstance(word, MarkedLine) and word.mark in marks


def find_own_answers(game: Game, transcript: Transcript, seat: Seat) -> list[OwnAnswer]:
    """Return the answers of a seat for which it had a choice."""
    header = transcript.header
    variant = header.read_variant(game)
    names = present_players(header.game, header.names, header.bots)
    narrator = game.build_narrator(seat, names)
    greeting = Greeting(game.name, seat, transcript.seats, variant, transcript.header.match)
    narrator.tell(greeting)
    events: list[Any] = []
    asked: tuple[int, InformationState] | None = None
    found: list[OwnAnswer] = []
    for line in transcript.lines:
        match line.value:
            case {"to": None | int() as to, "event": packed} if to in {None, seat}:
                event = game.vocabulary.unpack(packed)
                narrator.tell(event)
                events.append(event)
            case {"to": int(to), "question": packed} if to == seat:
                question: Question[Any] = game.vocabulary.unpack(packed)
                asked = line.number, InformationState(greeting, tuple(events), question)
            case {"from": int(who), "answer": answer, "fallback": False} if who == seat and asked:
                question = asked[1].question
                if _is_choice(narrator, question):
                    # what an answer is called may depend on what was told so far, as in poker
                    label = _Label(deepcopy(narrator), question)
                    given = question.options.read(freeze(answer))
                    found.append(OwnAnswer(*asked, given, label, label.describe_question()))
    return found


def _is_choice(narrator: Narrator, question: Question[Any]) -> bool:
    """Return whether a question is about the game, and not answered in the person's place."""
    is_text = isinstance(question.options, Text)
    return not is_text and narrator.find_forced_answer(question) is None


@frozen
class _Label:
    """Writes answers to a question in the words of the game."""

    narrator: Narrator
    question: Question[Any]

    def __call__(self, answer: Any) -> str:
        return to_printable(self.narrator.say(self.question, answer))

    def describe_question(self) -> str:
        """Return the question in these words; empty where they are none."""
        asked = [line.strip() for line in self.narrator.ask(self.question) if "?" in line]
        return to_printable(asked[-1]) if asked else ""


@frozen(eq=False)
class WeighedAnswer:
    """An answer of a seat beside that of a source of hints, weighed by the same games."""

    moment: Moment
    own: OwnAnswer
    who: str  #: the title of the source
    best: Any  #: what it answers
    reason: str  #: why, in its words
    comparison: Comparison  #: of the own answer and this
    measure: str = CHANCES  #: what is compared

    @property
    def cost(self) -> float:
        """The share of games, or the points, that the own answer loses."""
        mine, best = self.comparison.shares
        return best - mine

    @property
    def is_sure(self) -> bool:
        """Whether the own answer costs more than chance explains."""
        return self.cost > self.comparison.noise

    def describe(self) -> str:
        """Return both answers with what they are surely worth, and why the other is better."""
        asked = f"Asked “{self.own.asked}”, you" if self.own.asked else "You"
        answered, better = self.own.say(self.own.answer), self.own.say(self.best)
        if self.measure == POINTS:
            maybe = "" if self.is_sure else ", which may be chance"
            return f"{asked} answered {answered}: {better} is {self.cost:.1f} points better{maybe}."
        if not self.is_sure:
            who = _begin_small(self.who)
            return f"{asked} answered {answered}; {who} answers {better}. {self.reason}"
        mine, best = map(format_share, self.comparison.shares)
        return (
            f"{asked} answered {answered}: a {mine} chance to win."
            f" {self.who} answers {better}: {best}. {self.reason}"
        )

    def tell(self) -> str:
        """Return the sentence on the answer that cost most."""
        title = self.moment.title
        when = f" in {_begin_small(title)}" if title else ""
        asked = f"asked “{self.own.asked}”, " if self.own.asked else ""
        answered, better = self.own.say(self.own.answer), self.own.say(self.best)
        said = f"Your decisive answer came{when}: {asked}you answered {answered}, which"
        if self.measure == POINTS:
            return f"{said} cost {self.cost:.1f} points on average; {better} was best."
        mine, best = map(format_share, self.comparison.shares)
        return f"{said} left you a {mine} chance to win; {better} would have left you {best}."


def format_share(share: float) -> str:
    """Write a share of games.

    >>> format_share(0.254)
    '25 %'
    """
    return f"{100 * share:.0f} %"


def weigh_moments(
    game: Game, transcript: Transcript, seat: Seat, review: Review, source: HintSource
) -> Review:
    """Return the answers of a seat that cost most, by the games that are won after them.

    All answers are weighed roughly first, and then the costliest.
    """
    bot = source.playouts
    assert bot
    pairs = [
        (moment, own)
        for moment in (*review.moments, *review.others)
        for own in moment.own
        if _differs(source, own)
    ]

    def weigh(moment: Moment, own: OwnAnswer, games: int) -> WeighedAnswer | None:
        hint = _compute_hint(source, own)
        best = max(hint.answers, key=lambda hinted: hinted.share).answer
        juncture = evolve(rewind(game, transcript, own.line), asked=own.state.question)
        answers = own.answer, best
        comparison = compare(game, juncture, seat, bot, answers=answers, games=games)
        return (
            WeighedAnswer(moment, own, source.title, best, hint.text, comparison)
            if comparison
            else None
        )

    rough = [found for pair in pairs if (found := weigh(*pair, ROUGH_PLAYOUTS))]
    rough.sort(key=lambda found: -found.cost)
    fine = [
        found
        for answer in rough[:MAX_WEIGHED]
        if (found := weigh(answer.moment, answer.own, PLAYOUTS))
    ]
    return choose_costly(review, fine, CHANCES)


def weigh_points(
    review: Review, weigh: Callable[[InformationState], Mapping[Any, Sequence[float]]]
) -> list[WeighedAnswer]:
    """Weigh all answers of a seat against the best ones, by the points that they bring."""
    weighed = []
    for moment in (*review.moments, *review.others):
        for own in moment.own:
            results = weigh(own.state)
            best = max(results, key=lambda answer: fsum(results[answer]), default=own.answer)
            if own.answer in results and best != own.answer:
                rows = [*zip(results[own.answer], results[best], strict=True)]
                comparison = weigh_results(rows, [1.0] * len(rows))
                weighed.append(WeighedAnswer(moment, own, "", best, "", comparison, POINTS))
    return weighed


def choose_costly(review: Review, weighed: Sequence[WeighedAnswer], measure: str) -> Review:
    """Return a review whose moments are the costliest answers, without what may be chance.

    Where none is left they may be; and where none seems to have cost anything, the moments are
    those of the score, as they were.
    """
    fine = sorted((found for found in weighed if found.cost > 0), key=lambda found: -found.cost)
    noise = max((found.comparison.noise for found in weighed), default=0.0)
    costly = [found for found in fine if found.is_sure]
    moments = [
        evolve(found.moment, line=found.own.line + 1, better=found.describe())
        for found in (costly or fine)[:MAX_MOMENTS]
    ]
    if costly:
        story = [*review.story, costly[0].tell()]
        return evolve(review, moments=moments, story=story, measure=measure, noise=noise)
    points = noise if measure == POINTS else 100 * noise
    margin = f" (± {points:.0f} points)" if noise else ""
    story = [*review.story, f"No answer of yours cost more than luck explains{margin}."]
    if not moments:
        return evolve(review, story=story)
    return evolve(review, moments=moments, story=story, measure=UNSURE, noise=noise)


def _differs(source: HintSource, own: OwnAnswer) -> bool:
    try:
        return bool(_compute_hint(source, own).answers[0].answer != own.answer)
    except UserError:
        return False


def say_what_was_better(moment: Moment, source: HintSource) -> str:
    """Return what a source of hints answers at a moment, where it differs if it does anywhere."""
    if not moment.own:
        return "You had nothing to decide here."
    own = next((own for own in moment.own if _differs(source, own)), moment.own[-1])
    try:
        return describe_better_answer(source, own)
    except UserError as problem:
        return f"{source.title} does not know: {problem.message}."


@lru_cache(maxsize=MAX_CACHED_MATCHES)
def _compute_hint(source: HintSource, own: OwnAnswer) -> Hint:
    return source.compute_hint(own.state)


def describe_better_answer(source: HintSource, own: OwnAnswer) -> str:
    """Return what a source of hints answers to the question of an answer, and why.

    Raises:
        UserError: The source knows nothing of this position.
    """
    hint = _compute_hint(source, own)
    who, mine = _begin_small(hint.source or source.title), own.say(own.answer)
    likeliest = sorted(hint.answers, key=lambda hinted: -hinted.share)
    if any(
        hinted.answer == own.answer and hinted.share >= likeliest[0].share for hinted in likeliest
    ):
        return f"You answered {mine}, and so does {who}."
    answers = [
        own.say(hinted.answer) + ("" if hinted.share == 1 else f" ({hinted.share:.0%})")
        for hinted in likeliest[:MAX_ANSWERS]
        if hinted.share >= SMALLEST_SHARE
    ]
    return f"You answered {mine}; {who} answers {', '.join(answers)}. {hint.text}"
