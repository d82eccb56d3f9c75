"""The tables of easy, medium and hard-patterned, row by row.

Each test says by a history, a prize and a hand which bids follow, and how often. The bot
sits at seat 0 unless the test says otherwise.
"""

from __future__ import annotations

import pytest

from arena_gops import Gops
from arena_gops.bots import HighPrizeBluffer, NearPrizeBidder, PatternedBluffer, scale_bound
from arena_gops.testing import assert_shares, count_bids, share_evenly

pytestmark = pytest.mark.slow  # thousands of bids for each row
THIRD, QUARTER, SIXTH = 1 / 3, 1 / 4, 1 / 6

# --- easy, and what all of them call value ------------------------------------------


@pytest.mark.parametrize(
    ("prize", "hand", "expected"),
    [
        (7, "1-13", share_evenly(6, 7, 8)),
        (13, "1-13", share_evenly(12, 13, 13)),  # held within 1 to 13
        (1, "1-13", share_evenly(1, 1, 2)),
        (4, "2 6", share_evenly(2, 2, 6)),  # to 4 both are as near: the lower
        (8, "1 2 13", share_evenly(2, 13, 13)),  # 7 is nearer to 2, by one; 8 to 13
        (40, "1-13", share_evenly(13)),
    ],
)
def test_value_is_the_card_nearest_to_about_the_prize(
    prize: int, hand: str, expected: dict[int, float]
) -> None:
    """One less, the same or one more, each as often, then the nearest card, the lower of two."""
    assert_shares(count_bids(NearPrizeBidder, prize, hand), expected)


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


# --- medium --------------------------------------------------------------------------


def test_medium_mixes_low_and_high_for_high_prizes() -> None:
    """Above 9, half the time the lowest card up to 3, half the time the lowest from 11."""
    for prize in (10, 13):
        assert_shares(count_bids(HighPrizeBluffer, prize, "1-13"), share_evenly(1, 11))
    assert_shares(count_bids(HighPrizeBluffer, 12, "3 4 12 13"), share_evenly(3, 12))


def test_medium_bids_value_for_the_others() -> None:
    """Up to 9 it is the value."""
    assert_shares(count_bids(HighPrizeBluffer, 9, "1-13"), share_evenly(8, 9, 10))
    assert_shares(count_bids(HighPrizeBluffer, 2, "1-13"), share_evenly(1, 2, 3))


def test_medium_without_a_low_or_a_high_card() -> None:
    """Where there is no card for it, low or high becomes value."""
    assert_shares(count_bids(HighPrizeBluffer, 12, "4-13"), {11: 4 * SIXTH, 12: SIXTH, 13: SIXTH})
    assert_shares(count_bids(HighPrizeBluffer, 10, "1-10"), {1: 3 * SIXTH, 9: SIXTH, 10: 2 * SIXTH})


WASTED = [(1, 1, 10), (2, 2, 11), (3, 3, 12), (9, 4, 13)]


def test_medium_stops_when_the_opponent_has_wasted_its_high_cards() -> None:
    """After four bids above 9 on prizes up to 9 nothing but value is left."""
    assert_shares(count_bids(HighPrizeBluffer, 12, "1 5-13", WASTED), share_evenly(11, 12, 13))
    assert_shares(count_bids(HighPrizeBluffer, 12, "1 4-13", WASTED[:3]), share_evenly(1, 11))


@pytest.mark.parametrize("instead", [(10, 4, 13), (9, 13, 4), (9, 4, 9)])
def test_medium_counts_only_the_opponents_high_bids_on_low_prizes(instead: tuple[int, ...]) -> None:
    """A high bid on a prize of 10, one of its own, and a bid of 9 do not count."""
    assert_shares(
        count_bids(HighPrizeBluffer, 12, "1 5-12", [*WASTED[:3], instead]), share_evenly(1, 11)
    )


def test_medium_counts_for_each_of_several_opponents() -> None:
    """It goes by the count of the one who leads, the first of equals."""
    three = [(prize, mine, theirs, mine + 1) for prize, mine, theirs in WASTED]
    assert_shares(count_bids(HighPrizeBluffer, 12, "1 5-13", three), share_evenly(11, 12, 13))
    other = [(prize, mine, mine + 1, theirs) for prize, mine, theirs in WASTED]
    assert_shares(count_bids(HighPrizeBluffer, 12, "1 5-13", other), share_evenly(11, 12, 13))
    level = [(1, 11, 10, 1), (2, 12, 11, 2), (3, 13, 12, 3), (4, 1, 13, 13)]
    assert_shares(count_bids(HighPrizeBluffer, 12, "2-10", level), share_evenly(10))
    swapped = [(prize, mine, second, first) for prize, mine, first, second in level]
    assert_shares(count_bids(HighPrizeBluffer, 12, "2-10", swapped), share_evenly(2, 10))


def test_medium_with_twenty_cards() -> None:
    """The bands are up to 14 and above, low is up to 5, high above 15, and the count is 6."""
    assert_shares(count_bids(HighPrizeBluffer, 15, "1-20", variant=Gops(20)), share_evenly(1, 16))
    assert_shares(
        count_bids(HighPrizeBluffer, 14, "1-20", variant=Gops(20)), share_evenly(13, 14, 15)
    )
    wasted = [(low, low, low + 14) for low in range(1, 7)]
    assert_shares(
        count_bids(HighPrizeBluffer, 18, "1-20", wasted[:5], variant=Gops(20)), share_evenly(1, 16)
    )
    assert_shares(
        count_bids(HighPrizeBluffer, 18, "1-20", wasted, variant=Gops(20)), share_evenly(17, 18, 19)
    )


# --- hard-patterned ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("1-13", {13: THIRD, 12: 2 * THIRD}),
        ("1-11 13", {13: THIRD + 2 / 9, 11: 4 / 9}),
        ("1-12", share_evenly(12)),
        ("1-10", share_evenly(10)),
    ],
)
def test_hard_patterned_bids_thirteen_one_time_in_three_for_the_top(
    hand: str, expected: dict[int, float]
) -> None:
    """From 11 up: the 13 one time in three, else the 12, else value."""
    assert_shares(count_bids(PatternedBluffer, 12, hand), expected)
    for prize in (11, 13):
        assert {*count_bids(PatternedBluffer, prize, "1-13")} == {12, 13}


def test_hard_patterned_mixes_in_the_middle() -> None:
    """From 8 to 10: a quarter high, a quarter low, half value."""
    for prize in (8, 9):
        expected = {
            11: QUARTER,
            1: QUARTER,
            **share_evenly(prize - 1, prize, prize + 1, chance=0.5),
        }
        assert_shares(count_bids(PatternedBluffer, prize, "1-13"), expected)
    assert_shares(
        count_bids(PatternedBluffer, 10, "1-13"),
        {1: QUARTER, 9: SIXTH, 10: SIXTH, 11: QUARTER + SIXTH},
    )


def test_hard_patterned_throws_a_low_card_one_time_in_five() -> None:
    """Up to 7: the lowest card up to 2 one time in five, if there is one; else value."""
    assert_shares(
        count_bids(PatternedBluffer, 7, "1-13"), {1: 0.2, **share_evenly(6, 7, 8, chance=0.8)}
    )
    assert_shares(
        count_bids(PatternedBluffer, 6, "2-13", [(1, 1, 1)]),
        {2: 0.2, **share_evenly(5, 6, 7, chance=0.8)},
    )
    assert_shares(
        count_bids(PatternedBluffer, 6, "3-13", [(1, 1, 1), (2, 2, 2)]), share_evenly(5, 6, 7)
    )


def test_hard_patterned_does_not_bluff_when_the_high_cards_are_gone() -> None:
    """Up to 7, fewer than 3 cards above 9 in both hands together: value."""
    gone = [(13, 13, 13), (12, 12, 12), (11, 11, 11)]
    assert_shares(count_bids(PatternedBluffer, 5, "1-9", gone), share_evenly(4, 5, 6))
    assert_shares(count_bids(PatternedBluffer, 5, "1-10", gone), share_evenly(4, 5, 6))
    assert_shares(
        count_bids(PatternedBluffer, 5, "1-11", gone), {1: 0.2, **share_evenly(4, 5, 6, chance=0.8)}
    )


def test_hard_patterned_with_five_cards() -> None:
    """The bands are up to 3, 4, and 5; 13 and 12 are both the 5."""
    assert_shares(count_bids(PatternedBluffer, 5, "1-5", variant=Gops(5)), share_evenly(5))
    assert_shares(count_bids(PatternedBluffer, 5, "1-4", variant=Gops(5)), share_evenly(4))
    middle = {5: QUARTER + SIXTH, 1: QUARTER, 3: SIXTH, 4: SIXTH}
    assert_shares(count_bids(PatternedBluffer, 4, "1-5", variant=Gops(5)), middle)
    assert_shares(
        count_bids(PatternedBluffer, 3, "1-5", variant=Gops(5)),
        {1: 0.2, **share_evenly(2, 3, 4, chance=0.8)},
    )
