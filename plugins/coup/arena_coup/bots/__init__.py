"""The bots that come with Coup, by name."""

from __future__ import annotations

from arena_coup.bots.bold import Bold
from arena_coup.bots.chance import Chance
from arena_coup.bots.counter import Counter
from arena_coup.bots.honest import Honest, Trusting

__all__ = ["BOTS", "Bold", "Chance", "Counter", "Honest", "Trusting"]

BOTS = {
    "honest": Honest,
    "trusting": Trusting,
    "bold": Bold,
    "counter": Counter,
    "random": Chance,
}
