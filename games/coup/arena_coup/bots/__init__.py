"""The bots that come with Coup, by name."""

from __future__ import annotations

from arena_coup.bots.bold import Bold
from arena_coup.bots.counter import Counter
from arena_coup.bots.honest import Honest, Trusting
from arena_coup.bots.random_player import RandomPlayer

__all__ = ["BOTS", "Bold", "Counter", "Honest", "RandomPlayer", "Trusting"]

BOTS = {
    "honest": Honest,
    "trusting": Trusting,
    "bold": Bold,
    "counter": Counter,
    "random": RandomPlayer,
}
