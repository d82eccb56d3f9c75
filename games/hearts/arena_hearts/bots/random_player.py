"""A bot that plays anything."""

from __future__ import annotations

from arena import RandomBot


class RandomPlayer(RandomBot):
    """Passes and plays any cards that it may."""
