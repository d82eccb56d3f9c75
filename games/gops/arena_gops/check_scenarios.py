"""Difficult situations in GOPS, for `arena check`: scripted opponents lead a bot into them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from arena import FailingBot, Scenario
from arena_gops.bots.base import Bidder
from arena_gops.bots.simple import Matching, Ordered, Shuffled
from arena_gops.rules import Hand


class HighestFirst(Bidder):
    """Bids from the highest card down; two such players tie unless somebody bids more."""

    def bid(self, hand: Hand) -> int:
        """Bid the highest card left."""
        return max(hand)


SCENARIOS: Sequence[Scenario] = (
    Scenario("the opponent bids from the highest card down", (HighestFirst,)),
    Scenario("the opponent bids from the lowest card up", (Ordered,), 1),
    Scenario("the prizes come from the lowest up", (Matching,), 0, {"prizes": "ascending"}),
    Scenario("the prizes come from the highest down", (Matching,), 1, {"prizes": "descending"}),
    Scenario("the opponent bids each prize's value, and ties are carried over",
              (Matching,), 0, {"ties": "carry"}),
    Scenario("two opponents always tie, and prizes are lost",
              (HighestFirst, HighestFirst), 1, {"ties": "discard"}),
    Scenario("two opponents always tie, and prizes are carried over",
              (HighestFirst, HighestFirst), 2, {"ties": "carry"}),
    Scenario("two opponents always tie, and prizes are shared",
              (HighestFirst, HighestFirst), 0, {"ties": "split"}),
    Scenario("an opponent fails in the middle, and the fallback bot plays on",
              (partial(FailingBot, HighestFirst, answers=7), Shuffled), 1),
    Scenario("ten play, so that nine bids are shown each time", (Shuffled,) * 9, 5),
)  # fmt: skip
