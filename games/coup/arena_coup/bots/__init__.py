"""The bots that come with Coup, by name."""

from __future__ import annotations

from arena_coup.bots.bold import Bold
from arena_coup.bots.card_counter import CardCounter
from arena_coup.bots.honest import Honest, Trusting
from arena_coup.bots.random_player import RandomPlayer

__all__ = ["BOTS", "Bold", "CardCounter", "Honest", "RandomPlayer", "Trusting"]

BOTS = {
    "honest": Honest,
    "trusting": Trusting,
    "bold": Bold,
    "counter": CardCounter,
    "random": RandomPlayer,
}
