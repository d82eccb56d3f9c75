"""Simple opponents: random cards, the prize's value, cards in order."""

from __future__ import annotations

from attrs import define, field, validators

from arena import RandomBot
from arena_gops.bots.base import Bidder, PrizeBidder, find_nearest
from arena_gops.rules import Hand


class Shuffled(RandomBot):
    """Bids a shuffled hand.

    That is a random card of those left. Source: the Bash implementation of 2024; Ross 1971 finds
    the best reply to it, `match`.
    """


class Matching(PrizeBidder):
    """Bids the prize's value, or the nearest card if a list of prizes repeats a value.

    Source: Ross 1971, the best reply to a shuffled hand.
    """

    def bid(self, hand: Hand) -> int:
        """Bid the card nearest to the prize."""
        return find_nearest(hand, self.prize)


@define(eq=False, slots=False)
class Ordered(Bidder):
    """Bids K, K+1, ... N, 1, ... from the start K that it is given (1).

    Source: the Bash implementation of 2024. A start above N wraps around to 1.
    """

    start: int = field(default=1, validator=validators.ge(1))

    def bid(self, hand: Hand) -> int:
        """Bid the first remaining card, counted from the start."""
        return min(hand, key=lambda card: (card - self.start) % self.variant.cards)
