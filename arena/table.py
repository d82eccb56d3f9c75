"""Where rules meet players: they tell, they ask, they draw, and nothing else.

No file of the rules does I/O or knows a clock. What a seat may know is what it was told
here: hidden information is what a seat was never told, so there is nothing to filter.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from random import Random
from types import coroutine
from typing import Any, Generic, Protocol, TypeVar

from attrs import field, frozen

Seat = int
"""A place at the table, counted from 0; the order of play is the order of the seats."""

A = TypeVar("A")
A_co = TypeVar("A_co", covariant=True)

Told = tuple[Seat | None, Any]
"""Who is told (None: all), and what."""

Asked = tuple[Mapping[Seat, "Question[Any]"], bool]
"""The questions put at once, and whether the order of arrival matters."""


class Illegal(Exception):  # noqa: N818  # it is no error of the program: the rules say no
    """An answer that the rules do not allow; the text says why."""


class Options(Protocol[A_co]):
    """What may be answered to a question.

    JSON lines can write `OneOf`, `SomeOf` and `Text`: a game's own derive from one of them.
    """

    def read(self, answer: object) -> A_co:
        """Give the answer to use, or raise Illegal with the reason."""

    def draw(self, random: Random) -> A_co:
        """Give a legal answer, drawn with this generator."""


@frozen
class Question(Generic[A]):
    """What a seat is asked; `default` is what the autopilot answers, if it is given.

    A game derives its questions from this class (`class Bid(Question[int])`) and may add
    fields: they are part of what the seat is told.
    """

    options: Options[A]
    default: A | None = field(default=None, kw_only=True)


class Table:
    """The rules' one way out: seats to tell and to ask, and a source of chance."""

    __slots__ = ("_drawn", "_random", "_seed", "number", "seats", "told")

    def __init__(self, seats: int, seed: str) -> None:
        self.seats = range(seats)
        self.told: list[Told] = []
        self._seed = seed
        self.number = 0  # of the round, which a play sets
        self._drawn = -1  # the number of the round that the generator is for
        self._random: Random

    @property
    def random(self) -> Random:
        """All chance comes from here, so that a seed fixes the game.

        Each round has a generator of its own, so that what it draws does not depend on
        how often earlier rounds drew.
        """
        if self._drawn != self.number:  # seeding costs more than most rounds, and few draw
            self._random = Random(f"{self._seed}/{self.number}")
            self._drawn = self.number
        return self._random

    def tell(self, seat: Seat, event: object) -> None:
        """Let one seat know. Nobody knows what they were not told."""
        self.told.append((seat, event))

    def announce(self, event: object) -> None:
        """Let every seat know."""
        self.told.append((None, event))

    async def ask(self, seat: Seat, question: Question[A]) -> A:
        """Wait for one seat to answer."""
        answers: dict[Seat, A] = await self.ask_all({seat: question})
        return answers[seat]

    @coroutine
    def ask_all(
        self, questions: Mapping[Seat, Question[A]], *, arrival: bool = False
    ) -> Generator[Asked, dict[Seat, A], dict[Seat, A]]:
        """Ask several seats at once and wait for all.

        The answers come in seat order, or with `arrival` in the order in which they came.
        """
        if not questions:
            return {}
        return (yield questions, arrival)  # the one place where rules hand control back
