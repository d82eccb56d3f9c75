"""A bot that plays at random."""

from __future__ import annotations

from arena import RandomBot


class RandomPlayer(RandomBot):
    """Passes and plays random cards."""
