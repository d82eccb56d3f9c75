"""A game in progress, without any I/O: who is asked what, and what was told.

A play is five values: the position between two rounds, how many seats there are, the
seed, the number of the open round, and the answers given in it. Rules draw only from
the table, so playing the open round again gives the same play: that is how a play is
cloned, saved and hashed, although a coroutine can be none of these.
"""

from __future__ import annotations

from collections.abc import Coroutine, Iterable, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any, Protocol, Self

from attrs import frozen

from arena.table import Illegal, Question, Seat, Table, Told

Score = int | float | Fraction
"""Points; more is better."""

Given = tuple[Seat, Any]
"""Who answered, and what."""

Key = tuple["Position", int, str, int, tuple[Given, ...]]
"""Position, seats, seed, number of the open round, answers given in it."""


class Variant(Protocol):
    """A game's parameters, a frozen attrs class, which know how to deal."""

    def deal(self, table: Table) -> Coroutine[Any, Any, Position]:
        """Give the first position; may ask and tell as a round does."""


class Position(Protocol):
    """A game between two rounds: frozen, hashable, and buildable by hand."""

    @property
    def variant(self) -> Variant:
        """What is being played."""

    @property
    def over(self) -> bool:
        """Has the last round been played?"""

    @property
    def scores(self) -> Sequence[Score]:
        """Each seat's score so far; more is better."""

    def round(self, table: Table) -> Coroutine[Any, Any, Position]:
        """Play one round; give the position that it leaves."""

    def another(self, seat: Seat, random: Random) -> Position:
        """Give a position from which this seat is sent the same up to its next answer.

        What the seat remembers from before is its own affair. This says once what is
        hidden, for tests and for bots that search.
        """


@frozen
class Undealt:
    """A variant seen as the position before the deal: its one round is the deal."""

    variant: Variant
    over = False
    scores: Sequence[Score] = ()

    def round(self, table: Table) -> Coroutine[Any, Any, Position]:
        """Deal."""
        return self.variant.deal(table)

    def another(self, seat: Seat, random: Random) -> Position:
        """Give itself: nothing is hidden yet."""
        return self


class Play:
    """A game in progress: a driver reads `pending`, calls `answer`, and drains."""

    __slots__ = (
        "_everybody", "_given", "_latest", "_out_of_order", "_send", "_settled", "_table",
        "arrival", "number", "pending", "position", "seats", "seed",
    )  # fmt: skip

    def __init__(
        self,
        position: Position,
        seats: int,
        seed: str,
        number: int = 1,
        answers: Iterable[Given] = (),
    ) -> None:
        self.position, self.seats, self.seed, self.number = position, seats, seed, number
        self.pending: dict[Seat, Question[Any]] = {}  # the questions not yet answered
        self.arrival = False  # do the rules want to know who answered first?
        self._given: dict[Seat, Any] = {}  # what the open ask was answered so far
        self._latest, self._out_of_order = -1, False  # seats seldom answer out of order
        self._settled: list[Mapping[Seat, Any]] = []  # the same of this round's earlier asks
        self._everybody = frozenset(range(seats))
        self._table = Table(seats, seed)
        self._send = self._rounds().send
        self._resume(None)
        for seat, answer in answers:
            self.answer(seat, answer)

    @classmethod
    def deal(cls, variant: Variant, seats: int, seed: str) -> Self:
        """Start a new game; the deal is its round 0."""
        return cls(Undealt(variant), seats, seed, number=0)

    @property
    def over(self) -> bool:
        """Is nobody asked any more?"""
        return not self.pending

    @property
    def scores(self) -> tuple[Score, ...]:
        """Each seat's score so far; nothing, before the deal is done."""
        return tuple(self.position.scores) or (0,) * self.seats

    @property
    def answers(self) -> tuple[Given, ...]:
        """What was answered in the open round, in an order that gives it again."""
        order = self._given if self.arrival else sorted(self._given)
        given = {seat: self._given[seat] for seat in order}
        return tuple(pair for ask in (*self._settled, given) for pair in ask.items())

    @property
    def key(self) -> Key:
        """All that this play is: equal keys go on alike, and `Play(*key)` goes on here."""
        return self.position, self.seats, self.seed, self.number, self.answers

    def answer(self, seat: Seat, answer: object) -> Any:
        """Take a seat's answer and give it as read; or raise Illegal and change nothing."""
        question = self.pending.get(seat)
        if question is None:
            raise Illegal(f"seat {seat} was not asked")
        self._given[seat] = read = question.options.read(answer)
        if seat < self._latest:
            self._out_of_order = True
        self._latest = seat
        del self.pending[seat]
        if not self.pending:
            self._resume(self._settle())
        return read

    def drain(self) -> list[Told]:
        """Take what has been told since the last call."""
        told, self._table.told = self._table.told, []
        return told

    def clone(self) -> Play:
        """Give an independent copy, with the same still to be drained."""
        twin = Play(*self.key)
        twin._table.told = self._table.told[:]
        return twin

    async def _rounds(self) -> None:
        """One coroutine for all rounds: each then costs an await and no StopIteration."""
        table = self._table
        while not self.position.over:
            table.number = self.number
            self.position = await self.position.round(table)
            self.number += 1
            self._settled = []

    def _settle(self) -> Mapping[Seat, Any]:
        """Close the open ask: give its answers, in seat order unless arrival matters."""
        given, self._given, self._latest = self._given, {}, -1
        if self._out_of_order:
            self._out_of_order = False
            if not self.arrival:
                given = {seat: given[seat] for seat in sorted(given)}
        self._settled.append(given)
        return given

    def _resume(self, answers: Mapping[Seat, Any] | None) -> None:
        try:
            questions, self.arrival = self._send(answers)
        except StopIteration:
            return
        except Illegal as problem:  # or it would be taken for the fault of who answered last
            raise RuntimeError(f"the rules refuse what their options allow: {problem}") from problem
        if not self._everybody.issuperset(questions):
            raise RuntimeError(f"the rules ask seats {[*questions]}, and there are {self.seats}")
        self.pending = dict(questions)
