"""Opponents without a plan: any card, the prize's own value, one card after the other."""

from __future__ import annotations

from attrs import define, field, validators

from arena import RandomBot
from arena_gops.bots.base import Bidder, PrizeBidder, find_nearest
from arena_gops.rules import Hand


class Shuffled(RandomBot):
    """Bids a shuffled hand.

    Any card left is the next of it. Source: the Bash implementation of 2024; Ross 1971 finds
    the best reply to it, `match`.
    """


class Matching(PrizeBidder):
    """Bids the prize's own value, or the card nearest to it where a list repeats a value.

    Source: Ross 1971, the best reply to a shuffled hand.
    """

    def bid(self, hand: Hand) -> int:
        """Match the prize."""
        return find_nearest(hand, self.prize)


@define(eq=False, slots=False)
class Ordered(Bidder):
    """Bids K, K+1, ... N, 1, ... from the start K that it is given (1).

    Source: the Bash implementation of 2024. A start above N counts on from 1 again.
    """

    start: int = field(default=1, validator=validators.ge(1))

    def bid(self, hand: Hand) -> int:
        """Take the first card left, counted from the start."""
        return min(hand, key=lambda card: (card - self.start) % self.variant.cards)
