"""The tables of easy, medium, hard-patterned and hard, row by row.

Each test says by a history, a prize and a hand which bids follow, and how often. The bot
sits at seat 0 unless the test says otherwise.
"""

from __future__ import annotations

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
from tests.support.mixed_strategies import assert_shares, count_bids, share_evenly

pytestmark = pytest.mark.slow  # thousands of bids for each row
THIRD, QUARTER, SIXTH = 1 / 3, 1 / 4, 1 / 6
bids_of_easy = partial(count_bids, NearPrizeBidder)
bids_of_medium = partial(count_bids, HighPrizeBluffer)
bids_of_patterned = partial(count_bids, PatternedBluffer)

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
    assert_shares(bids_of_easy(prize, hand), expected)


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
        assert_shares(bids_of_medium(prize, "1-13"), share_evenly(1, 11))
    assert_shares(bids_of_medium(12, "3 4 12 13"), share_evenly(3, 12))


def test_medium_bids_value_for_the_others() -> None:
    """Up to 9 it is the value."""
    assert_shares(bids_of_medium(9, "1-13"), share_evenly(8, 9, 10))
    assert_shares(bids_of_medium(2, "1-13"), share_evenly(1, 2, 3))


def test_medium_without_a_low_or_a_high_card() -> None:
    """Where there is no card for it, low or high becomes value."""
    assert_shares(bids_of_medium(12, "4-13"), {11: 4 * SIXTH, 12: SIXTH, 13: SIXTH})
    assert_shares(bids_of_medium(10, "1-10"), {1: 3 * SIXTH, 9: SIXTH, 10: 2 * SIXTH})


WASTED = [(1, 1, 10), (2, 2, 11), (3, 3, 12), (9, 4, 13)]


def test_medium_stops_when_the_opponent_has_wasted_its_high_cards() -> None:
    """After four bids above 9 on prizes up to 9 nothing but value is left."""
    assert_shares(bids_of_medium(12, "1 5-13", WASTED), share_evenly(11, 12, 13))
    assert_shares(bids_of_medium(12, "1 4-13", WASTED[:3]), share_evenly(1, 11))


@pytest.mark.parametrize("instead", [(10, 4, 13), (9, 13, 4), (9, 4, 9)])
def test_medium_counts_only_the_opponents_high_bids_on_low_prizes(instead: tuple[int, ...]) -> None:
    """A high bid on a prize of 10, one of its own, and a bid of 9 do not count."""
    assert_shares(bids_of_medium(12, "1 5-12", [*WASTED[:3], instead]), share_evenly(1, 11))


def test_medium_counts_for_each_of_several_opponents() -> None:
    """It goes by the count of the one who leads, the first of equals."""
    three = [(prize, mine, theirs, mine + 1) for prize, mine, theirs in WASTED]
    assert_shares(bids_of_medium(12, "1 5-13", three), share_evenly(11, 12, 13))
    other = [(prize, mine, mine + 1, theirs) for prize, mine, theirs in WASTED]
    assert_shares(bids_of_medium(12, "1 5-13", other), share_evenly(11, 12, 13))
    level = [(1, 11, 10, 1), (2, 12, 11, 2), (3, 13, 12, 3), (4, 1, 13, 13)]
    assert_shares(bids_of_medium(12, "2-10", level), share_evenly(10))
    swapped = [(prize, mine, second, first) for prize, mine, first, second in level]
    assert_shares(bids_of_medium(12, "2-10", swapped), share_evenly(2, 10))


def test_medium_with_twenty_cards() -> None:
    """The bands are up to 14 and above, low is up to 5, high above 15, and the count is 6."""
    assert_shares(bids_of_medium(15, "1-20", variant=Gops(20)), share_evenly(1, 16))
    assert_shares(bids_of_medium(14, "1-20", variant=Gops(20)), share_evenly(13, 14, 15))
    wasted = [(low, low, low + 14) for low in range(1, 7)]
    assert_shares(bids_of_medium(18, "1-20", wasted[:5], variant=Gops(20)), share_evenly(1, 16))
    assert_shares(bids_of_medium(18, "1-20", wasted, variant=Gops(20)), share_evenly(17, 18, 19))


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
    assert_shares(bids_of_patterned(12, hand), expected)
    for prize in (11, 13):
        assert {*bids_of_patterned(prize, "1-13")} == {12, 13}


def test_hard_patterned_mixes_in_the_middle() -> None:
    """From 8 to 10: a quarter high, a quarter low, half value."""
    for prize in (8, 9):
        expected = {
            11: QUARTER,
            1: QUARTER,
            **share_evenly(prize - 1, prize, prize + 1, chance=0.5),
        }
        assert_shares(bids_of_patterned(prize, "1-13"), expected)
    assert_shares(
        bids_of_patterned(10, "1-13"),
        {1: QUARTER, 9: SIXTH, 10: SIXTH, 11: QUARTER + SIXTH},
    )


def test_hard_patterned_throws_a_low_card_one_time_in_five() -> None:
    """Up to 7: the lowest card up to 2 one time in five, if there is one; else value."""
    assert_shares(bids_of_patterned(7, "1-13"), {1: 0.2, **share_evenly(6, 7, 8, chance=0.8)})
    assert_shares(
        bids_of_patterned(6, "2-13", [(1, 1, 1)]),
        {2: 0.2, **share_evenly(5, 6, 7, chance=0.8)},
    )
    assert_shares(bids_of_patterned(6, "3-13", [(1, 1, 1), (2, 2, 2)]), share_evenly(5, 6, 7))


def test_hard_patterned_does_not_bluff_when_the_high_cards_are_gone() -> None:
    """Up to 7, fewer than 3 cards above 9 in both hands together: value."""
    gone = [(13, 13, 13), (12, 12, 12), (11, 11, 11)]
    assert_shares(bids_of_patterned(5, "1-9", gone), share_evenly(4, 5, 6))
    assert_shares(bids_of_patterned(5, "1-10", gone), share_evenly(4, 5, 6))
    assert_shares(bids_of_patterned(5, "1-11", gone), {1: 0.2, **share_evenly(4, 5, 6, chance=0.8)})


def test_hard_patterned_with_five_cards() -> None:
    """The bands are up to 3, 4, and 5; 13 and 12 are both the 5."""
    assert_shares(bids_of_patterned(5, "1-5", variant=Gops(5)), share_evenly(5))
    assert_shares(bids_of_patterned(5, "1-4", variant=Gops(5)), share_evenly(4))
    middle = {5: QUARTER + SIXTH, 1: QUARTER, 3: SIXTH, 4: SIXTH}
    assert_shares(bids_of_patterned(4, "1-5", variant=Gops(5)), middle)
    assert_shares(
        bids_of_patterned(3, "1-5", variant=Gops(5)),
        {1: 0.2, **share_evenly(2, 3, 4, chance=0.8)},
    )


bids_of_hard = partial(count_bids, AdaptiveBluffer)

# 36 points in three rounds, for cards below 10: more than 7 a prize, all high cards left
AGGRESSIVE = [(13, 4, 7), (12, 5, 8), (11, 6, 9)]
# the same, for three high cards
SPENT = [(13, 4, 13), (12, 5, 12), (11, 6, 11)]
HAND = "1-3 7-13"


def test_hard_bluffs_an_aggressive_opponent() -> None:
    """Above 10: one time in three low, else high, while it has two high cards or more."""
    assert_shares(bids_of_hard(11, HAND, AGGRESSIVE), {1: THIRD, 11: 2 * THIRD})
    two = [*AGGRESSIVE[:2], (11, 6, 12), (10, 2, 13)]
    assert_shares(bids_of_hard(11, "1 3 7-13", two), {1: THIRD, 11: 2 * THIRD})


def test_hard_bids_high_against_one_who_leads_with_fewer_high_cards() -> None:
    """Above 10, if the bluff is not called for: high, when the opponent leads on fewer."""
    assert_shares(bids_of_hard(13, HAND, SPENT), share_evenly(11))
    assert_shares(bids_of_hard(13, "2-13", [(5, 1, 10)]), share_evenly(11))


def test_hard_else_bids_value_above_ten() -> None:
    """Value, when the opponent has as many high cards, or is not ahead."""
    assert_shares(bids_of_hard(13, "2-13", [(5, 1, 9)]), share_evenly(12, 13, 13))
    assert_shares(bids_of_hard(13, "1-8 10-13", [(5, 9, 1)]), share_evenly(12, 13, 13))
    assert_shares(
        bids_of_hard(13, "1-8 10-13", [(1, 9, 1), (9, 12, 11), (1, 5, 13)]),
        share_evenly(12, 13, 13),
    )


def test_hard_does_not_press_one_who_is_level() -> None:
    """Above 10, with more high cards than an opponent of as many points: value."""
    level = [(5, 9, 10), (5, 8, 7)]
    assert_shares(bids_of_hard(13, "1-7 10-13", level), share_evenly(12, 13, 13))


def test_hard_knows_nobody_before_the_fourth_prize() -> None:
    """Two prizes say nothing of the opponent, however much it has won or lost."""
    assert_shares(bids_of_hard(11, "1-3 6-13", AGGRESSIVE[:2]), share_evenly(10, 11, 12))
    lost = [(13, 7, 4), (12, 8, 5)]
    assert_shares(bids_of_hard(4, "1-6", lost), share_evenly(1, 3, 4, 5))


def test_hard_is_exact_about_seven_points_a_prize() -> None:
    """28 points before the fourth prize are balanced, 29 are aggressive."""
    balanced = [(13, 4, 7), (12, 5, 8), (3, 6, 9)]
    assert_shares(bids_of_hard(11, HAND, balanced), share_evenly(10, 11, 12))
    aggressive = [(13, 4, 7), (12, 5, 8), (4, 6, 9)]
    assert_shares(bids_of_hard(11, HAND, aggressive), {1: THIRD, 11: 2 * THIRD})


@pytest.mark.parametrize(
    ("prize", "expected"),
    [(6, share_evenly(6, 7, 8)), (8, share_evenly(8, 9, 10)), (10, share_evenly(10, 11, 12))],
)
def test_hard_bids_one_more_when_the_aggressive_have_spent(
    prize: int, expected: dict[int, float]
) -> None:
    """From 6 to 10: about the prize and one, if fewer than two high cards are left."""
    assert_shares(bids_of_hard(prize, "1-13", SPENT), expected)


def test_hard_else_bids_value_from_six_to_ten() -> None:
    """Two high cards left, or an opponent who is not aggressive: value."""
    two = [*SPENT[:2], (11, 6, 9)]
    assert_shares(bids_of_hard(8, "1-13", two), share_evenly(7, 8, 9))
    balanced = [(9, 4, 13), (8, 5, 12), (7, 6, 11)]
    assert_shares(bids_of_hard(8, "1-13", balanced), share_evenly(7, 8, 9))
    assert_shares(bids_of_hard(6, "1-13"), share_evenly(5, 6, 7))


def test_hard_throws_its_lowest_card_at_the_conservative() -> None:
    """Below 6, against less than 5 points a prize from the fourth on: the lowest card."""
    lost = [(13, 7, 4), (12, 8, 5), (11, 9, 6)]
    assert_shares(bids_of_hard(5, "2-6", lost), share_evenly(2))
    assert_shares(bids_of_hard(5, "2-6", [*lost[:2], (19, 6, 9)]), share_evenly(2))


def test_hard_is_exact_about_five_points_a_prize() -> None:
    """20 points before the fourth prize are not conservative any more."""
    assert_shares(
        bids_of_hard(4, "2-6", [(13, 7, 4), (12, 8, 5), (20, 6, 9)]),
        share_evenly(3, 4, 5),
    )


def test_hard_throws_its_lowest_card_when_there_is_nothing_to_draw_out() -> None:
    """Below 6, no high card left with the opponent: the lowest card."""
    empty = [*SPENT, (10, 7, 10)]
    assert_shares(bids_of_hard(5, "2 3 8-13", empty), share_evenly(2))
    history = [*SPENT, (10, 7, 9)]
    assert_shares(bids_of_hard(4, "2-6", history), share_evenly(3, 4, 5))


# after eight prizes the opponent has 50 points, balanced, and the bot has more
LEADING = [
    (90, 6, 3),
    (50, 2, 5),
    (1, 7, 4),
    (1, 9, 6),
    (1, 10, 7),
    (1, 11, 8),
    (1, 12, 9),
    (1, 8, 1),
]


def test_hard_leads_safely_late_in_the_game() -> None:
    """Below 6, ahead, and more than 8 prizes turned up: value, without a bluff."""
    hand, bluff = "1 3-5 13", share_evenly(1, 3, 4, 5)
    assert_shares(bids_of_hard(4, hand, LEADING), share_evenly(3, 4, 5))
    assert_shares(bids_of_hard(4, hand, LEADING[:7]), bluff)
    by_a_point, level = [(45, 6, 3), *LEADING[1:]], [(44, 6, 3), *LEADING[1:]]
    assert_shares(bids_of_hard(4, hand, by_a_point), share_evenly(3, 4, 5))
    assert_shares(bids_of_hard(4, hand, level), bluff)


def test_hard_throws_the_ace_one_time_in_four() -> None:
    """Below 6, if nothing else is called for: the 1, if it is in hand; else value."""
    assert_shares(
        bids_of_hard(5, "1-13"),
        {1: QUARTER, **share_evenly(4, 5, 6, chance=3 * QUARTER)},
    )
    assert_shares(bids_of_hard(5, "2-13", [(6, 1, 2)]), share_evenly(4, 5, 6))


def test_hard_goes_by_the_opponent_who_leads() -> None:
    """Of several opponents it judges the one with most points, the first of equals."""
    first = [(prize, mine, theirs, mine) for prize, mine, theirs in SPENT]
    assert_shares(bids_of_hard(13, HAND, first), share_evenly(11))
    second = [(prize, mine, mine, theirs) for prize, mine, theirs in SPENT]
    assert_shares(bids_of_hard(13, HAND, second), share_evenly(11))
    level = [(5, 4, 10, 1), (5, 5, 2, 6)]
    assert_shares(bids_of_hard(13, "1-3 6-13", level), share_evenly(11))
    swapped = [(5, 4, 1, 10), (5, 5, 6, 2)]
    assert_shares(bids_of_hard(13, "1-3 6-13", swapped), share_evenly(12, 13, 13))


def test_hard_judges_by_the_number_of_cards() -> None:
    """With 26 cards, twice the points are aggressive, and the bands are twice as wide."""
    taken = [(26, 8, 14), (20, 10, 16), (10, 12, 18)]
    assert_shares(bids_of_hard(21, "1-26", taken, variant=Gops(26)), share_evenly(20, 21, 22))
    more = [(26, 8, 14), (20, 10, 16), (11, 12, 18)]
    assert_shares(bids_of_hard(21, "1-26", more, variant=Gops(26)), {1: THIRD, 21: 2 * THIRD})
    assert_shares(bids_of_hard(20, "1-26", more, variant=Gops(26)), share_evenly(19, 20, 21))
    assert_shares(
        bids_of_hard(11, "2-26", [(12, 1, 2)], variant=Gops(26)),
        share_evenly(10, 11, 12),
    )


def test_hard_knows_its_own_seat() -> None:
    """Rows hold from the second seat as from the first, with the columns changed over."""
    bluffs = [(prize, theirs, mine) for prize, mine, theirs in AGGRESSIVE]
    assert_shares(bids_of_hard(11, HAND, bluffs, seat=1), {1: THIRD, 11: 2 * THIRD})
    spent = [(prize, theirs, mine) for prize, mine, theirs in SPENT]
    assert_shares(bids_of_hard(8, "1-13", spent, seat=1), share_evenly(8, 9, 10))
