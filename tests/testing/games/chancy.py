"""The game of `higher`, shuffled by something else than the table, or without an end."""

from __future__ import annotations

import random
import secrets
import time
from datetime import datetime
from random import Random, shuffle
from typing import ClassVar

from arena import Seat, Table
from tests.testing.games.higher import Higher, HigherPosition, higher


class DrawingByTheStock(HigherPosition):
    """Draws once more if a hidden card is odd."""

    def show(self, table: Table, seat: Seat) -> None:
        if self.stock[0] % 2:
            table.random.random()
        super().show(table, seat)


class DrawingBeforeTheReveal(HigherPosition):
    """Draws once more if a hidden card is odd, just before it is turned up."""

    def reveal(self, table: Table, cards: tuple[int, ...]) -> None:
        if self.stock[0] % 2:
            table.random.random()
        super().reveal(table, cards)


class ByTheModule(Higher):
    """Draws from the module."""

    def shuffled(self, table: Table, cards: int) -> list[int]:
        return random.sample(range(1, cards + 1), cards)


class ByAnImportedFunction(Higher):
    """Shuffles by a function of the module."""

    def shuffled(self, table: Table, cards: int) -> list[int]:
        pile = [*range(1, cards + 1)]
        shuffle(pile)
        return pile


class Seeding(Higher):
    """Draws from a generator of its own."""

    def shuffled(self, table: Table, cards: int) -> list[int]:
        return self.generator().sample(range(1, cards + 1), cards)

    def generator(self) -> Random:
        return Random()


class BySystem(Seeding):
    """Draws from the system's chance."""

    def generator(self) -> Random:
        return secrets.SystemRandom()


class ByTime(Seeding):
    """Draws from the time of day."""

    def generator(self) -> Random:
        return Random(time.time())


class ByDate(Seeding):
    """Draws from the date."""

    def generator(self) -> Random:
        return Random(datetime.now().isoformat())  # noqa: DTZ005


class ByAddress(Seeding):
    """Draws from where something lies in memory."""

    def generator(self) -> Random:
        return Random(id(self))


class ByHash(Seeding):
    """Draws from the hash of a text."""

    def generator(self) -> Random:
        return Random(hash("higher"))


class BySet(Higher):
    """Lays the cards down in the order of a set."""

    def shuffled(self, table: Table, cards: int) -> list[int]:
        return [int(card) for card in {str(card) for card in range(1, cards + 1)}]


class ByCount(Seeding):
    """Draws from how many games there were."""

    games: ClassVar[list[int]] = []

    def generator(self) -> Random:
        self.games.append(1)
        return Random(len(self.games))


class Seldom(Higher):
    """Turns every seventh pile around."""

    games: ClassVar[list[int]] = []

    def shuffled(self, table: Table, cards: int) -> list[int]:
        self.games.append(1)
        pile = super().shuffled(table, cards)
        return pile if len(self.games) % 7 else pile[::-1]


class ForEver(HigherPosition):
    """Is where it was, after each round."""

    def after(self, laid: tuple[int, ...], right: int | None) -> HigherPosition:
        return self


class WithoutQuestions(HigherPosition):
    """Has rounds in which nobody is asked."""

    async def round(self, table: Table) -> HigherPosition:
        return self


class WithALoop(HigherPosition):
    """Has a round that never gets to its question."""

    def guesser(self, table: Table) -> int:
        while self.scores:
            pass
        return 0


class WithATightLoop(HigherPosition):
    """The same, and calls nothing."""

    def guesser(self, table: Table) -> int:
        count = 1
        while count:
            count += 1
        return count


BY_THE_MODULE = higher(variant=ByTheModule)
BY_AN_IMPORTED_FUNCTION = higher(variant=ByAnImportedFunction)
BY_A_GENERATOR = higher(variant=Seeding)
BY_SYSTEM = higher(variant=BySystem)
BY_TIME = higher(variant=ByTime)
BY_DATE = higher(variant=ByDate)
BY_ADDRESS = higher(variant=ByAddress)
BY_HASH = higher(variant=ByHash)
BY_SET = higher(variant=BySet)
BY_COUNT = higher(variant=ByCount)
SELDOM = higher(variant=Seldom)
FOR_EVER = higher(ForEver)
WITHOUT_QUESTIONS = higher(WithoutQuestions)
WITH_A_LOOP = higher(WithALoop)
WITH_A_TIGHT_LOOP = higher(WithATightLoop)
BY_THE_STOCK = higher(DrawingByTheStock)
BEFORE_THE_REVEAL = higher(DrawingBeforeTheReveal)
