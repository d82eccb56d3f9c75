"""The table, through which rules tell, ask and draw, and do nothing else.

No file of the rules does I/O or knows a clock. What a seat may know is what it was told
here: hidden information is what a seat was never told, so there is nothing to filter.
"""

from __future__ import annotations

from collections.abc import Awaitable, Generator, Mapping
from random import Random
from types import coroutine
from typing import Any, Generic, TypeVar

from attrs import field, frozen

from arena.rules.errors import GameError
from arena.rules.options import OPTION_KINDS, OPTIONS_RULE, OneOf, Options

Seat = int
"""A place at the table, counted from 0; the order of play is the order of the seats."""

A = TypeVar("A")

AddressedEvent = tuple[Seat | None, Any]
"""The seat that is told (None: all), and the event."""

Ask = tuple[Mapping[Seat, "Question[Any]"], bool, "Passing | None"]
"""The questions asked at once, whether the order of arrival matters, and the passing answer."""


@frozen
class Question(Generic[A]):
    """A question to a seat; `default` is the fallback bot's answer, if it is given.

    A game derives its questions from this class (`class Bid(Question[int])`) and may add
    fields: they are part of what the seat is told.
    """

    options: Options[A]  #: what may be answered
    default: A | None = field(default=None, kw_only=True)

    def __attrs_post_init__(self) -> None:
        options: Any = self.options
        if type(options) is OneOf and options:  # as most are
            return
        if not isinstance(options, OPTION_KINDS):
            raise GameError(
                f"{type(self).__name__}.options is of type {type(options).__name__}; {OPTIONS_RULE}"
            )
        if isinstance(options, tuple) and not options:
            raise GameError(
                f"{type(self).__name__}.options is empty; a seat that cannot answer must not be"
                " asked"
            )


@frozen
class Passing:
    """The answer with which a seat passes, when any other answer ends the ask."""

    answer: Any


class Table:
    """The only interface of rules to the outside: seats to tell and to ask, and chance."""

    __slots__ = ("_drawn", "_random", "_seed", "asked", "number", "seats", "told")

    def __init__(self, seats: int, seed: str) -> None:
        self.seats = range(seats)  #: all seats, in the order of play
        self.told: list[AddressedEvent] = []  #: what has been told and is not drained yet
        self.asked: list[Any] = []  #: the asks of the open round, awaited or not
        self._seed = seed
        self.number = 0  #: of the round, which a play sets
        self._drawn = -1  # the number of the round that the generator is for
        self._random: Random

    @property
    def random(self) -> Random:
        """The source of all chance, so that a seed determines the game.

        Each round has a generator of its own, so that what it draws does not depend on
        how often earlier rounds drew.
        """
        if self._drawn != self.number:  # seeding costs more than most rounds, and few draw
            self._random = Random(f"{self._seed}/{self.number}")
            self._drawn = self.number
        return self._random

    def tell(self, seat: Seat, event: object) -> None:
        """Tell one seat an event; the other seats do not learn of it."""
        if seat not in self.seats:
            raise GameError(f"tells seat {seat!r}, but the seats are 0 to {len(self.seats) - 1}")
        if isinstance(event, type):
            raise GameError(_describe_class("tells", event))
        self.told.append((seat, event))

    def announce(self, event: object) -> None:
        """Tell every seat an event."""
        if isinstance(event, type):
            raise GameError(_describe_class("announces", event))
        self.told.append((None, event))

    def find_missing_await(self) -> str | None:
        """Return a message about the first ask that was not awaited to its end, or None."""
        for asking in self.asked:
            if asking.gi_frame:  # of which Python itself never warns
                return _describe_missing_await(asking.__name__, asking.gi_frame.f_locals)
        return None

    def ask(self, seat: Seat, question: Question[A]) -> Awaitable[A]:
        """Wait for one seat to answer."""
        self.asked.append(asking := _ask(seat, question))
        return asking

    def ask_all(
        self, questions: Mapping[Seat, Question[A]], *, arrival: bool = False
    ) -> Awaitable[dict[Seat, A]]:
        """Ask several seats at once, wait for all, and return a dictionary of the answers by seat.

        It is in seat order, or with `arrival` in the order in which the answers came.
        """
        self.asked.append(asking := _ask_all(questions, arrival))
        return asking

    def ask_first(
        self, questions: Mapping[Seat, Question[A]], *, passing: A
    ) -> Awaitable[tuple[Seat, A] | None]:
        """Ask several seats at once; the first answer other than `passing` ends the ask.

        Return whose it was and the answer, or None where everybody passed. Who has not
        answered by then is told that the ask is over, and need not answer any more.
        """
        self.asked.append(asking := _ask_first(questions, passing))
        return asking


# Here rules hand control back. The table keeps each ask that is begun, to find those that nobody
# awaits: Python warns of a forgotten `async def` when it is thrown away, and of these never.


@coroutine
def _ask(seat: Seat, question: Question[A]) -> Generator[Ask, dict[Seat, A], A]:
    answers = yield {seat: question}, False, None
    return answers[seat]


@coroutine
def _ask_all(
    questions: Mapping[Seat, Question[A]], arrival: bool
) -> Generator[Ask, dict[Seat, A], dict[Seat, A]]:
    return (yield questions, arrival, None) if questions else {}


@coroutine
def _ask_first(
    questions: Mapping[Seat, Question[A]], passing: A
) -> Generator[Ask, dict[Seat, A], tuple[Seat, A] | None]:
    first = (yield questions, True, Passing(passing)) if questions else {}
    return next(iter(first.items()), None)


def _describe_class(verb: str, kind: type) -> str:
    """Return an error's text on a class that stands where an object of it should."""
    return f"{verb} the class {kind.__name__} itself; write {kind.__name__}(...), an object of it"


def _describe_missing_await(ask: str, begun: Mapping[str, Any]) -> str:
    """Return an error message that names the ask that was never awaited."""
    questions = begun.get("questions") or {"": begun.get("question")}
    named = ", ".join(sorted({type(question).__name__ for question in questions.values()}))
    called = f"table.{ask.lstrip('_')} ({named})"
    return f"{called} was never awaited; is an `await` missing?"
