"""Difficult situations in Briscola, for `arena check`: tables that a bot may not expect."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from arena import FailingBot, Scenario
from arena.cards import Card, Cards
from arena_briscola.bots import CardCounter, CardPlayer, RandomPlayer, Thrifty


class TrumpsFirst(CardPlayer):
    """Plays its most valuable card, trumps first."""

    def play(self, hand: Cards) -> Card:
        """Return the most valuable card."""
        return max(hand, key=self.price)


SCENARIOS: Sequence[Scenario] = (
    Scenario("the opponent plays its trumps first", (TrumpsFirst,)),
    Scenario("three deals, each led by another player", (Thrifty,), 1, {"deals": 3}),
    Scenario("three play, without the 2C", (CardCounter, Thrifty), 1),
    Scenario("four play in pairs", (Thrifty, CardCounter, Thrifty), 2),
    Scenario("an opponent of three fails in the middle, and the fallback bot plays on",
              (partial(FailingBot, Thrifty), RandomPlayer), 0, {"deals": 2}),
)  # fmt: skip
