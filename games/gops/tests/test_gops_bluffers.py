"""The tables of easy, medium, hard-patterned and hard: which bids follow from a history, a prize and a hand.

The bot sits at seat 0 unless the row says otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest

from arena_gops import Gops
from arena_gops.bots import (
    AdaptiveBluffer,
    HighPrizeBluffer,
    NearPrizeBidder,
    PatternedBluffer,
    scale_bound,
)
from tests.support.mixed_strategies import History, assert_shares, count_bids
from tests.support.mixed_strategies import share_evenly as even

pytestmark = pytest.mark.slow  # thousands of bids for each row
THIRD, QUARTER, SIXTH = 1 / 3, 1 / 4, 1 / 6
easy = partial(partial, count_bids, NearPrizeBidder)
medium = partial(partial, count_bids, HighPrizeBluffer)
patterned = partial(partial, count_bids, PatternedBluffer)
hard = partial(partial, count_bids, AdaptiveBluffer)
FIVE, TWENTY, DOUBLE = Gops(5), Gops(20), Gops(26)
Rows = list[tuple[Callable[[], Counter[int]], dict[int, float]]]


def third_seat(history: History, *, after: bool) -> History:
    """Add somebody who always bids a card more than the bot, after or before its opponent."""
    return [(p, m, t, m + 1) if after else (p, m, m + 1, t) for p, m, t in history]


def swap(history: History) -> History:
    """Change the last two seats."""
    return [(*first, other, last) for *first, last, other in history]


WASTED: History = [(1, 1, 10), (2, 2, 11), (3, 3, 12), (9, 4, 13)]
LOW_WASTED: History = [(low, low, low + 14) for low in range(1, 7)]
LEVEL: History = [(1, 11, 10, 1), (2, 12, 11, 2), (3, 13, 12, 3), (4, 1, 13, 13)]
MEDIUM: dict[str, Rows] = {
    "above 9, half the time the lowest card up to 3, half the time the lowest from 11": [
        (medium(10, "1-13"), even(1, 11)),
        (medium(13, "1-13"), even(1, 11)),
        (medium(12, "3 4 12 13"), even(3, 12)),
    ],
    "up to 9 it is the value": [
        (medium(9, "1-13"), even(8, 9, 10)),
        (medium(2, "1-13"), even(1, 2, 3)),
    ],
    "where there is no card for it, low or high becomes value": [
        (medium(12, "4-13"), {11: 4 * SIXTH, 12: SIXTH, 13: SIXTH}),
        (medium(10, "1-10"), {1: 3 * SIXTH, 9: SIXTH, 10: 2 * SIXTH}),
    ],
    "after four bids above 9 of the opponent on prizes up to 9 nothing but value is left": [
        (medium(12, "1 5-13", WASTED), even(11, 12, 13)),
        (medium(12, "1 4-13", WASTED[:3]), even(1, 11)),
    ],
    "a high bid on a prize of 10, one of its own, and a bid of 9 do not count": [
        (medium(12, "1 5-12", [*WASTED[:3], instead]), even(1, 11))
        for instead in ((10, 4, 13), (9, 13, 4), (9, 4, 9))
    ],
    "of several opponents the one who leads is counted, the first of equals": [
        (medium(12, "1 5-13", third_seat(WASTED, after=True)), even(11, 12, 13)),
        (medium(12, "1 5-13", third_seat(WASTED, after=False)), even(11, 12, 13)),
        (medium(12, "2-10", LEVEL), even(10)),
        (medium(12, "2-10", swap(LEVEL)), even(2, 10)),
    ],
    "with 20 cards the bands are up to 14 and above, low to 5, high above 15, and the count is 6": [
        (medium(15, "1-20", variant=TWENTY), even(1, 16)),
        (medium(14, "1-20", variant=TWENTY), even(13, 14, 15)),
        (medium(18, "1-20", LOW_WASTED[:5], variant=TWENTY), even(1, 16)),
        (medium(18, "1-20", LOW_WASTED, variant=TWENTY), even(17, 18, 19)),
    ],
}

GONE: History = [(13, 13, 13), (12, 12, 12), (11, 11, 11)]
PATTERNED: dict[str, Rows] = {
    "from 11 up the 13 one time in three, else the 12, else value": [
        (patterned(12, "1-13"), {13: THIRD, 12: 2 * THIRD}),
        (patterned(11, "1-13"), {13: THIRD, 12: 2 * THIRD}),
        (patterned(13, "1-13"), {13: THIRD, 12: 2 * THIRD}),
        (patterned(12, "1-11 13"), {13: THIRD + 2 / 9, 11: 4 / 9}),
        (patterned(12, "1-12"), even(12)),
        (patterned(12, "1-10"), even(10)),
    ],
    "from 8 to 10 a quarter high, a quarter low, half value": [
        (patterned(8, "1-13"), {11: QUARTER, 1: QUARTER, **even(7, 8, 9, chance=0.5)}),
        (patterned(9, "1-13"), {11: QUARTER, 1: QUARTER, **even(8, 9, 10, chance=0.5)}),
        (patterned(10, "1-13"), {1: QUARTER, 9: SIXTH, 10: SIXTH, 11: QUARTER + SIXTH}),
    ],
    "up to 7 the lowest card up to 2 one time in five, if there is one, else value": [
        (patterned(7, "1-13"), {1: 0.2, **even(6, 7, 8, chance=0.8)}),
        (patterned(6, "2-13", [(1, 1, 1)]), {2: 0.2, **even(5, 6, 7, chance=0.8)}),
        (patterned(6, "3-13", [(1, 1, 1), (2, 2, 2)]), even(5, 6, 7)),
    ],
    "up to 7, with fewer than 3 cards above 9 in both hands together, value": [
        (patterned(5, "1-9", GONE), even(4, 5, 6)),
        (patterned(5, "1-10", GONE), even(4, 5, 6)),
        (patterned(5, "1-11", GONE), {1: 0.2, **even(4, 5, 6, chance=0.8)}),
    ],
    "with 5 cards the bands are up to 3, 4, and 5; 13 and 12 are both the 5": [
        (patterned(5, "1-5", variant=FIVE), even(5)),
        (patterned(5, "1-4", variant=FIVE), even(4)),
        (patterned(4, "1-5", variant=FIVE), {5: QUARTER + SIXTH, 1: QUARTER, 3: SIXTH, 4: SIXTH}),
        (patterned(3, "1-5", variant=FIVE), {1: 0.2, **even(2, 3, 4, chance=0.8)}),
    ],
}

# 36 points in three rounds, for cards below 10: more than 7 a prize, all high cards left
AGGRESSIVE: History = [(13, 4, 7), (12, 5, 8), (11, 6, 9)]
# the same, for three high cards
SPENT: History = [(13, 4, 13), (12, 5, 12), (11, 6, 11)]
LOST: History = [(13, 7, 4), (12, 8, 5), (11, 9, 6)]
# after eight prizes the opponent has 50 points, balanced, and the bot has more
LEADING: History = [
    (90, 6, 3), (50, 2, 5), (1, 7, 4), (1, 9, 6), (1, 10, 7), (1, 11, 8), (1, 12, 9), (1, 8, 1),
]  # fmt: skip
TAKEN: History = [(26, 8, 14), (20, 10, 16)]
HAND, LATE, BLUFF = "1-3 7-13", "1 3-5 13", {1: THIRD, 11: 2 * THIRD}
HARD: dict[str, Rows] = {
    "above 10, aggressive with two high cards or more: low one time in three, else high": [
        (hard(11, HAND, AGGRESSIVE), BLUFF),
        (hard(11, "1 3 7-13", [*AGGRESSIVE[:2], (11, 6, 12), (10, 2, 13)]), BLUFF),
    ],
    "above 10, who leads on fewer high cards: high": [
        (hard(13, HAND, SPENT), even(11)),
        (hard(13, "2-13", [(5, 1, 10)]), even(11)),
    ],
    "above 10, who has as many high cards, or is not ahead: value": [
        (hard(13, "2-13", [(5, 1, 9)]), even(12, 13, 13)),
        (hard(13, "1-8 10-13", [(5, 9, 1)]), even(12, 13, 13)),
        (hard(13, "1-8 10-13", [(1, 9, 1), (9, 12, 11), (1, 5, 13)]), even(12, 13, 13)),
        (hard(13, "1-7 10-13", [(5, 9, 10), (5, 8, 7)]), even(12, 13, 13)),
    ],
    "two prizes say nothing of the opponent, however much it has won or lost": [
        (hard(11, "1-3 6-13", AGGRESSIVE[:2]), even(10, 11, 12)),
        (hard(4, "1-6", LOST[:2]), even(1, 3, 4, 5)),
    ],
    "28 points before the fourth prize are balanced, 29 are aggressive": [
        (hard(11, HAND, [*AGGRESSIVE[:2], (3, 6, 9)]), even(10, 11, 12)),
        (hard(11, HAND, [*AGGRESSIVE[:2], (4, 6, 9)]), BLUFF),
    ],
    "from 6 to 10, if the aggressive has fewer than two high cards: about the prize and one": [
        (hard(prize, "1-13", SPENT), even(prize, prize + 1, prize + 2)) for prize in (6, 8, 10)
    ],
    "from 6 to 10, two high cards left, or not aggressive: value": [
        (hard(8, "1-13", [*SPENT[:2], (11, 6, 9)]), even(7, 8, 9)),
        (hard(8, "1-13", [(9, 4, 13), (8, 5, 12), (7, 6, 11)]), even(7, 8, 9)),
        (hard(6, "1-13"), even(5, 6, 7)),
    ],
    "below 6, less than 5 points a prize from the fourth on: the lowest card": [
        (hard(5, "2-6", LOST), even(2)),
        (hard(5, "2-6", [*LOST[:2], (19, 6, 9)]), even(2)),
    ],
    "20 points before the fourth prize are not conservative any more": [
        (hard(4, "2-6", [*LOST[:2], (20, 6, 9)]), even(3, 4, 5))
    ],
    "below 6, no high card left with the opponent: the lowest card": [
        (hard(5, "2 3 8-13", [*SPENT, (10, 7, 10)]), even(2)),
        (hard(4, "2-6", [*SPENT, (10, 7, 9)]), even(3, 4, 5)),
    ],
    "below 6, ahead, and more than 8 prizes turned up: value, without a bluff": [
        (hard(4, LATE, LEADING), even(3, 4, 5)),
        (hard(4, LATE, LEADING[:7]), even(1, 3, 4, 5)),
        (hard(4, LATE, [(45, 6, 3), *LEADING[1:]]), even(3, 4, 5)),
        (hard(4, LATE, [(44, 6, 3), *LEADING[1:]]), even(1, 3, 4, 5)),
    ],
    "below 6, if nothing else is called for: the 1 one time in four, if there is one": [
        (hard(5, "1-13"), {1: QUARTER, **even(4, 5, 6, chance=3 * QUARTER)}),
        (hard(5, "2-13", [(6, 1, 2)]), even(4, 5, 6)),
    ],
    "of several opponents it judges the one with most points, the first of equals": [
        (hard(13, HAND, [(p, mine, theirs, mine) for p, mine, theirs in SPENT]), even(11)),
        (hard(13, HAND, [(p, mine, mine, theirs) for p, mine, theirs in SPENT]), even(11)),
        (hard(13, "1-3 6-13", [(5, 4, 10, 1), (5, 5, 2, 6)]), even(11)),
        (hard(13, "1-3 6-13", [(5, 4, 1, 10), (5, 5, 6, 2)]), even(12, 13, 13)),
    ],
    "with 26 cards, twice the points are aggressive, and the bands are twice as wide": [
        (hard(21, "1-26", [*TAKEN, (10, 12, 18)], variant=DOUBLE), even(20, 21, 22)),
        (hard(21, "1-26", [*TAKEN, (11, 12, 18)], variant=DOUBLE), {1: THIRD, 21: 2 * THIRD}),
        (hard(20, "1-26", [*TAKEN, (11, 12, 18)], variant=DOUBLE), even(19, 20, 21)),
        (hard(11, "2-26", [(12, 1, 2)], variant=DOUBLE), even(10, 11, 12)),
    ],
    "it knows its own seat": [
        (hard(11, HAND, swap(AGGRESSIVE), seat=1), BLUFF),
        (hard(8, "1-13", swap(SPENT), seat=1), even(8, 9, 10)),
    ],
}

VALUE: Rows = [
    (easy(7, "1-13"), even(6, 7, 8)),
    (easy(13, "1-13"), even(12, 13, 13)),  # held within 1 to 13
    (easy(1, "1-13"), even(1, 1, 2)),
    (easy(4, "2 6"), even(2, 2, 6)),  # to 4 both are as near: the lower
    (easy(8, "1 2 13"), even(2, 13, 13)),  # 7 is nearer to 2, by one; 8 to 13
    (easy(40, "1-13"), even(13)),
]


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(rows, id=f"{bot}: {rule}")
        for bot, table in {
            "easy": {"value is the card nearest to one less, the same or one more": VALUE},
            "medium": MEDIUM,
            "hard-patterned": PATTERNED,
            "hard": HARD,
        }.items()
        for rule, rows in table.items()
    ],
)
def test_bids_are_those_of_the_table(rows: Rows) -> None:
    """Each as often as the row says."""
    for bids, expected in rows:
        assert_shares(bids(), expected)


def test_bounds_are_scaled() -> None:
    """Another number of cards moves the bounds in proportion, and none falls below 1."""
    published = 2, 3, 5, 7, 9, 10, 12
    bounds = {
        cards: [scale_bound(bound, cards) for bound in published] for cards in (13, 1, 5, 20, 26)
    }
    assert bounds == {
        13: [2, 3, 5, 7, 9, 10, 12],
        1: [1, 1, 1, 1, 1, 1, 1],
        5: [1, 1, 2, 3, 3, 4, 5],
        20: [3, 5, 8, 11, 14, 15, 18],
        26: [4, 6, 10, 14, 18, 20, 24],
    }
