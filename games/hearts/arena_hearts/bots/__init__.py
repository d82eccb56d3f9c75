"""The bots that come with Hearts, by name."""

from __future__ import annotations

from arena_hearts.bots.careful import Careful
from arena_hearts.bots.low import LowCardPlayer
from arena_hearts.bots.monte_carlo import MonteCarloPlayer
from arena_hearts.bots.random_player import RandomPlayer
from arena_hearts.bots.shooter import MoonShooter

__all__ = ["BOTS", "Careful", "LowCardPlayer", "MonteCarloPlayer", "MoonShooter", "RandomPlayer"]

BOTS = {
    "counter": MonteCarloPlayer,
    "careful": Careful,
    "shooter": MoonShooter,
    "low": LowCardPlayer,
    "random": RandomPlayer,
}
