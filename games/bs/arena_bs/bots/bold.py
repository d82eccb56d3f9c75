"""Bots that lie or call more often than necessary."""

from __future__ import annotations

from attrs import define, field, validators

from arena.cards import Cards
from arena_bs.bots.base import CardPlayer


@define(eq=False)
class Liar(CardPlayer):
    """Lays one to `most` cards, those that it needs last, and brags about its lies.

    It never calls: at a table where few claims are called, it goes out first.
    """

    most: int = field(default=3, validator=validators.ge(1))

    def lay(self) -> Cards:
        """Lay a random number of cards, whatever the rank."""
        return self.memory.hand_by_need[: self.random.randint(1, self.most)]

    def doubts(self) -> bool:
        """Never call."""
        return False

    def brags(self) -> bool:
        """Declare Peanut Butter after every lie."""
        return self.bluffing


@define(eq=False)
class Caller(CardPlayer):
    """Plays honestly, but calls any claim with this `chance`."""

    chance: float = field(default=0.25, validator=[validators.ge(0), validators.le(1)])

    def doubts(self) -> bool:
        """Call impossible claims, and others at random."""
        return super().doubts() or self.random.random() < self.chance
