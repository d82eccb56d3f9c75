"""random, match, ordered, planner and outbid: what they bid, card by card."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from arena import Bot, Greeting, OneOf
from arena_gops import GAME, Bid, Bids, Gops, Prize
from arena_gops.bots import Matching, Ordered, Outbidder, Planner, Shuffled
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
    """The game brings nine bots under the names of the rules page."""
    names = "random match ordered easy medium hard hard-patterned planner outbid"
    assert [*GAME.bots] == names.split()


@pytest.mark.parametrize("make", GAME.bots.values(), ids=GAME.bots)
def test_each_bot_names_its_source(make: type[Bot]) -> None:
    """Whoever wonders where a strategy is from finds it in the docstring."""
    assert any(
        source in f"{make.__doc__}"
        for source in ("Ross 1971", "2024", "Ruby Quiz 116", "Brown 1951")
    )


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


SPENT, SAVED, HIGH, FALLING = (
    (5, 1, 2, 3, 4),
    (1, 2, 3, 4, 5),
    (5, 6, 1, 2, 3, 4),
    (6, 5, 1, 2, 3, 4),
)
PLANS: dict[str, tuple[Sequence[int], Sequence[Sequence[int]], int, list[int]]] = {
    "low cards in order until a win is sure": ((5, 1, 4, 2, 3), [SAVED], 0, [1, 2, 3, 4, 5]),
    "a sure win waits for the best prize to come": ((5, 1, 3, 4, 2), [SPENT], 0, [1, 2, 3, 5, 4]),
    "the same at the other seat": ((5, 1, 3, 4, 2), [SPENT], 1, [1, 2, 3, 5, 4]),
    "the prize that is up is one of those to come": ((2, 5, 1, 3, 4), [SPENT], 0, [1, 5]),
    "of two sure wins the highest is for the best prize": (
        (1, 2, 5, 3, 6, 4), [HIGH], 0, [1, 2, 5, 3, 6, 4],
    ),
    "though it comes before the other": ((6, 2, 5, 3, 4, 1), [HIGH], 0, [1, 2, 6, 3, 5, 4]),
    "a later sure win is for the next prize": ((1, 2, 5, 3, 6, 4), [FALLING], 0, [1, 2, 5, 3, 6, 4]),
    "also where that comes later": ((6, 5, 2, 4, 3, 1), [FALLING], 0, [1, 6, 2, 5, 3, 4]),
    "where all are sure each is for the prize of its rank": (
        (1, 2, 3, 6, 4, 5), [(6, 5, 4, 1, 2, 3)], 0, [1, 2, 3, 6, 4, 5],
    ),
    "in whatever order": ((1, 2, 3, 5, 6, 4), [(6, 5, 4, 1, 2, 3)], 0, [1, 2, 3, 5, 6, 4]),
    "what is not sure any more is bid all the same": (
        (2, 3, 5, 1, 4), [SPENT, (1, 4, 2, 3, 5)], 0, [1, 2, 5],
    ),
    "a value that comes again gets the lowest card left": (
        (1, 9, 9, 2), [(4, 1, 2, 3)], 0, [1, 4, 2, 3],
    ),
    "it must beat the opponent who leads": ((2, 5, 1, 3, 4), [SPENT, SAVED], 0, [1, 5]),
    "whoever that is": ((2, 5, 1, 3, 4), [SAVED, SPENT], 1, [1, 5]),
    "the first of equals": ((2, 5, 1, 3, 4), [(5, 2, 3, 4, 1)] * 2, 2, [1, 5]),
}  # fmt: skip


@pytest.mark.parametrize(("prizes", "opponents", "seat", "bids"), PLANS.values(), ids=PLANS)
def test_planner(
    prizes: Sequence[int], opponents: Sequence[Sequence[int]], seat: int, bids: list[int]
) -> None:
    """It keeps a card that is sure to win for the best prize to come, and bids its lowest till then."""
    variant = Gops(len(prizes), prizes=tuple(prizes))
    found = versus(Planner, prizes, opponents, seat=seat, variant=variant)
    assert found[: len(bids)] == bids


def test_outbid_bids_just_above_what_the_earlier_bids_let_it_expect() -> None:
    """It learns that the opponent bids two more than the prize, or else bids its lowest card."""
    variant, bot = Gops(13), Outbidder()
    bot.greet(Greeting("gops", 0, 2, variant, "seed"))
    bot.margins[1].clear()
    for prize, card in ((5, 7), (2, 4)):
        bot.hear(Prize(prize))
        bot.hear(Bids((prize + 5, card)))
    assert bot.margins[1] == [2, 2]
    for prize, bid, reason in ((6, 9, "just above"), (11, 1, "lowest card")):
        bot.hear(Prize(prize))
        question = Bid(OneOf([1, 3, 9, 12]))
        assert bot.choose(question) == bid
        assert reason in bot.explain(question, bid)
        bot.hear(Bids((bid, prize + 2)))


def test_outbid_says_that_its_highest_card_may_be_matched() -> None:
    """Nobody can bid more than the highest card of all."""
    for highest, reason in ((13, "match your highest card"), (12, "bid more than you can")):
        bot = Outbidder()
        bot.greet(Greeting("gops", 0, 2, Gops(13), "seed"))
        bot.margins[1][:] = [2]
        bot.hear(Prize(11))
        question = Bid(OneOf([1, 3, highest]))
        assert bot.choose(question) == 1
        assert reason in bot.explain(question, 1)
