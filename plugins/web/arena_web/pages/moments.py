"""The moments that decided a match for one seat, and what would have been better in each.

The rules are played again on the answers of the transcript, which gives the score after each
round. A moment is a round in which the lead of the seat over the best of the others changed much,
in the direction of the result. Where a plugin knows the expected result after every round, its
changes count in place of those of the score; where the bot of a source of hints can play positions
on, the games that it wins from there. What would have been better is what an answer cost, if
a plugin knows it, or what the source of hints answers with what the seat knew then.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import lru_cache, partial
from itertools import pairwise
from operator import itemgetter
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
from arena_web.pages.playouts import PLAYOUTS, estimate, rewind
from arena_web.pages.rounds import list_rounds

MAX_CACHED_MATCHES = 64  # matches whose moments are remembered
MAX_PARALLEL = 1  # matches that are looked at: each may take a second
MAX_WAITING = 20  # requests that wait; the next one is sent away
RETRY_SECONDS = 5  # after which a refused request may come again
MAX_MOMENTS = 5  # of which a page shows the weightiest three at once
MIN_MOMENTS = 3  # with which nobody looks for mistakes that changed no score
NEXT = MarkedLine("", Mark.HEADING)  # in place of a question or the outcome
MAX_WORDS = 7  # lines on what happened
MAX_ANSWERS = 3  # of a hint that draws among several
MAX_MISTAKES = 6  # rounds that changed no score, but in which another answer might have been better
NOTICEABLE_COST = 0.1  # of games won, by such an answer: less is chance
NOTICEABLE_SHARE = 0.02  # of games won, that an answer has cost
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
                "source": source and to_printable(source.title),
                "playouts": PLAYOUTS if review.playouts else 0,
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
        words = await self._run(partial(_say_what_was_better, transcript.text, found[0], source))
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
    bot = source.playouts if source else None
    review = find_moments(game, transcript, seat, annotate(text), news=bool(bot))
    if source is None or bot is None or review.expected:
        return review
    return weigh_moments(game, transcript, seat, review, source)


@lru_cache(maxsize=MAX_CACHED_MATCHES)
def _say_what_was_better(text: str, moment: Moment, source: HintSource) -> str:
    transcript = parse_text(text)
    game = get_plugins().find_game(transcript.header.game)
    return say_what_was_better(game, transcript, moment, source)


@frozen(eq=False)
class OwnAnswer:
    """An answer of a seat that had a choice."""

    line: int  #: of its question
    state: InformationState  #: what the seat knew
    answer: Any
    say: Callable[[Any], str]  #: writes an answer in the words of the game


@frozen(eq=False)
class Moment:
    """A round that changed much for a seat."""

    line: int  #: of the transcript, counted from 1, where it begins to show
    span: tuple[int, int]  #: the lines of the answers that completed the round before, and it
    words: Sequence[str]  #: what happened, as the narrator tells it
    before: float  #: the lead over the best of the others
    after: float
    better: str = ""  #: what would have been better, if that is known without thinking
    own: Sequence[OwnAnswer] = ()
    chances: Sequence[float] = ()  #: shares of games won, before and after, if a bot plays on

    @property
    def json(self) -> dict[str, Any]:
        """The moment as pages need it; `asked`: the source of hints may know what is better."""
        leads = [round(self.before, 2), round(self.after, 2)]
        asked = not self.better
        about = {"line": self.line, "words": self.words, "leads": leads}
        return {**about, "chances": self.chances, "better": self.better, "asked": asked}


@frozen
class Review:
    """What a page says of a match, as one seat sees it."""

    moments: Sequence[Moment]  #: the weightiest first
    direction: int  #: 1: the seat has won, -1: it has lost
    expected: bool  #: whether leads are expected results, and not those by the score
    playouts: bool = False  #: whether they are weighed by chances of winning
    others: Sequence[Moment] = ()  #: the other rounds in which the seat had a choice


def find_moments(
    game: Game,
    transcript: Transcript,
    seat: Seat,
    notes: Sequence[Mapping[str, Any]] = (),
    *,
    news: bool = False,
) -> Review:
    """Return the moments that decided a finished match; `notes` are those of plugins, as JSON.

    With `news` rounds count, too, that changed no score, but of which the seat read good or bad
    news; and the other rounds in which it had a choice are there to be weighed.
    """
    sides = find_sides(transcript.header.read_variant(game), transcript.seats)
    rounds = list_rounds(game, transcript)
    ends = [played.end for played in rounds]
    leads = [_compute_lead(sides, played.scores, seat) for played in rounds]
    result = leads[-1]
    expected = _list_expectations(notes, ends, seat)
    leads = expected or leads
    changes = [after - before for before, after in pairwise(leads)]
    direction = (result > 0) - (result < 0)
    said = _list_words(game, transcript, seat)
    mark = Mark.WON if direction > 0 else Mark.LOST

    def is_news(at: int) -> bool:
        told = _list_told(said, (ends[at], ends[at + 1])) if news else []
        return any(_is_marked(word, mark) for _, word in told)

    found = [
        at
        for at, change in enumerate(changes)
        if (change and (change * direction > 0 or not result)) or (not change and is_news(at))
    ]
    decisive = sorted(found, key=lambda at: -abs(changes[at]))[:MAX_MOMENTS]
    answers = find_own_answers(game, transcript, seat)

    def build(at: int) -> Moment:
        span = ends[at], ends[at + 1]
        own = [answer for answer in answers if span[0] < answer.line <= span[1]]
        told = _list_told(said, span)
        return Moment(
            own[0].line + 1 if own else told[0][0] if told else span[1],
            span,
            [word for _, word in told][-MAX_WORDS:],
            leads[at],
            leads[at + 1],
            _describe_cost(notes, ends, at, seat),
            own,
        )

    rest = [build(at) for at in range(len(changes)) if news and at not in decisive]
    others = [moment for moment in rest if moment.own]
    return Review([build(at) for at in decisive], direction, bool(expected), others=others)


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


def _list_words(game: Game, transcript: Transcript, seat: Seat) -> list[tuple[int, str | None]]:
    """Return all that a seat reads of what is announced, with its lines.

    None stands where something new begins: a heading, a question or the outcome.
    """
    replayer = Replayer.of(game, transcript.header, [seat], page=True)
    replayer.begin()
    said: list[tuple[int, str | None]] = []
    for line in transcript.lines:
        words = [word for step in replayer.take(line) for word in step.words]
        if {"question", "outcome"} & {*line.value}:
            words = [NEXT]
        elif line.value.get("to") is not None or "answer" in line.value:
            words = []
        said += [
            (line.number, None if _is_marked(word, Mark.HEADING) else word)
            for word in words
            if not _is_marked(word, *SKIPPED)
        ]
    return said


def _list_told(
    said: Sequence[tuple[int, str | None]], span: tuple[int, int]
) -> list[tuple[int, str]]:
    """Return the sentences on a round, with their lines.

    What is told after the answer that completed a round, up to the next heading or question,
    belongs to that round.
    """
    new = [at for at, (_, word) in enumerate(said) if word is None]
    begin, end = (next((at for at in new if said[at][0] > over), len(said)) for over in span)
    return [(line, word) for line, word in said[begin:end] if word is not None]


def _is_marked(word: str, *marks: Mark) -> bool:
    return isinstance(word, MarkedLine) and word.mark in marks


def find_own_answers(game: Game, transcript: Transcript, seat: Seat) -> list[OwnAnswer]:
    """Return the answers of a seat for which it had a choice."""
    variant = transcript.header.read_variant(game)
    narrator = game.build_narrator(seat, transcript.header.names)
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
                    found.append(OwnAnswer(*asked, question.options.read(freeze(answer)), label))
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


def weigh_moments(
    game: Game, transcript: Transcript, seat: Seat, review: Review, source: HintSource
) -> Review:
    """Weigh moments by the seat's chances of winning if the bot of a source of hints plays on.

    Those before and after a round count, or where it has changed no score, what an answer cost.
    """
    bot = source.playouts
    assert bot
    weighed = []
    for moment in review.moments:
        chances = [
            estimate(game, rewind(game, transcript, line), seat, bot) for line in moment.span
        ]
        known = [chance for chance in chances if chance is not None]
        weighed.append(evolve(moment, chances=known if len(known) == len(chances) else ()))

    def weigh(moment: Moment) -> float:
        before, after = moment.chances or (0.0, 0.0)
        return (after - before) * review.direction or abs(after - before)

    changing = [(weigh(moment), moment) for moment in weighed]
    decisive = [pair for pair in changing if pair[0] > 0]
    if review.direction < 0 and len(decisive) < MIN_MOMENTS:
        decisive += _list_mistakes(game, transcript, review.others, source)
    ranked = sorted(decisive or changing, key=itemgetter(0), reverse=True)
    return evolve(review, moments=[moment for _, moment in ranked], playouts=True)


def _list_mistakes(
    game: Game, transcript: Transcript, moments: Sequence[Moment], source: HintSource
) -> Iterator[tuple[float, Moment]]:
    """Yield the first moments at which the source of hints answers better, with what that won."""
    differing = [moment for moment in moments if any(_differs(source, own) for own in moment.own)]
    for moment in differing[:MAX_MISTAKES]:
        words, cost = max(
            (_weigh(game, transcript, source, own) for own in moment.own), key=itemgetter(1)
        )
        if cost >= NOTICEABLE_COST:
            yield cost, evolve(moment, better=words)


def _differs(source: HintSource, own: OwnAnswer) -> bool:
    try:
        return bool(_compute_hint(source, own).answers[0].answer != own.answer)
    except UserError:
        return False


def say_what_was_better(
    game: Game, transcript: Transcript, moment: Moment, source: HintSource
) -> str:
    """Return what a source of hints answers at a moment, and what it wins if its bot plays on."""
    if not moment.own:
        return "You had nothing to decide here."
    weighed = [_weigh(game, transcript, source, own) for own in reversed(moment.own)]
    words, cost = max(weighed, key=itemgetter(1))
    if cost < NOTICEABLE_SHARE:  # no mistake, but perhaps bad luck
        words, _ = max(weighed, key=lambda found: abs(found[1]))
    return words


def _weigh(
    game: Game, transcript: Transcript, source: HintSource, own: OwnAnswer
) -> tuple[str, float]:
    """Return what would have been better than an answer, and what it cost, in games won."""
    words = _say_better_answer(source, own)
    try:
        answers = _compute_hint(source, own).answers
    except UserError:
        return words, 0.0
    best = max(answers, key=lambda hinted: hinted.share).answer
    if best == own.answer or source.playouts is None:
        return words, 0.0
    juncture = evolve(rewind(game, transcript, own.line), asked=own.state.question)
    mine, others = (
        estimate(game, juncture, own.state.seat, source.playouts, [answer])
        for answer in (own.answer, best)
    )
    if mine is None or others is None:
        return words, 0.0
    if max(mine, others) < SMALLEST_SHARE:
        return f"{words} By then neither wins a game.", 0.0
    praise = "Yours was no mistake: you" if mine >= others else "You"
    shares = f"{praise} win {mine:.0%} of games after yours, {others:.0%} after the other."
    return f"{words} {shares}", others - mine


def _say_better_answer(source: HintSource, own: OwnAnswer) -> str:
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
    title, mine = hint.source or source.title, own.say(own.answer)
    who = f"{title[:1].lower()}{title[1:]}"
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
