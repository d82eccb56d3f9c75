"""Difficult situations in Hearts, for `arena check`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from arena import FailingBot, Scenario
from arena.cards import Card, Cards, suit_of
from arena_hearts.bots import LowCardPlayer, MoonShooter
from arena_hearts.bots.low import rank_height
from arena_hearts.cards import HEARTS
from arena_hearts.rules import PASSED_CARDS

ONE_DEAL = {"deals": 1}
FOUR_DEALS = {"deals": 4}
MANY_DEALS = {"limit": 1000, "deals": 12}


class HeartsBreaker(LowCardPlayer):
    """Keeps few hearts, so that hearts are broken early: passes and plays them when it can."""

    def passes(self, hand: Cards) -> Cards:
        """Return hearts to pass, the lowest first."""
        return tuple(sorted(hand, key=lambda card: suit_of(card) != HEARTS)[:PASSED_CARDS])

    def plays(self, cards: Cards) -> Card:
        """Play a heart if possible."""
        return max(cards, key=lambda card: (suit_of(card) == HEARTS, rank_height(card)))


SCENARIOS: Sequence[Scenario] = (
    Scenario("three play, and each holds 17 cards", (LowCardPlayer,) * 2, 1, FOUR_DEALS),
    Scenario("five play, and the three of clubs leads", (LowCardPlayer,) * 4, 2, FOUR_DEALS),
    Scenario("nobody passes cards", (LowCardPlayer,) * 3, 3, {"passing": False, **ONE_DEAL}),
    Scenario("hearts are broken early", (HeartsBreaker,) * 3, 0, FOUR_DEALS),
    Scenario("the others try to take all points",
             (MoonShooter,) * 3, 1, {"moon": "self", **ONE_DEAL}),
    Scenario("twelve deals, and points have three digits", (LowCardPlayer,) * 3, 2, MANY_DEALS),
    Scenario("QS breaks hearts", (LowCardPlayer,) * 3, 0, {"queen_breaks": True, **FOUR_DEALS}),
    Scenario("an opponent fails in the middle, and the fallback bot plays on",
              (partial(FailingBot, LowCardPlayer), LowCardPlayer, LowCardPlayer), 1, FOUR_DEALS),
)  # fmt: skip
