"""A game in progress, without any I/O: its pending questions and its events.

A play is five values: the position between two rounds, how many seats there are, the
seed, the number of the open round, and the answers given in it. Rules draw only from
the table, so playing the open round again gives the same play: that is how a play is
cloned, saved and hashed, although a coroutine can be none of these.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from fractions import Fraction
from inspect import iscoroutine, isgenerator
from math import isfinite
from pathlib import Path
from random import Random
from typing import Any, Protocol, Self

from attrs import frozen

from arena.rules.english import format_count
from arena.rules.errors import (
    GameError,
    describe_error,
    describe_error_with_line,
    locate_definition,
)
from arena.rules.options import IllegalAnswerError, abbreviate, is_same
from arena.rules.seeds import Seed, read_seed
from arena.rules.sides import Sides, find_sides
from arena.rules.table import AddressedEvent, Passing, Question, Seat, Table

Score = int | float | Fraction
"""Points; more is better."""

GivenAnswer = tuple[Seat, Any]
"""The seat that answered, and its answer."""

MAX_ASKS = 100_000
"""After so many asks a game counts as endless; a long game of cards has some thousand."""

Key = tuple["Position", int, str, int, tuple[GivenAnswer, ...]]
"""Position, seats, seed, number of the open round, answers given in it."""


class Variant(Protocol):
    """The parameters of a game: a frozen attrs class that can deal.

    A field may say in its metadata, as `help`, what it changes: a sentence for who sets up a table.
    It may have a method `teams`, which returns the seats of each team at a table of so many seats
    (see `sides.py`); without it everybody plays alone.
    """

    def deal(self, table: Table) -> Coroutine[Any, Any, Position]:
        """Return the first position; may ask and tell as a round does."""


class Position(Protocol):
    """A game between two rounds: frozen, hashable, and buildable by hand.

    It may have a property `rounds`: how many were played, where that is not one for each call
    of `round`. It may have a property `everybody_lost`: whether the game has beaten all who play
    it, so that nobody is first.
    """

    @property
    def variant(self) -> Variant:
        """The variant that is played."""

    @property
    def over(self) -> bool:
        """Whether the last round has been played."""

    @property
    def scores(self) -> Sequence[Score]:
        """Each seat's score so far; more is better."""

    def round(self, table: Table) -> Coroutine[Any, Any, Position]:
        """Play one round; return the next position."""

    def resample_hidden(self, seat: Seat, random: Random) -> Position:
        """Return a random position in which this seat is sent the same up to its next answer.

        What the seat remembers from before is its own affair. This says once what is
        hidden, for tests and for bots that search.
        """


@frozen
class UndealtPosition:
    """The position before the deal, whose only round is the deal."""

    variant: Variant
    over = False
    scores: Sequence[Score] = ()

    def round(self, table: Table) -> Coroutine[Any, Any, Position]:
        """Deal, and return the first position."""
        return self.variant.deal(table)

    def resample_hidden(self, seat: Seat, random: Random) -> Position:
        """Return itself: nothing is hidden yet."""
        return self


class Play:
    """A game in progress: a driver reads `pending`, calls `answer`, and drains."""

    __slots__ = (
        "_everybody", "_given", "_latest", "_out_of_order", "_send", "_settled", "_table",
        "arrival", "closed", "number", "passing", "pending", "position", "seats", "seed",
        "withdrawn",
    )  # fmt: skip

    def __init__(
        self,
        position: Position,
        seats: int,
        seed: Seed,
        number: int = 1,
        answers: Iterable[GivenAnswer] = (),
    ) -> None:
        self.position = position  #: at the beginning of the open round
        self.seats = seats  #: how many play
        self.seed = read_seed(seed)  #: of the deal: all chance comes from it
        self.number = number  #: of the open round; the deal is round 0
        self.pending: dict[Seat, Question[Any]] = {}  #: the questions not yet answered
        self.arrival = False  #: do the rules want to know who answered first?
        self.passing: Passing | None = None  #: by what nobody ends the ask, where one can end it
        self.closed = 0  #: how many asks are over
        self.withdrawn: Mapping[Seat, Question[Any]] = {}  #: what the last of them left unanswered
        self._given: dict[Seat, Any] = {}  # what the open ask was answered so far
        self._latest, self._out_of_order = -1, False  # seats seldom answer out of order
        self._settled: list[Mapping[Seat, Any]] = []  # the same of this round's earlier asks
        self._everybody = frozenset(range(seats))
        self._table = Table(seats, self.seed)
        self._send = self._rounds().send
        self._resume(None)
        for seat, answer in answers:
            self.answer(seat, answer)

    @classmethod
    def deal(cls, variant: Variant, seats: int, seed: Seed) -> Self:
        """Start a new game with the deal, which is round 0."""
        return cls(UndealtPosition(variant), seats, seed, number=0)

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return not self.pending

    @property
    def scores(self) -> tuple[Score, ...]:
        """Each seat's score so far, 0 before the deal is done.

        Raises:
            GameError: where the position has something else than a number for each seat.
        """
        scores: Any = self.position.scores
        if not self.number and not scores:
            return (0,) * self.seats
        _check_scores(self.position, scores, self.seats)
        return tuple(scores)

    @property
    def rounds(self) -> int:
        """The number of finished rounds, as the game counts them."""
        played: int = getattr(self.position, "rounds", max(0, self.number - 1))
        _check_property(self.position, "rounds", played)
        return played

    @property
    def sides(self) -> Sides:
        """The seats of each side: of each team, or each seat alone."""
        return find_sides(self.position.variant, self.seats)

    @property
    def everybody_lost(self) -> bool:
        """Whether the game has beaten all who play it."""
        lost = getattr(self.position, "everybody_lost", False)
        _check_property(self.position, "everybody_lost", lost)
        return bool(lost)

    @property
    def asks(self) -> tuple[Mapping[Seat, Any], ...]:
        """The answers of each ask of the open round that is over, without those of the open ask."""
        return tuple(self._settled)

    @property
    def answers(self) -> tuple[GivenAnswer, ...]:
        """The answers of the open round, in an order that reproduces it."""
        in_turn = self.arrival and self.passing is None
        order = self._given if in_turn else sorted(self._given)
        given = {seat: self._given[seat] for seat in order}
        return tuple(pair for ask in (*self._settled, given) for pair in ask.items())

    @property
    def key(self) -> Key:
        """The complete state: equal keys continue alike, and `Play(*key)` restores a play."""
        return self.position, self.seats, self.seed, self.number, self.answers

    def answer(self, seat: Seat, answer: object) -> Any:
        """Give a seat's answer to the rules; return it as the options have read it.

        Raises:
            IllegalAnswerError: where the rules do not allow it; nothing has changed then.
        """
        pending = self.pending
        if seat not in pending:
            raise IllegalAnswerError(f"seat {seat} was not asked")
        self._given[seat] = read = pending[seat].options.read(answer)
        if seat < self._latest:
            self._out_of_order = True
        self._latest = seat
        del pending[seat]
        if not pending or (self.passing is not None and not is_same(read, self.passing.answer)):
            self._resume(self._settle())
        return read

    def drain(self) -> list[AddressedEvent]:
        """Return the events since the last call, and forget them."""
        told, self._table.told = self._table.told, []
        return told

    def clone(self) -> Play:
        """Return an independent copy, including the events that are not drained yet."""
        twin = Play(*self.key)
        twin._table.told = self._table.told[:]
        return twin

    async def _rounds(self) -> None:
        """Play all rounds in one coroutine, which avoids a StopIteration for each round."""
        position, table = self.position, self._table
        while not position.over:
            table.number = self.number
            before = position
            try:
                position = await position.round(table)
            except Exception as problem:
                self._check_awaits(before, problem)
                raise
            if not hasattr(position, "round"):
                raise GameError(f"{_locate(before)} returned {_describe_no_position(position)}")
            self.position = position
            if len(table.asked) != len(self._settled):  # or each was awaited
                self._check_awaits(before)
            table.asked.clear()
            self.number += 1
            self._settled = []
        _check_property(position, "over", position.over)

    def _check_awaits(self, position: Position, problem: Exception | None = None) -> None:
        """Raise GameError if an ask of the round was not awaited, which may be why it failed."""
        if forgotten := self._table.find_missing_await():
            then = f" (then the round failed: {describe_error(problem)})" if problem else ""
            raise GameError(f"{_locate(position)}: {forgotten}{then}") from problem
        if problem and "'coroutine'" in str(problem):
            missing = f"{describe_error_with_line(problem)}; is an `await` missing?"
            raise GameError(missing) from problem

    def _settle(self) -> Mapping[Seat, Any]:
        """Close the open ask and return its answers, in seat order unless arrival matters."""
        given, self._given, self._latest = self._given, {}, -1
        self.closed += 1
        if self.closed > MAX_ASKS:
            raise GameError(
                f"{_locate(self.position)}: the game has not ended after {MAX_ASKS} asks; is `over`"
                " ever true, or does the game need a limit of turns?"
            )
        self.withdrawn = self.pending
        if self._out_of_order:
            self._out_of_order = False
            if not self.arrival:
                given = {seat: given[seat] for seat in sorted(given)}
        if self.passing is not None:
            return self._first(given, self.passing.answer)
        self._settled.append(given)
        return given

    def _first(self, given: Mapping[Seat, Any], passing: Any) -> Mapping[Seat, Any]:
        """Close an ask that the first answer ends, and return that answer, if there is one."""
        self.pending = {}
        *_, (seat, answer) = given.items()
        first = {} if is_same(answer, passing) else {seat: answer}
        passed = {other: given[other] for other in sorted(given.keys() - first)}
        self._settled.append({**passed, **first})  # who passed first makes no other play
        return first

    def _resume(self, answers: Mapping[Seat, Any] | None) -> None:
        try:
            questions, self.arrival, self.passing = self._send(answers)
        except StopIteration:
            return
        except (
            IllegalAnswerError
        ) as problem:  # or it would be taken for the fault of who answered last
            raise GameError(
                f"the rules reject an answer that their question allows: {problem}"
            ) from problem
        if type(questions) is not dict and not isinstance(questions, Mapping):
            kind = type(questions).__name__
            raise GameError(f"{self._locate_ask()} asks a {kind}; write {{seat: question, ...}}")
        everybody = self._everybody
        for seat, question in questions.items():
            if seat not in everybody or not isinstance(question, Question):
                wrong = _describe_wrong_ask(seat, question, self.seats)
                raise GameError(f"{self._locate_ask()} {wrong}")
        self.pending = dict(questions)
        if self.passing is not None:
            _check_all_can_pass(questions, self.passing, self._locate_ask)

    def _locate_ask(self) -> str:
        """Return the name, the file and the line of the rules that ask now."""
        rounds: Any = self._send  # of the coroutine that awaits the rules
        asking = rounds.__self__
        while iscoroutine(asking.cr_await):
            asking = asking.cr_await
        file = Path(asking.cr_code.co_filename).name
        return f"{asking.__qualname__} ({file}:{asking.cr_frame.f_lineno})"


def _describe_no_position(value: object) -> str:
    """Return an error's text on what was returned instead of a position."""
    if value is None:
        return "nothing: return the next position"
    if iscoroutine(value):
        value.close()  # so that Python does not warn of it, too
        return f"the call of {value.__name__}(...), which was never awaited; is an `await` missing?"
    return f"{abbreviate(value)}, which is no position: it has no `round`"


def _describe_wrong_ask(seat: Any, question: object, seats: int) -> str:
    """Return an error's text on a seat that does not exist, or on what is no question."""
    if iscoroutine(seat) or (isgenerator(seat) and seat.__name__ != "<genexpr>"):
        return (
            f"asks a seat that is the call of {seat.__name__.lstrip('_')}(...), which was never"
            " awaited; is an `await` missing?"
        )
    if isinstance(question, Question):
        return f"asks seat {abbreviate(seat)}, but the seats are 0 to {seats - 1}"
    if isinstance(question, type) and issubclass(question, Question):
        return f"asks the class {question.__name__} itself; write {question.__name__}(options)"
    return f"asks {abbreviate(question)}, which is no question: derive its class from Question"


def split_by_seat(told: Sequence[AddressedEvent], seats: int) -> Sequence[Sequence[Any]]:
    """Return the events that each seat receives, in seat order."""
    public = [event for to, event in told if to is None]
    if len(public) == len(told):
        return (public,) * seats
    return [[event for to, event in told if to in (None, seat)] for seat in range(seats)]


def _locate(position: Position) -> str:
    """Return the name, the file and the line of the function that plays a position's round."""
    if isinstance(position, UndealtPosition):
        return locate_definition(type(position.variant).deal)
    return locate_definition(type(position).round)


def _check_property(position: Position, name: str, value: object) -> None:
    """Raise GameError if the value of a position's property is a method, which is always true."""
    if callable(value):
        where = locate_definition(getattr(type(position), name))
        raise GameError(f"{where} is a method; write `@property` above it")


def _check_scores(position: Position, scores: Any, seats: int) -> None:
    """Raise GameError if scores are something else than a number for each seat."""
    _check_property(position, "scores", scores)
    if type(scores) is not tuple and not _is_list(scores):
        wrong = f"are a {type(scores).__name__}; give a tuple with a number for each seat"
    elif len(scores) != seats:
        wrong = f"are {len(scores)} for {format_count(seats, 'seat')}; give each seat one"
    else:
        for score in scores:
            if type(score) is not int and not _is_score(score):
                wrong = f"contain {abbreviate(score)}; give whole, finite or exact numbers"
                break
        else:
            return
    raise GameError(f"the scores of {_locate_scores(position)} {wrong}")


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _is_score(value: object) -> bool:
    return isinstance(value, Score) and not isinstance(value, bool) and isfinite(value)


def _locate_scores(position: Position) -> str:
    """Return the name, the file and the line of a position's scores, or of its class."""
    scores = getattr(type(position), "scores", None)
    return locate_definition(scores if isinstance(scores, property) else type(position))


def _check_all_can_pass(
    questions: Mapping[Seat, Question[Any]], passing: Passing, locate: Callable[[], str]
) -> None:
    """Raise GameError if the rules ask for the first answer and a seat cannot pass."""
    for seat, question in questions.items():
        try:
            question.options.read(passing.answer)
        except IllegalAnswerError as problem:
            raise GameError(f"{locate()} asks seat {seat}, which cannot pass: {problem}") from None
