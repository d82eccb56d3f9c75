"""The bots that come with Hearts, by name."""

from __future__ import annotations

from arena_hearts.bots.careful import Careful
from arena_hearts.bots.counter import Counter
from arena_hearts.bots.low import Low
from arena_hearts.bots.random_player import RandomPlayer
from arena_hearts.bots.shooter import Shooter

__all__ = ["BOTS", "Careful", "Counter", "Low", "RandomPlayer", "Shooter"]

BOTS = {
    "counter": Counter,
    "careful": Careful,
    "shooter": Shooter,
    "low": Low,
    "random": RandomPlayer,
}
