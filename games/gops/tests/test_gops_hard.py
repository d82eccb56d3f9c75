"""The tables of hard, row by row.

Each test says by a history, a prize and a hand which bids follow, and how often. The bot
sits at seat 0 unless the test says otherwise.
"""

from __future__ import annotations

import pytest

from arena_gops import Gops
from arena_gops.bots import AdaptiveBluffer
from arena_gops.testing import assert_shares, count_bids, share_evenly

pytestmark = pytest.mark.slow  # thousands of bids for each row

THIRD, QUARTER = 1 / 3, 1 / 4

# 36 points in three rounds, for cards below 10: more than 7 a prize, all high cards left
AGGRESSIVE = [(13, 4, 7), (12, 5, 8), (11, 6, 9)]
# the same, for three high cards
SPENT = [(13, 4, 13), (12, 5, 12), (11, 6, 11)]
HAND = "1-3 7-13"


def test_hard_bluffs_an_aggressive_opponent() -> None:
    """Above 10: one time in three low, else high, while it has two high cards or more."""
    assert_shares(count_bids(AdaptiveBluffer, 11, HAND, AGGRESSIVE), {1: THIRD, 11: 2 * THIRD})
    two = [*AGGRESSIVE[:2], (11, 6, 12), (10, 2, 13)]
    assert_shares(count_bids(AdaptiveBluffer, 11, "1 3 7-13", two), {1: THIRD, 11: 2 * THIRD})


def test_hard_bids_high_against_one_who_leads_with_fewer_high_cards() -> None:
    """Above 10, if the bluff is not called for: high, when the opponent leads on fewer."""
    assert_shares(count_bids(AdaptiveBluffer, 13, HAND, SPENT), share_evenly(11))
    assert_shares(count_bids(AdaptiveBluffer, 13, "2-13", [(5, 1, 10)]), share_evenly(11))


def test_hard_else_bids_value_above_ten() -> None:
    """Value, when the opponent has as many high cards, or is not ahead."""
    assert_shares(count_bids(AdaptiveBluffer, 13, "2-13", [(5, 1, 9)]), share_evenly(12, 13, 13))
    assert_shares(
        count_bids(AdaptiveBluffer, 13, "1-8 10-13", [(5, 9, 1)]), share_evenly(12, 13, 13)
    )
    assert_shares(
        count_bids(AdaptiveBluffer, 13, "1-8 10-13", [(1, 9, 1), (9, 12, 11), (1, 5, 13)]),
        share_evenly(12, 13, 13),
    )


def test_hard_does_not_press_one_who_is_level() -> None:
    """Above 10, with more high cards than an opponent of as many points: value."""
    level = [(5, 9, 10), (5, 8, 7)]
    assert_shares(count_bids(AdaptiveBluffer, 13, "1-7 10-13", level), share_evenly(12, 13, 13))


def test_hard_knows_nobody_before_the_fourth_prize() -> None:
    """Two prizes say nothing of the opponent, however much it has won or lost."""
    assert_shares(
        count_bids(AdaptiveBluffer, 11, "1-3 6-13", AGGRESSIVE[:2]), share_evenly(10, 11, 12)
    )
    lost = [(13, 7, 4), (12, 8, 5)]
    assert_shares(count_bids(AdaptiveBluffer, 4, "1-6", lost), share_evenly(1, 3, 4, 5))


def test_hard_is_exact_about_seven_points_a_prize() -> None:
    """28 points before the fourth prize are balanced, 29 are aggressive."""
    balanced = [(13, 4, 7), (12, 5, 8), (3, 6, 9)]
    assert_shares(count_bids(AdaptiveBluffer, 11, HAND, balanced), share_evenly(10, 11, 12))
    aggressive = [(13, 4, 7), (12, 5, 8), (4, 6, 9)]
    assert_shares(count_bids(AdaptiveBluffer, 11, HAND, aggressive), {1: THIRD, 11: 2 * THIRD})


@pytest.mark.parametrize(
    ("prize", "expected"),
    [(6, share_evenly(6, 7, 8)), (8, share_evenly(8, 9, 10)), (10, share_evenly(10, 11, 12))],
)
def test_hard_bids_one_more_when_the_aggressive_have_spent(
    prize: int, expected: dict[int, float]
) -> None:
    """From 6 to 10: about the prize and one, if fewer than two high cards are left."""
    assert_shares(count_bids(AdaptiveBluffer, prize, "1-13", SPENT), expected)


def test_hard_else_bids_value_from_six_to_ten() -> None:
    """Two high cards left, or an opponent who is not aggressive: value."""
    two = [*SPENT[:2], (11, 6, 9)]
    assert_shares(count_bids(AdaptiveBluffer, 8, "1-13", two), share_evenly(7, 8, 9))
    balanced = [(9, 4, 13), (8, 5, 12), (7, 6, 11)]
    assert_shares(count_bids(AdaptiveBluffer, 8, "1-13", balanced), share_evenly(7, 8, 9))
    assert_shares(count_bids(AdaptiveBluffer, 6, "1-13"), share_evenly(5, 6, 7))


def test_hard_throws_its_lowest_card_at_the_conservative() -> None:
    """Below 6, against less than 5 points a prize from the fourth on: the lowest card."""
    lost = [(13, 7, 4), (12, 8, 5), (11, 9, 6)]
    assert_shares(count_bids(AdaptiveBluffer, 5, "2-6", lost), share_evenly(2))
    assert_shares(count_bids(AdaptiveBluffer, 5, "2-6", [*lost[:2], (19, 6, 9)]), share_evenly(2))


def test_hard_is_exact_about_five_points_a_prize() -> None:
    """20 points before the fourth prize are not conservative any more."""
    assert_shares(
        count_bids(AdaptiveBluffer, 4, "2-6", [(13, 7, 4), (12, 8, 5), (20, 6, 9)]),
        share_evenly(3, 4, 5),
    )


def test_hard_throws_its_lowest_card_when_there_is_nothing_to_draw_out() -> None:
    """Below 6, no high card left with the opponent: the lowest card."""
    empty = [*SPENT, (10, 7, 10)]
    assert_shares(count_bids(AdaptiveBluffer, 5, "2 3 8-13", empty), share_evenly(2))
    history = [*SPENT, (10, 7, 9)]
    assert_shares(count_bids(AdaptiveBluffer, 4, "2-6", history), share_evenly(3, 4, 5))


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
    assert_shares(count_bids(AdaptiveBluffer, 4, hand, LEADING), share_evenly(3, 4, 5))
    assert_shares(count_bids(AdaptiveBluffer, 4, hand, LEADING[:7]), bluff)
    by_a_point, level = [(45, 6, 3), *LEADING[1:]], [(44, 6, 3), *LEADING[1:]]
    assert_shares(count_bids(AdaptiveBluffer, 4, hand, by_a_point), share_evenly(3, 4, 5))
    assert_shares(count_bids(AdaptiveBluffer, 4, hand, level), bluff)


def test_hard_throws_the_ace_one_time_in_four() -> None:
    """Below 6, if nothing else is called for: the 1, if it is in hand; else value."""
    assert_shares(
        count_bids(AdaptiveBluffer, 5, "1-13"),
        {1: QUARTER, **share_evenly(4, 5, 6, chance=3 * QUARTER)},
    )
    assert_shares(count_bids(AdaptiveBluffer, 5, "2-13", [(6, 1, 2)]), share_evenly(4, 5, 6))


def test_hard_goes_by_the_opponent_who_leads() -> None:
    """Of several opponents it judges the one with most points, the first of equals."""
    first = [(prize, mine, theirs, mine) for prize, mine, theirs in SPENT]
    assert_shares(count_bids(AdaptiveBluffer, 13, HAND, first), share_evenly(11))
    second = [(prize, mine, mine, theirs) for prize, mine, theirs in SPENT]
    assert_shares(count_bids(AdaptiveBluffer, 13, HAND, second), share_evenly(11))
    level = [(5, 4, 10, 1), (5, 5, 2, 6)]
    assert_shares(count_bids(AdaptiveBluffer, 13, "1-3 6-13", level), share_evenly(11))
    swapped = [(5, 4, 1, 10), (5, 5, 6, 2)]
    assert_shares(count_bids(AdaptiveBluffer, 13, "1-3 6-13", swapped), share_evenly(12, 13, 13))


def test_hard_judges_by_the_number_of_cards() -> None:
    """With 26 cards, twice the points are aggressive, and the bands are twice as wide."""
    taken = [(26, 8, 14), (20, 10, 16), (10, 12, 18)]
    assert_shares(
        count_bids(AdaptiveBluffer, 21, "1-26", taken, variant=Gops(26)), share_evenly(20, 21, 22)
    )
    more = [(26, 8, 14), (20, 10, 16), (11, 12, 18)]
    assert_shares(
        count_bids(AdaptiveBluffer, 21, "1-26", more, variant=Gops(26)), {1: THIRD, 21: 2 * THIRD}
    )
    assert_shares(
        count_bids(AdaptiveBluffer, 20, "1-26", more, variant=Gops(26)), share_evenly(19, 20, 21)
    )
    assert_shares(
        count_bids(AdaptiveBluffer, 11, "2-26", [(12, 1, 2)], variant=Gops(26)),
        share_evenly(10, 11, 12),
    )


def test_hard_knows_its_own_seat() -> None:
    """Rows hold from the second seat as from the first, with the columns changed over."""
    bluffs = [(prize, theirs, mine) for prize, mine, theirs in AGGRESSIVE]
    assert_shares(count_bids(AdaptiveBluffer, 11, HAND, bluffs, seat=1), {1: THIRD, 11: 2 * THIRD})
    spent = [(prize, theirs, mine) for prize, mine, theirs in SPENT]
    assert_shares(count_bids(AdaptiveBluffer, 8, "1-13", spent, seat=1), share_evenly(8, 9, 10))
