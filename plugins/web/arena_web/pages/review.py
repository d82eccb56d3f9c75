"""The moments that decided a match for one seat, and what would have been better in each.

Who has not won reads which answers cost most, as far as that is known: a plugin has computed what
answers cost, or worlds that the seat could not tell from the true one are played on after its
answer and after others. So badly passed cards are found as well, and answers that the hint shares.
What is sure goes before what might be chance, and the page says which is which.

Who has won reads in which rounds its lead over the best of the others grew most. The rules are
played again on the answers of the transcript, which gives the score after each round.

The last moment is always the end, where it brought the seat bad news: what it answered then, what
the others really held, and what the source of hints would have answered.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from functools import lru_cache, partial
from typing import Any, Self

from attrs import define, evolve, field, frozen
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from arena import (
    Game,
    Greeting,
    Hint,
    HintSource,
    Mark,
    MarkedLine,
    Narrator,
    OneOf,
    Question,
    Seat,
    SomeOf,
    Text,
    UserError,
    Variant,
    format_share,
)
from arena.plugins import get_plugins
from arena.records import Perspective, Replayer, Transcript, parse_text
from arena.rules import Sides, find_sides
from arena.search import Comparison, Substitutes, Worlds, compare, list_candidates, rewind
from arena.wires import freeze, to_printable
from arena_web.hints import CONFIDENCE, KnownState, build_random
from arena_web.http.caches import IMMUTABLE_CACHE_CONTROL, LimitedThreads
from arena_web.pages.analysis import annotate
from arena_web.pages.rounds import list_rounds
from arena_web.player_names import present_players

MAX_CACHED_MATCHES = 64  # matches whose moments are remembered
MAX_PARALLEL = 1  # matches that are looked at: each may take some seconds
MAX_WAITING = 20  # requests that wait; the next one is sent away
RETRY_SECONDS = 5  # after which a refused request may come again
MAX_MOMENTS = 3  # beside the end
NEXT = MarkedLine("", Mark.HEADING)  # in place of a question or the outcome
MAX_WORDS = 7  # lines on what happened
MAX_ANSWERS = 3  # of a hint that draws among several
ROUGH_PLAYOUTS = 200  # in all, to choose the answers that are looked at
LEAST_PLAYOUTS = 4  # of each answer for that
PLAYOUTS = 160  # of each of the answers that are looked at
PLAYOUTS_EACH = 12  # that there are at least for each other answer that it is compared with
MIN_ANSWERS = 4  # that are compared all the same
LONG_PAST = 1000  # events, which halve the playouts
MAX_CHOICES = 60  # that are looked at, where the seat fell behind most
MAX_WEIGHED = 6  # answers that are looked at
MAX_UNLIKE = 5  # of them, if so many are unlike the hint
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
            review = evolve(review, method=" ".join([review.method, *list_remarks(notes)]).strip())
        else:
            variant = transcript.header.read_variant(game)
            scale = AnswerScale.of(game, variant, transcript.seats, source)
            weighed = weigh_answers(review, scale)
            chosen = choose_costly(review, weighed, PROSPECTS)
            review = put_losses_first(chosen, review.rounds, weighed)
    return explain(review, source)


@frozen(eq=False)
class OwnAnswer:
    """An answer of a seat."""

    line: int  #: of its question
    state: KnownState  #: what the seat knew
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
    is_sure: bool = False  #: whether it says what an answer cost, beyond chance

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
MIXED = "Your answers that cost you most; those without figures may be chance:"
UNSURE = "No single answer of yours clearly decided the match."
MAYBE = f"{UNSURE} These may have cost you something:"
PROSPECTS = (
    "Your prospects are the share of the others whom you beat, and a little of your lead, if bots"
    " play on from there with new deals of what you did not see."
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
    """Return the last round in which a seat answered, if it was bad news.

    One in which the seat had nothing to decide is told if it turned the match.
    """
    answered = [moment for moment in moments if moment.answers]
    if not answered:
        return None
    last = answered[-1]
    turned = last is moments[-1] and leads[-2] >= 0
    if not last.is_bad or not (turned or last.choices):
        return None
    return evolve(last, title=f"{last.title}, the end")


def explain(review: Review, source: HintSource | None) -> Review:
    """Return a review whose moments all say what would have been better; the end is one of them.

    A round is told once: if the end has cost most, it is the first moment; else it is the last.
    """
    end = review.end
    moments = [
        evolve(moment, title=end.title) if end and moment.span == end.span else moment
        for moment in review.moments
    ]
    if end and all(moment.span != end.span for moment in moments):
        moments = [*moments, end]
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
    asked: tuple[int, Question[Any]] | None = None
    junctures = dict(rewind(game, transcript, seat))
    found: list[OwnAnswer] = []
    for line in transcript.lines:
        match line.value:
            case {"to": None | int() as to, "event": packed} if to in {None, seat}:
                event = game.vocabulary.unpack(packed)
                narrator.tell(event)
                events.append(event)
            case {"to": int(to), "question": packed} if to == seat:
                asked = line.number, game.vocabulary.unpack(packed)
            case {"from": int(who), "answer": answer, "fallback": False} if who == seat and asked:
                number, question = asked
                state = KnownState(greeting, tuple(events), question, junctures[line.number])
                given = question.options.read(freeze(answer))
                # what an answer is called may depend on what was told so far, as in poker
                say = partial(deepcopy(narrator).say, question)
                truth = watching.narrator.reveal(seat, question, given)
                is_choice = _is_choice(narrator, question)
                found.append(OwnAnswer(number, state, given, say, truth, is_choice))
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
    is_shared: bool = False  #: whether a hint is the same

    @property
    def is_sure(self) -> bool:
        """Whether the answer costs more than chance explains."""
        return self.cost > self.noise

    def tell(self) -> Moment:
        """Return its moment, with what would have been better."""
        better = self.better if self.is_sure else self.maybe
        return evolve(self.moment, line=self.own.line + 1, better=better, is_sure=self.is_sure)


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


@frozen(eq=False)
class AnswerScale:
    """Weighs answers of a seat: worlds that it could not tell from the true one are played on."""

    substitutes: Substitutes  #: who play on
    source: HintSource | None  #: whose answers are weighed, too

    @classmethod
    def of(cls, game: Game, variant: Variant, seats: int, source: HintSource | None) -> Self:
        """Return the scale on which the bot of a source plays on, or else those of the game."""
        own = source.substitute if source else None
        if own:
            return cls(Substitutes(own, [own]), source)
        return cls(Substitutes.of(game, variant, seats), source)

    def weigh(self, moment: Moment, own: OwnAnswer, playouts: int) -> WeighedAnswer | None:
        """Weigh an answer against the hint, or against the best other one where that is the same.

        Returns None if no other answer seems better, or no world was found.
        """
        hint = self.find_other_hint(own)
        if hint:
            other = max(hint.answers, key=lambda hinted: hinted.share).answer
        else:  # in other worlds than those in which the two are compared: there it was lucky
            answers = self._list_candidates(own, playouts // 2)
            best = self._compare(own, answers, playouts // 2, "best")
            if best is None or best.best is own.answer:
                return None
            other = best.best
        comparison = self._compare(own, [own.answer, other], playouts, "review")
        if comparison is None:
            return None
        cost, error, _ = comparison.gain(other, own.answer)
        mine, others = map(format_share, map(comparison.mean, (own.answer, other)))
        better = (
            f"{own.told} If you had chosen {own.say(other)}, your prospects would have been"
            f" {others} instead of {mine}."
        )
        maybe = f"{own.told} {own.say(other)} may have been better."
        if self.source and hint:
            maybe = f"{own.told} {describe_hint(own, self.source)}"
            # who knows what is best says more than figures
            better = f"{better} {hint.text}" if self.source.is_bot else maybe
        return WeighedAnswer(moment, own, cost, CONFIDENCE * error, better, maybe, hint is None)

    def _list_candidates(self, own: OwnAnswer, playouts: int) -> Sequence[Any]:
        """Return an answer, and those of bots and of chance, as many as can be compared."""
        juncture, random = own.state.juncture, build_random(own.state.juncture, "candidates")
        known = self.substitutes.list_answers(juncture, f"{random.getrandbits(64):016x}")
        answers = list_candidates(juncture.question, random, (own.answer, *known))
        return answers[: max(MIN_ANSWERS, playouts // PLAYOUTS_EACH)]

    def _compare(
        self, own: OwnAnswer, answers: Sequence[Any], playouts: int, purpose: str
    ) -> Comparison | None:
        """Compare an answer with others in so many playouts, or fewer after a long past."""
        juncture = own.state.juncture
        worlds = Worlds(juncture, self.substitutes, build_random(juncture, purpose))
        # each playout tells its bots the past anew, which takes as long as playing
        playouts = playouts * LONG_PAST // (LONG_PAST + len(juncture.past))
        return compare(worlds, answers, max(LEAST_PLAYOUTS, playouts), own.answer)

    def find_other_hint(self, own: OwnAnswer) -> Hint | None:
        """Return the hint at another answer, if there is one."""
        hint = find_hint(self.source, own)
        return hint if hint and _rate(hint, own) < 1 else None

    def is_best(self, own: OwnAnswer) -> bool:
        """Whether an answer is known to be the best, by a source that knows better than bots."""
        return bool(self.source and not self.source.is_bot and find_hint(self.source, own))


def weigh_answers(review: Review, scale: AnswerScale) -> list[WeighedAnswer]:
    """Return the costs of a seat's answers: of too many, only of those that seem the costliest."""
    unlike, others = list[tuple[Moment, OwnAnswer]](), list[tuple[Moment, OwnAnswer]]()
    pairs = [
        (moment, own)
        for moment in sorted(review.rounds, key=lambda moment: moment.change)
        for own in moment.choices
        if not _is_marked(own.truth, Mark.WON)
    ]
    for moment, own in pairs[:MAX_CHOICES]:
        if scale.find_other_hint(own):
            unlike.append((moment, own))
        elif not scale.is_best(own):
            others.append((moment, own))
    costly = _choose_pairs(unlike, scale, MAX_UNLIKE)
    costly = [*costly, *_choose_pairs(others, scale, MAX_WEIGHED - len(costly))]
    return [weighed for pair in costly if (weighed := scale.weigh(*pair, PLAYOUTS))]


def _choose_pairs(
    pairs: Sequence[tuple[Moment, OwnAnswer]], scale: AnswerScale, most: int
) -> Sequence[tuple[Moment, OwnAnswer]]:
    """Return the answers that seem to cost most, by a rough look at all of too many."""
    if len(pairs) <= most:
        return pairs
    playouts = max(LEAST_PLAYOUTS, ROUGH_PLAYOUTS // len(pairs))
    rough = [weighed for pair in pairs if (weighed := scale.weigh(*pair, playouts))]
    rough.sort(key=lambda weighed: (weighed.own not in weighed.moment.wrong, -weighed.cost))
    return [(weighed.moment, weighed.own) for weighed in rough[:most]]


def choose_costly(review: Review, weighed: Sequence[WeighedAnswer], method: str = "") -> Review:
    """Return a review whose moments are the costliest answers, those first that are no chance.

    Answers that the hint shares go behind what the score and the hint say, though it may be chance.
    Where none seems to have cost anything, the moments are those of the score, as they were.
    """
    fallen = {moment.span for moment in review.moments}

    def rank(answer: WeighedAnswer) -> tuple[bool, bool, float]:
        is_told = answer.is_sure or answer.moment.span in fallen
        return not is_told, answer.is_shared, -answer.cost if answer.is_sure else 1 - answer.cost

    costly = [answer for answer in weighed if answer.cost > 0 and (answer.is_sure or answer.maybe)]
    moments = [answer.tell() for answer in sorted(costly, key=rank)[:MAX_MOMENTS]]
    if moments and all(moment.is_sure for moment in moments):
        return evolve(review, moments=moments, summary=COSTLY, method=method)
    if any(moment.is_sure for moment in moments):
        return evolve(review, moments=moments, summary=MIXED, method=method)
    if moments:
        return evolve(review, moments=moments, summary=MAYBE)
    return evolve(review, summary=f"{UNSURE} {review.summary}")


def put_losses_first(
    chosen: Review, rounds: Sequence[Moment], weighed: Sequence[WeighedAnswer]
) -> Review:
    """Return a review that begins with the rounds in which an answer led to a loss.

    These are told whatever they cost; what may be chance is left out behind them.
    """
    costly = {
        found.moment.span: found
        for found in sorted(weighed, key=lambda found: found.cost)
        if found.is_sure and found.own in found.moment.wrong
    }
    losses = [
        _tell_loss(moment, costly.get(moment.span))
        for moment in sorted(rounds, key=lambda moment: moment.span)
        if moment.wrong
    ]
    if not losses:
        return chosen
    spans = {moment.span for moment in losses}
    others = [moment for moment in chosen.moments if moment.is_sure and moment.span not in spans]
    summary = LOSSES if others else ONLY_LOSSES
    return evolve(chosen, moments=[*losses, *others][:MAX_MOMENTS], summary=summary)


def _tell_loss(moment: Moment, costly: WeighedAnswer | None) -> Moment:
    """Return a round in which answers led to a loss, with what the costliest has cost if known."""
    if costly is None:
        return evolve(moment, line=moment.wrong[-1].line + 1)
    others = [own.truth for own in moment.wrong if own is not costly.own]
    better = " ".join([*others, costly.better])
    return evolve(moment, line=costly.own.line + 1, better=better, is_sure=True)


@lru_cache(maxsize=MAX_CACHED_MATCHES)
def find_hint(source: HintSource | None, own: OwnAnswer) -> Hint | None:
    """Return the hint for the question of an answer, if there is one."""
    with suppress(UserError):
        return source.compute_hint(own.state) if source else None
    return None


def _rate(hint: Hint | None, own: OwnAnswer) -> float:
    """Return the share of an answer in a hint over that of the likeliest; 1: there is no hint."""
    if hint is None:
        return 1.0
    is_set = isinstance(own.state.question.options, SomeOf)  # of cards, in any order
    sort: Callable[[Any], Any] = sorted if is_set else freeze
    given = sort(own.answer)
    share = sum(hinted.share for hinted in hint.answers if sort(hinted.answer) == given)
    return share / max(hinted.share for hinted in hint.answers)


def describe_better_answer(moment: Moment, source: HintSource | None, direction: int = 0) -> str:
    """Return the sentences on the answers of a round, and on those of a source of hints.

    It is empty where they would say no more than what was answered.
    Answers that led to a loss go before others, then those about something that the seat could not
    see; of these the one counts that the source gives least often.
    """
    truths = " ".join(own.truth for own in moment.answers if own.truth)
    if not moment.choices:
        return truths or "You had nothing to decide here."
    choices = moment.wrong or [own for own in moment.choices if own.truth] or moment.choices
    own = min(choices, key=lambda own: _rate(find_hint(source, own), own))
    hint = describe_hint(own, source, direction)
    return f"{truths or own.told} {hint}".rstrip() if truths or hint else ""


def describe_hint(own: OwnAnswer, source: HintSource | None, direction: int = 0) -> str:
    """Return the answer of a source of hints to the question of an answer, with its reason.

    Who has won reads of nothing else that a bot would have done, and nobody reads what speaks
    against the truth.
    """
    hint = find_hint(source, own)
    is_same = _rate(hint, own) >= 1
    proved_right = _is_marked(own.truth, Mark.WON)
    if source is None or hint is None or (not is_same and (direction > 0 or proved_right)):
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
