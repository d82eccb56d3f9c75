"""The bots that come with BS, by name."""

from __future__ import annotations

from arena_bs.bots.bold import Caller, Liar
from arena_bs.bots.card_counter import CardCounter
from arena_bs.bots.honest import Cautious, Honest
from arena_bs.bots.random_player import RandomPlayer

__all__ = ["BOTS", "Caller", "CardCounter", "Cautious", "Honest", "Liar", "RandomPlayer"]

BOTS = {
    "honest": Honest,
    "cautious": Cautious,
    "liar": Liar,
    "caller": Caller,
    "counter": CardCounter,
    "random": RandomPlayer,
}
