"""The bots that come with BS, by name."""

from __future__ import annotations

from arena_bs.bots.bold import Caller, Liar
from arena_bs.bots.chance import Chance
from arena_bs.bots.counter import Counter
from arena_bs.bots.honest import Cautious, Honest

__all__ = ["BOTS", "Caller", "Cautious", "Chance", "Counter", "Honest", "Liar"]

BOTS = {
    "honest": Honest,
    "cautious": Cautious,
    "liar": Liar,
    "caller": Caller,
    "counter": Counter,
    "random": Chance,
}
