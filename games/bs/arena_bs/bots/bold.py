"""Bots that lie, or take others for liars, more often than they need to."""

from __future__ import annotations

from attrs import define, field, validators

from arena.cards import Cards
from arena_bs.bots.base import CardPlayer


@define(eq=False)
class Liar(CardPlayer):
    """Lays one to `most` cards, those that it needs last, and brags of having lied.

    It never calls: where nobody is looked at too closely, it is out first.
    """

    most: int = field(default=3, validator=validators.ge(1))

    def lay(self) -> Cards:
        """Draw how many; the rank does not matter to a liar."""
        return self.memory.hand_by_need[: self.random.randint(1, self.most)]

    def doubts(self) -> bool:
        """Live and let live."""
        return False

    def brags(self) -> bool:
        """Let everybody know, if nobody has called."""
        return self.bluffing


@define(eq=False)
class Caller(CardPlayer):
    """Plays honestly, but takes others for liars: calls with this `chance`."""

    chance: float = field(default=0.25, validator=[validators.ge(0), validators.le(1)])

    def doubts(self) -> bool:
        """Call what cannot be, and much of the rest."""
        return super().doubts() or self.random.random() < self.chance
