"""A sound game out of turn: whoever speaks first takes the lead, until all others pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

from attrs import evolve, frozen

from arena import Game, Greeting, MalformedLineError, Narrator, OneOf, Question, Seat, Table
from tests.support.toys import change

PASS, RAISE = "pass", "raise"
HIGHEST = 3  # that the price can be


@frozen
class Worth:
    """You alone know what the lot is worth to you."""

    points: int


@frozen
class Raised:
    """A seat has raised the price."""

    seat: Seat
    price: int


@frozen
class Sold:
    """The lot is sold, or to nobody, and what it was worth to each."""

    seat: Seat | None
    worth: tuple[int, ...]


class Bid(Question[str]):
    """Do you raise?"""


@frozen
class Outcry:
    """So many lots."""

    lots: int = 2

    async def deal(self, table: Table) -> OutcryPosition:
        drawn = [tuple(table.random.randint(0, 4) for _ in table.seats) for _ in range(self.lots)]
        return OutcryPosition(self, tuple(drawn), (0,) * len(table.seats))


@frozen
class OutcryPosition:
    """The lots to come, and points."""

    variant: Outcry
    lots: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]

    @property
    def over(self) -> bool:
        return not self.lots

    async def round(self, table: Table) -> OutcryPosition:
        worth, *rest = self.lots
        for seat in table.seats:
            table.tell(seat, Worth(worth[seat]))
        leader, price = await self._bidding(table)
        table.announce(Sold(leader, worth))
        won = [worth[seat] - price if seat == leader else 0 for seat in table.seats]
        scores = tuple(map(sum, zip(self.scores, won, strict=True)))
        return evolve(self, lots=tuple(rest), scores=scores)

    async def _bidding(self, table: Table) -> tuple[Seat | None, int]:
        """Let the others raise, until all of them pass or the price is the highest."""
        leader, price = None, 0
        while price < HIGHEST:
            others = [seat for seat in table.seats if seat != leader]
            asked = {seat: Bid(OneOf((PASS, RAISE)), default=PASS) for seat in others}
            first = await table.ask_first(asked, passing=PASS)
            if first is None:
                break
            (leader, _), price = first, price + 1
            table.announce(Raised(leader, price))
        return leader, price

    def resample_hidden(self, seat: Seat, random: Random) -> OutcryPosition:
        """Return the others another worth, and all of them other lots to come."""
        lots = [tuple(random.randint(0, 4) for _ in lot) for lot in self.lots]
        if lots:
            mine = self.lots[0][seat]
            lots[0] = tuple(mine if at == seat else worth for at, worth in enumerate(lots[0]))
        return evolve(self, lots=tuple(lots))


@frozen
class Lines:
    """A text protocol that says, too, when it is too late."""

    seat: Seat

    def tell(self, event: Any) -> Iterable[str]:
        match event:
            case Greeting():
                return (f"seat {event.seat} of {event.seats}",)
            case Worth(points):
                return (f"worth {points}",)
            case Raised(by, price):
                return (f"{by} raises to {price}",)
        return (f"sold to {event.seat}, {' '.join(map(str, event.worth))}",)

    def ask(self, question: Question[Any]) -> Iterable[str]:
        return ("pass or raise?",)

    def withdraw(self, question: Question[Any]) -> Iterable[str]:
        return ("too late",)

    def read(self, question: Question[Any], line: str) -> object:
        if line not in (PASS, RAISE):
            raise MalformedLineError("pass or raise")
        return line

    def say(self, question: Question[Any], answer: Any) -> str:
        return str(answer)


class OutcryNarrator(Narrator):
    """Says what happens in words."""

    def describe(self, message: Any) -> Iterable[str]:
        match message:
            case Worth(points):
                return [f"The lot is worth {points} to you."]
            case Raised(seat, price):
                return [f"{self.phrases.clause('raise', seat)} to {price}."]
            case Sold(None):
                return ["Nobody wants it."]
            case Sold(seat):
                return [f"Sold to {self.phrases.name(seat or 0)}."]
            case Bid():
                return ["Do you raise?"]
        return super().describe(message)


def actions(_: Outcry, __: int) -> Sequence[str]:
    return (PASS, RAISE)


def outcry(**changed: Any) -> Game:
    parts: Mapping[str, Any] = {
        "wires": {"text": Lines},
        "narrator": OutcryNarrator,
        "actions": actions,
        "reveals": (Sold,),
        **changed,
    }
    game = Game(
        name="outcry",
        summary="whoever speaks first takes the lead",
        variant=Outcry,
        seats=range(2, 5),
        messages=(Worth, Raised, Sold, Bid),
    )
    return change(game, **parts)


OUTCRY = outcry()
