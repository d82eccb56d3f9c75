"""Bots that lie only where they must."""

from __future__ import annotations

from arena_bs.bots.base import CardPlayer


class Honest(CardPlayer):
    """Lays what it has of the rank, else one card; calls what cannot be."""


class Cautious(CardPlayer):
    """Plays honestly too, but lets nobody go out without showing the last cards."""

    def doubts(self) -> bool:
        """Call what cannot be, and whoever has no cards left."""
        return super().doubts() or not self.memory.counts[self.memory.current]
