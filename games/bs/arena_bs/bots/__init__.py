"""The bots that come with BS, by name."""

from __future__ import annotations

from arena_bs.bots.bold import Caller, Liar
from arena_bs.bots.counter import Counter
from arena_bs.bots.honest import Cautious, Honest
from arena_bs.bots.random_player import RandomPlayer

__all__ = ["BOTS", "Caller", "Cautious", "Counter", "Honest", "Liar", "RandomPlayer"]

BOTS = {
    "honest": Honest,
    "cautious": Cautious,
    "liar": Liar,
    "caller": Caller,
    "counter": Counter,
    "random": RandomPlayer,
}
