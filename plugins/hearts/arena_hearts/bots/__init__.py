"""The bots that come with Hearts, by name."""

from __future__ import annotations

from arena_hearts.bots.careful import Careful
from arena_hearts.bots.chance import Chance
from arena_hearts.bots.counter import Counter
from arena_hearts.bots.low import Low
from arena_hearts.bots.shooter import Shooter

__all__ = ["BOTS", "Careful", "Chance", "Counter", "Low", "Shooter"]

BOTS = {
    "counter": Counter,
    "careful": Careful,
    "shooter": Shooter,
    "low": Low,
    "random": Chance,
}
