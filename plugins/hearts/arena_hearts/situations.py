"""Hard corners of Hearts, for `arena check`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from arena import FailingBot, Situation
from arena.cards import Card, Cards, suit_of
from arena_hearts.bots import Low, Shooter
from arena_hearts.bots.low import height
from arena_hearts.cards import HEARTS
from arena_hearts.rules import PASSED

ONE = {"deals": 1}
SOME = {"deals": 4}
MANY = {"limit": 1000, "deals": 12}


class Painter(Low):
    """Passes hearts, and throws them off where it can: hearts are broken early."""

    def passes(self, hand: Cards) -> Cards:
        """Return hearts away, the lowest first."""
        return tuple(sorted(hand, key=lambda card: suit_of(card) != HEARTS)[:PASSED])

    def plays(self, cards: Cards) -> Card:
        """Play a heart if it may."""
        return max(cards, key=lambda card: (suit_of(card) == HEARTS, height(card)))


SITUATIONS: Sequence[Situation] = (
    Situation("three play, and each holds 17 cards", (Low,) * 2, 1, SOME),
    Situation("five play, and the three of clubs leads", (Low,) * 4, 2, SOME),
    Situation("nobody passes cards", (Low,) * 3, 3, {"passing": False, **ONE}),
    Situation("hearts come at once", (Painter,) * 3, 0, SOME),
    Situation("the others try to take all points", (Shooter,) * 3, 1, {"moon": "self", **ONE}),
    Situation("twelve deals, and points have three digits", (Low,) * 3, 2, MANY),
    Situation("QS breaks hearts", (Low,) * 3, 0, {"queen_breaks": True, **SOME}),
    Situation("an opponent fails in the middle, and the fallback bot plays on",
              (partial(FailingBot, Low), Low, Low), 1, SOME),
)  # fmt: skip
