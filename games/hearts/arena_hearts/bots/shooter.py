"""A bot that tries to take all points if its hand is strong enough."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define

from arena import Seat
from arena.cards import Card, Cards, filter_suit, rank_of
from arena_hearts.bots.low import rank_height
from arena_hearts.bots.monte_carlo import MonteCarloPlayer
from arena_hearts.bots.playout import Suits
from arena_hearts.cards import HEARTS
from arena_hearts.rules import PASSED_CARDS

HIGH_RANKS = "QKA"
MIN_HIGH_CARDS = 6  # to keep the high cards; three hearts count as one more


@define(eq=False)
class MoonShooter(MonteCarloPlayer):
    """Plays like `counter`, and also simulates taking all points in each world.

    For that it plays high for the rest of the deal.
    """

    def passes(self, hand: Cards) -> Cards:
        """Return the lowest cards of a very strong hand; else those that are worst to hold."""
        high = sum(rank_of(card) in HIGH_RANKS for card in hand)
        if high + len(filter_suit(hand, HEARTS)) // 3 < MIN_HIGH_CARDS:
            return super().passes(hand)
        return tuple(sorted(hand, key=rank_height)[:PASSED_CARDS])

    def cost(self, card: Card, worlds: Sequence[list[Suits]], greedy: Seat = -1) -> float:
        """Return the cost of playing a card and then following the better of the two plans."""
        ducking = super().cost(card, worlds, greedy)
        if self.memory.collector not in (None, self.seat):
            return ducking
        return min(ducking, super().cost(card, worlds, self.seat))
