"""The moments that decided a match for one seat, and what would have been better in each.

Who has not won reads which answers cost most, as far as that is known: a plugin has computed what
answers cost, the source of hints can weigh them, or its bot can play the positions on. What might
be chance is left out; where nothing else is left, the moments are answers that may have cost
something, and the page says so.

Otherwise a moment is a round in which the lead of the seat over the best of the others changed
much, in the direction of the result. The rules are played again on the answers of the transcript,
which gives the score after each round.

The last moment is always the end, where it brought the seat bad news: what it answered then, what
the others really held, and what the source of hints would have answered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import lru_cache, partial
from math import fsum
from typing import Any

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
    OneOf,
    Question,
    Seat,
    SomeOf,
    Text,
    UserError,
    format_share,
)
from arena.plugins import get_plugins
from arena.records import Perspective, Replayer, Transcript, parse_text
from arena.rules import Sides, find_sides
from arena.wires import freeze, to_printable
from arena_web.http.caches import IMMUTABLE_CACHE_CONTROL, LimitedThreads
from arena_web.pages.analysis import annotate
from arena_web.pages.playouts import compare, rewind, weigh_results
from arena_web.pages.rounds import list_rounds
from arena_web.player_names import present_players

MAX_CACHED_MATCHES = 64  # matches whose moments are remembered
MAX_PARALLEL = 1  # matches that are looked at: each may take some seconds
MAX_WAITING = 20  # requests that wait; the next one is sent away
RETRY_SECONDS = 5  # after which a refused request may come again
MAX_MOMENTS = 3  # beside which the end may be one
NEXT = MarkedLine("", Mark.HEADING)  # in place of a question or the outcome
MAX_WORDS = 7  # lines on what happened
MAX_ANSWERS = 3  # of a hint that draws among several
ROUGH_PLAYOUTS = 1000  # games in all, times seats, to choose the answers that are looked at
PLAYOUTS = 300  # games after each of these, times seats: more seats take longer
MAX_WEIGHED = 3  # of these answers, beside those that led to a loss
SMALLEST_SHARE = 0.005  # of an answer that is written as more than 0 %
SMALLEST_COST = 0.5  # points of an answer that is a mistake
SKIPPED = (Mark.STATE, Mark.HINT)


@define(eq=False)
class Reviewer:
    """Looks for the moments of finished matches, one match at a time."""

    _threads: LimitedThreads = field(init=False, factory=lambda: LimitedThreads(MAX_PARALLEL))

    async def list_moments(
        self, transcript: Transcript, seat: str, source: HintSource | None
    ) -> Response:
        """Return the moments of a seat as JSON; 503 if too many requests wait."""
        if seat not in map(str, range(transcript.seats)):
            raise HTTPException(404)
        call = partial(review_match, transcript.text, int(seat), source)
        review = await self._threads.run(call, MAX_WAITING, RETRY_SECONDS)
        return JSONResponse(review.json, headers={"Cache-Control": IMMUTABLE_CACHE_CONTROL})


@lru_cache(maxsize=MAX_CACHED_MATCHES)
def review_match(text: str, seat: Seat, source: HintSource | None) -> Review:
    """Return the review of the match of this transcript that a page shows to a seat."""
    transcript = parse_text(text)
    game = get_plugins().find_game(transcript.header.game)
    review = find_moments(game, transcript, seat)
    if review.direction <= 0:
        notes = annotate(text)
        if costs := list_costs(notes, seat):
            review = choose_costly(review, weigh_by_costs(review, costs))
            review = evolve(review, summary=" ".join([*list_remarks(notes), review.summary]))
        elif source and source.weigh:
            review = choose_costly(review, weigh_by_points(review, source.weigh), POINTS)
        elif source and source.playouts:
            weighed = weigh_by_chances(game, transcript, seat, review, source)
            chosen = choose_costly(review, weighed, CHANCES)
            review = put_losses_first(chosen, review.rounds, weighed)
    return explain(review, source)


@frozen(eq=False)
class OwnAnswer:
    """An answer of a seat."""

    line: int  #: of its question
    state: InformationState  #: what the seat knew
    answer: Any
    say: Callable[[Any], str]  #: writes an answer in the words of the game
    truth: str  #: what the seat could not see
    is_choice: bool  #: whether the seat had others to choose from

    @property
    def told(self) -> str:
        """The answer in a sentence, with what the seat could not see."""
        return self.truth or f"You chose {self.say(self.answer)}."


@frozen(eq=False)
class Moment:
    """A round that changed much for a seat."""

    line: int  #: of the transcript, counted from 1, where it begins to show
    span: tuple[int, int]  #: the lines of the answers that completed the round before, and it
    title: str  #: its number in the game's words, such as "Turn 3"
    words: Sequence[str]  #: what happened, as the narrator tells it
    change: float = 0.0  #: of the lead over the best of the others
    answers: Sequence[OwnAnswer] = ()  #: of the seat, in this round
    better: str = ""  #: what would have been better

    @property
    def choices(self) -> list[OwnAnswer]:
        """The answers for which the seat had a choice."""
        return [own for own in self.answers if own.is_choice]

    @property
    def is_bad(self) -> bool:
        """Whether it brought the seat bad news."""
        return any(_is_marked(word, Mark.LOST) for word in self.words)

    @property
    def wrong(self) -> list[OwnAnswer]:
        """The answers that brought the seat bad news, as it turned out."""
        return [own for own in self.choices if self.is_bad and _is_marked(own.truth, Mark.LOST)]

    @property
    def json(self) -> dict[str, Any]:
        """The moment as pages need it."""
        return {
            "line": self.line,
            "title": to_printable(self.title),
            "words": to_printable(" ".join(self.words)),
            "better": to_printable(self.better),
        }


WEIGHTIEST = {
    1: "The rounds in which you pulled ahead most:",
    0: "The rounds that changed the score most:",
    -1: "The rounds in which you fell behind most:",
}
COSTLY = "Your answers that cost you most, the worst first:"
LOSSES = "Your answers that led to a loss, then others that cost you most:"
ONLY_LOSSES = "Your answers that led to a loss:"
UNSURE = "No single answer of yours clearly decided the match."
MAYBE = f"{UNSURE} These may have cost you something:"
POINTS = "Points are averages over many deals of the cards that you did not see."
CHANCES = (
    "A chance is how often you win if bots play on from there, with new deals of the cards that you"
    " did not see."
)


@frozen
class Review:
    """What a page says of a match, as one seat sees it."""

    direction: int  #: 1: the seat has won, -1: it has lost
    moments: Sequence[Moment]  #: the weightiest first
    others: Sequence[Moment] = ()  #: the other rounds in which the seat had a choice
    end: Moment | None = None  #: the round in which it ended for the seat, if that was bad news
    summary: str = ""  #: what the moments are
    method: str = ""  #: what their figures are

    @property
    def rounds(self) -> Sequence[Moment]:
        """The moments and all other rounds in which the seat had a choice."""
        return (*self.moments, *self.others)

    @property
    def json(self) -> dict[str, Any]:
        """The review as pages need it."""
        return {
            "title": "What decided this match" if self.direction >= 0 else "Why you did not win",
            "summary": self.summary,
            "method": self.method,
            "moments": [moment.json for moment in self.moments],
        }


def find_moments(game: Game, transcript: Transcript, seat: Seat) -> Review:
    """Return the rounds of a finished match that changed the lead of a seat most."""
    sides = find_sides(transcript.header.read_variant(game), transcript.seats)
    rounds = list_rounds(game, transcript)
    leads = [_compute_lead(sides, played.scores, seat) for played in rounds]
    direction = (leads[-1] > 0) - (leads[-1] < 0)
    told = _list_words(game, transcript, seat)
    answers = find_own_answers(game, transcript, seat)

    def build(at: int) -> Moment:
        span = rounds[at].end, rounds[at + 1].end
        own = [answer for answer in answers if span[0] < answer.line <= span[1]]
        title, words = told.find(span)
        choices = [answer.line + 1 for answer in own if answer.is_choice]
        return Moment(
            choices[0] if choices else words[0][0] if words else span[1],
            span,
            title or f"{game.unit.capitalize()} {at + 1}",
            [word for _, word in words][-MAX_WORDS:],
            leads[at + 1] - leads[at],
            own,
        )

    moments = [build(at) for at in range(len(rounds) - 1)]
    changed = [
        moment
        for moment in moments
        if moment.change and (moment.change * direction > 0 or not direction)
    ]
    changed = [moment for moment in changed if moment.choices] or changed
    changed.sort(key=lambda moment: -abs(moment.change))
    decisive = changed[:MAX_MOMENTS]
    others = [moment for moment in moments if moment not in decisive and moment.choices]
    end = _find_end(moments, leads) if direction < 0 else None
    return Review(direction, decisive, others, end, WEIGHTIEST[direction])


def _find_end(moments: Sequence[Moment], leads: Sequence[float]) -> Moment | None:
    """Return the last round in which a seat answered, if it was bad news and can be explained.

    One in which the seat had nothing to decide is told if it turned the match.
    """
    answered = [moment for moment in moments if moment.answers]
    if not answered:
        return None
    last = answered[-1]
    turned = last is moments[-1] and leads[-2] >= 0
    if not last.is_bad or not (turned or last.choices or any(own.truth for own in last.answers)):
        return None
    return evolve(last, title=f"{last.title}, the end")


def explain(review: Review, source: HintSource | None) -> Review:
    """Return a review whose moments all say what would have been better; the end is one of them.

    A round is told once: if the end has cost most, it is the first moment.
    """
    end = review.end
    moments = [
        evolve(moment, title=end.title) if end and moment.span == end.span else moment
        for moment in review.moments
    ]
    if end and all(moment.span != end.span for moment in moments):
        moments = [*moments[: MAX_MOMENTS - 1], end]
    moments = [
        moment
        if moment.better
        else evolve(moment, better=describe_better_answer(moment, source, review.direction))
        for moment in moments
    ]
    return evolve(review, moments=moments)


def _compute_lead(sides: Sides, scores: Sequence[float], seat: Seat) -> float:
    """Return how far a seat's side is ahead of the best of the others, below 0 if it is behind."""
    others = [scores[side[0]] for side in sides if seat not in side]
    return scores[seat] - max(others, default=0.0)


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
        title = re.match(r"\w+ \d+(?= of |[:.])", titles[-1]) if titles else None
        return title[0] if title else "", words


def _is_marked(word: str, *marks: Mark) -> bool:
    return isinstance(word, MarkedLine) and word.mark in marks


def find_own_answers(game: Game, transcript: Transcript, seat: Seat) -> list[OwnAnswer]:
    """Return the answers of a seat, with what is known of each by who has seen everything."""
    header = transcript.header
    variant = header.read_variant(game)
    names = present_players(header.game, header.names, header.bots)
    narrator = game.build_narrator(seat, names)
    greeting = Greeting(game.name, seat, transcript.seats, variant, header.match)
    narrator.tell(greeting)
    watching = Perspective(game, variant, names)
    replayer = Replayer([watching])
    replayer.begin()
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
                given = question.options.read(freeze(answer))
                # what an answer is called may depend on what was told so far, as in poker
                say = partial(deepcopy(narrator).say, question)
                truth = watching.narrator.reveal(seat, question, given)
                found.append(OwnAnswer(*asked, given, say, truth, _is_choice(narrator, question)))
        replayer.take(line)
    return found


def _is_choice(narrator: Narrator, question: Question[Any]) -> bool:
    """Return whether there are several answers, to a question that is about the game."""
    match question.options:
        case Text():
            return False
        case OneOf() as options if len(options) == 1:
            return False
    return narrator.find_forced_answer(question) is None


@frozen(eq=False)
class WeighedAnswer:
    """An answer of a seat with what it cost, against a better one."""

    moment: Moment
    own: OwnAnswer
    cost: float  #: in points, or as a share of games
    noise: float  #: by which that may be chance
    better: str  #: the sentences on it where it is sure
    maybe: str = ""  #: and where it may be chance

    @property
    def is_sure(self) -> bool:
        """Whether the answer costs more than chance explains."""
        return self.cost > self.noise


def list_costs(notes: Sequence[Mapping[str, Any]], seat: Seat) -> list[Mapping[str, Any]]:
    """Return the notes of plugins that say what an answer of a seat has cost."""
    return [note for note in notes if "cost" in note and note["seat"] == seat]


def list_remarks(notes: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the remarks of plugins on the match as a whole, such as what is not judged."""
    return [note["text"] for note in notes if note["line"] == 1 and {*note} == {"line", "text"}]


def weigh_by_costs(review: Review, notes: Sequence[Mapping[str, Any]]) -> list[WeighedAnswer]:
    """Return the answers of a seat with what plugins know of them."""
    moments = [moment for moment in review.rounds if moment.choices]
    weighed = []
    for note in notes:
        cost, over = note["cost"], [m for m in moments if m.span[1] < note["line"]]
        if over and not cost["is_best"]:
            moment = max(over, key=lambda moment: moment.span)
            own = moment.choices[0]
            better = (
                f"{own.told} That cost you {cost['amount']:.1f} points on average: a perfect player"
                f" chooses {cost['best']}."
            )
            weighed.append(WeighedAnswer(moment, own, cost["amount"], SMALLEST_COST, better))
    return weighed


def weigh_by_chances(
    game: Game, transcript: Transcript, seat: Seat, review: Review, source: HintSource
) -> list[WeighedAnswer]:
    """Return the answers of a seat that cost most, by the games that are won after them.

    All answers are weighed roughly first, and then those that led to a loss and the costliest.
    """
    bot = source.playouts
    assert bot
    pairs = [
        (moment, own)
        for moment in review.rounds
        for own in moment.choices
        if _rate(source, own) < 1 and not _is_marked(own.truth, Mark.WON)
    ]

    def weigh(moment: Moment, own: OwnAnswer, games: int) -> WeighedAnswer | None:
        hint = _compute_hint(source, own)
        best = max(hint.answers, key=lambda hinted: hinted.share).answer
        juncture = evolve(rewind(game, transcript, own.line), asked=own.state.question)
        answers = own.answer, best
        comparison = compare(game, juncture, seat, bot, answers=answers, games=games)
        if comparison is None:
            return None
        mine, other = map(format_share, comparison.shares)
        better = (
            f"{own.told} If you had chosen {own.say(best)}, your chance to win would have been"
            f" {other} instead of {mine}. {hint.text}"
        )
        maybe = f"{own.told} {describe_hint(own, source)}"
        cost = comparison.shares[1] - comparison.shares[0]
        return WeighedAnswer(moment, own, cost, comparison.noise, better, maybe)

    games = ROUGH_PLAYOUTS // transcript.seats // (2 * max(1, len(pairs)))
    rough = [found for pair in pairs if (found := weigh(*pair, max(1, games)))]
    rough.sort(key=lambda found: (found.own not in found.moment.wrong, -found.cost))
    losses = sum(found.own in found.moment.wrong for found in rough)
    return [
        found
        for answer in rough[: losses + MAX_WEIGHED]
        if (found := weigh(answer.moment, answer.own, PLAYOUTS // transcript.seats))
    ]


def weigh_by_points(
    review: Review, weigh: Callable[[InformationState], Mapping[Any, Sequence[float]]]
) -> list[WeighedAnswer]:
    """Weigh all answers of a seat against the best ones, by the points that they bring."""
    weighed = []
    for moment in review.rounds:
        for own in moment.choices:
            results = weigh(own.state)
            best = max(results, key=lambda answer: fsum(results[answer]), default=own.answer)
            if own.answer in results and best != own.answer:
                rows = [*zip(results[own.answer], results[best], strict=True)]
                comparison = weigh_results(rows, [1.0] * len(rows))
                mine, other = comparison.shares
                noise = max(comparison.noise, SMALLEST_COST)
                better = (
                    f"{own.told} {own.say(best)} would have been {other - mine:.1f} points better"
                    " on average."
                )
                maybe = f"{own.told} {own.say(best)} may have been better."
                weighed.append(WeighedAnswer(moment, own, other - mine, noise, better, maybe))
    return weighed


def choose_costly(review: Review, weighed: Sequence[WeighedAnswer], method: str = "") -> Review:
    """Return a review whose moments are the costliest answers, without what may be chance.

    Where none is left they may be; and where none seems to have cost anything, the moments are
    those of the score, as they were.
    """
    fine = sorted((found for found in weighed if found.cost > 0), key=lambda found: -found.cost)
    sure = [found for found in fine if found.is_sure]
    unsure = [found for found in fine if found.maybe]
    moments = [
        evolve(found.moment, line=found.own.line + 1, better=found.better if sure else found.maybe)
        for found in (sure or unsure)[:MAX_MOMENTS]
    ]
    if sure:
        return evolve(review, moments=moments, summary=COSTLY, method=method)
    if moments:
        return evolve(review, moments=moments, summary=MAYBE)
    return evolve(review, summary=f"{UNSURE} {review.summary}")


def put_losses_first(
    chosen: Review, rounds: Sequence[Moment], weighed: Sequence[WeighedAnswer]
) -> Review:
    """Return a review that begins with the rounds in which an answer led to a loss.

    These are told whatever they cost; what may be chance is left out behind them.
    """
    better = {
        found.moment.span: found.better
        for found in sorted(weighed, key=lambda found: found.cost)
        if found.is_sure and found.own in found.moment.wrong
    }
    losses = [
        evolve(moment, line=moment.wrong[-1].line + 1, better=better.get(moment.span, ""))
        for moment in sorted(rounds, key=lambda moment: moment.span)
        if moment.wrong
    ]
    if not losses:
        return chosen
    spans = {moment.span for moment in losses}
    sure = chosen.moments if chosen.method else ()
    others = [moment for moment in sure if moment.span not in spans]
    summary = LOSSES if others else ONLY_LOSSES
    return evolve(chosen, moments=[*losses, *others][:MAX_MOMENTS], summary=summary)


def _rate(source: HintSource, own: OwnAnswer) -> float:
    """Return the share of an answer in a hint over that of the likeliest; 1: there is no hint."""
    is_set = isinstance(own.state.question.options, SomeOf)  # of cards, in any order
    sort: Callable[[Any], Any] = sorted if is_set else freeze
    try:
        answers = _compute_hint(source, own).answers
    except UserError:
        return 1.0
    given = sort(own.answer)
    share = sum(hinted.share for hinted in answers if sort(hinted.answer) == given)
    return share / max(hinted.share for hinted in answers)


@lru_cache(maxsize=MAX_CACHED_MATCHES)
def _compute_hint(source: HintSource, own: OwnAnswer) -> Hint:
    return source.compute_hint(own.state)


def describe_better_answer(moment: Moment, source: HintSource | None, direction: int = 0) -> str:
    """Return the sentences on the answers of a round, and on those of a source of hints.

    Answers that led to a loss go before others, then those about something that the seat could not
    see; of these the one counts that the source gives least often.
    """
    truths = " ".join(own.truth for own in moment.answers if own.truth)
    if not moment.choices:
        return truths or "You had nothing to decide here."
    choices = moment.wrong or [own for own in moment.choices if own.truth] or moment.choices
    own = min(choices, key=lambda own: _rate(source, own)) if source else choices[0]
    told = truths or own.told
    return f"{told} {describe_hint(own, source, direction)}".rstrip() if source else told


def describe_hint(own: OwnAnswer, source: HintSource, direction: int = 0) -> str:
    """Return the answer of a source of hints to the question of an answer, with its reason.

    Who has won reads of nothing else that a bot would have done, and nobody reads what speaks
    against the truth.
    """
    is_same = _rate(source, own) >= 1
    proved_right = _is_marked(own.truth, Mark.WON)
    if not is_same and (direction > 0 or proved_right):
        return ""
    try:
        hint = _compute_hint(source, own)
    except UserError:
        return ""
    who = hint.source or source.title
    if is_same:
        luck = ", so it may have been bad luck" if direction < 0 else ""
        same = f"{own.say(own.answer)}, too" if own.truth else "the same"  # which was told
        reason = "" if _is_marked(own.truth, Mark.LOST) else f" {hint.text}"
        return f"{who} would have chosen {same}{luck}.{reason}"
    likeliest = sorted(hint.answers, key=lambda hinted: -hinted.share)
    answers = [
        own.say(hinted.answer) + ("" if hinted.share == 1 else f" ({format_share(hinted.share)})")
        for hinted in likeliest[:MAX_ANSWERS]
        if hinted.share >= SMALLEST_SHARE
    ]
    return f"{who} would have chosen {', '.join(answers)}. {hint.text}"
