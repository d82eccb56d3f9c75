"""Bots that lie only when they must."""

from __future__ import annotations

from arena_bs.bots.base import CardPlayer


class Honest(CardPlayer):
    """Lays its cards of the rank, else a single card; calls impossible claims."""


class Cautious(CardPlayer):
    """Plays honestly too, and calls every player that would go out."""

    def doubts(self) -> bool:
        """Call impossible claims, and any claim of a player with no cards left."""
        return super().doubts() or not self.memory.counts[self.memory.current]
