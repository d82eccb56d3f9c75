"""random, match, ordered and planner: what they bid, card by card."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from arena import Bot, Greeting, OneOf
from arena_gops import GAME, Bid, Bids, Gops, Prize
from arena_gops.bots import Matching, Ordered, Planner, Shuffled
from tests.support.mixed_strategies import assert_shares, count_bids, share_evenly


def versus(
    make: Callable[[], Bot],
    prizes: Sequence[int],
    opponents: Sequence[Sequence[int]],
    *,
    seat: int = 0,
    variant: Gops | None = None,
) -> list[int]:
    """Let a bot play against these cards; return its bids."""
    variant, bot = variant or Gops(len(prizes)), make()
    bot.greet(Greeting("gops", seat, 1 + len(opponents), variant, "seed"))
    hand, bids = [*variant.suit], []
    for prize, *shown in zip(prizes, *opponents, strict=True):
        bot.hear(Prize(prize))
        card = bot.choose(Bid(OneOf(hand)))
        hand.remove(card)
        bids.append(card)
        bot.hear(Bids((*shown[:seat], card, *shown[seat:])))
    return bids


def test_the_published_opponents_are_there_by_name() -> None:
    """The game brings eight bots under the names of the rules page."""
    names = "random match ordered easy medium hard hard-patterned planner"
    assert [*GAME.bots] == names.split()


@pytest.mark.parametrize("make", GAME.bots.values(), ids=GAME.bots)
def test_each_bot_names_its_source(make: type[Bot]) -> None:
    """Whoever wonders where a strategy is from finds it in the docstring."""
    assert any(source in f"{make.__doc__}" for source in ("Ross 1971", "2024", "Ruby Quiz 116"))


def test_bots_that_need_not_hear_are_not_told() -> None:
    """The host skips bots that leave `hear` as it is: random and ordered do."""
    deaf = [name for name, bot in GAME.bots.items() if bot.hear is Bot.hear]
    assert deaf == ["random", "ordered"]


def test_random_bids_any_card_as_often() -> None:
    """Of four cards left, and of thirteen, each is bid as often, whatever the prize."""
    assert_shares(count_bids(Shuffled, 1, "2 3 5 13"), share_evenly(2, 3, 5, 13))
    assert_shares(count_bids(Shuffled, 13, "1-13"), share_evenly(*range(1, 14)))


def test_random_bids_every_card_once() -> None:
    """Its bids of a whole game are a shuffled hand."""
    bids = versus(Shuffled, range(1, 14), [range(1, 14)])
    assert sorted(bids) == [*range(1, 14)] != bids


def test_match_bids_the_prizes_value() -> None:
    """Whatever the opponent does, its bids are the prizes."""
    prizes = (12, 1, 7, 13, 4, 9, 2, 11, 5, 8, 3, 10, 6)
    assert versus(Matching, prizes, [range(1, 14)]) == [*prizes]


def test_match_takes_the_nearest_card_where_a_list_repeats_a_value() -> None:
    """Gone is gone: the nearest card left, the lower of two, the highest for a huge prize."""
    prizes = (3, 3, 3, 50, 50)
    variant = Gops(5, prizes=prizes)
    assert versus(Matching, prizes, [range(1, 6)], variant=variant) == [3, 2, 4, 5, 1]


@pytest.mark.parametrize(
    ("start", "bids"),
    [(1, [1, 2, 3, 4, 5]), (3, [3, 4, 5, 1, 2]), (5, [5, 1, 2, 3, 4]), (8, [3, 4, 5, 1, 2])],
)
def test_ordered_counts_on_from_its_start(start: int, bids: list[int]) -> None:
    """It bids K, K+1, to N and then 1 to K-1; a start above N counts round."""
    assert versus(lambda: Ordered(start), (5, 1, 4, 2, 3), [(1, 2, 3, 4, 5)]) == bids


def test_ordered_starts_from_one_unless_told() -> None:
    """Without a parameter it bids 1, 2, 3 and so on; a start of 0 is refused."""
    assert versus(Ordered, range(13, 0, -1), [range(1, 14)]) == [*range(1, 14)]
    with pytest.raises(ValueError, match="start"):
        Ordered(start=0)


def test_planner_bids_low_until_a_win_is_sure() -> None:
    """Level hands hold no sure win, so it bids its lowest cards, in order."""
    assert versus(Planner, (5, 1, 4, 2, 3), [(1, 2, 3, 4, 5)]) == [1, 2, 3, 4, 5]


def test_planner_sets_a_sure_win_aside_for_the_best_prize_to_come() -> None:
    """The opponent's 5 gone, its own 5 waits for the 4, and what comes before gets the lowest."""
    assert versus(Planner, (5, 1, 3, 4, 2), [(5, 1, 2, 3, 4)]) == [1, 2, 3, 5, 4]


def test_planner_counts_the_prize_that_is_up_among_those_to_come() -> None:
    """The most valuable prize left is up, so the card set aside is bid at once."""
    assert versus(Planner, (2, 5, 1, 3, 4), [(5, 1, 2, 3, 4)])[:2] == [1, 5]


def test_planner_gives_its_highest_sure_win_to_the_best_prize() -> None:
    """Two sure wins at once: the 6 for the best prize left, the 5 for the second best."""
    opponent = (5, 6, 1, 2, 3, 4)
    assert versus(Planner, (1, 2, 5, 3, 6, 4), [opponent]) == [1, 2, 5, 3, 6, 4]
    assert versus(Planner, (6, 2, 5, 3, 4, 1), [opponent]) == [1, 2, 6, 3, 5, 4]


def test_planner_sets_a_later_sure_win_aside_for_the_next_prize() -> None:
    """The 6 is for the prize of 6; when the 5 becomes sure, it is for the 5, not for the 6."""
    opponent = (6, 5, 1, 2, 3, 4)
    assert versus(Planner, (1, 2, 5, 3, 6, 4), [opponent]) == [1, 2, 5, 3, 6, 4]
    assert versus(Planner, (6, 5, 2, 4, 3, 1), [opponent]) == [1, 6, 2, 5, 3, 4]


def test_planner_sets_all_aside_when_all_are_sure() -> None:
    """The opponent's high cards spent, each card left is for the prize of its rank."""
    opponent = (6, 5, 4, 1, 2, 3)
    assert versus(Planner, (1, 2, 3, 6, 4, 5), [opponent]) == [1, 2, 3, 6, 4, 5]
    assert versus(Planner, (1, 2, 3, 5, 6, 4), [opponent]) == [1, 2, 3, 5, 6, 4]


def test_planner_leaves_set_aside_what_is_not_sure_any_more() -> None:
    """Its 5 was sure against one opponent; another who now leads holds a 5; it is bid all the same."""
    first, second = (5, 1, 2, 3, 4), (1, 4, 2, 3, 5)
    assert versus(Planner, (2, 3, 5, 1, 4), [first, second])[:3] == [1, 2, 5]


def test_planner_falls_back_on_its_lowest_card_where_a_value_repeats() -> None:
    """A card is set aside for a value once: when it comes again, the lowest card left is bid."""
    variant = Gops(4, prizes=(1, 9, 9, 2))
    bids = versus(Planner, (1, 9, 9, 2), [(4, 1, 2, 3)], variant=variant)
    assert bids == [1, 4, 2, 3]


def test_planner_looks_at_the_opponent_who_leads() -> None:
    """Of two opponents it must beat the one with most points, the first of equals."""
    spent, saved = (5, 1, 2, 3, 4), (1, 2, 3, 4, 5)
    prizes = (2, 5, 1, 3, 4)
    assert versus(Planner, prizes, [spent, saved])[:2] == [1, 5]
    assert versus(Planner, prizes, [saved, spent], seat=1)[:2] == [1, 5]
    tied = (5, 2, 3, 4, 1)
    assert versus(Planner, prizes, [tied, tied], seat=2)[:2] == [1, 5]


def test_planner_at_another_seat() -> None:
    """It sees which bids are its own, wherever it sits."""
    assert versus(Planner, (5, 1, 3, 4, 2), [(5, 1, 2, 3, 4)], seat=1) == [1, 2, 3, 5, 4]
