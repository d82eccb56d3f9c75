"""For tests of bots that read like the score of a game.

`tally` says what a bot bids over many seeds, with this prize up and this hand, after
rounds written as (prize, bid of seat 0, bid of seat 1, ...); `assert_shares` holds that
against how often each card should come.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import sqrt

from arena import Bot, Greeting, OneOf, Seat
from arena_gops.rules import Bid, Bids, Gops, Hand, Prize

TRIES = 3000
WIDE = 4  # standard deviations, past which chance is no excuse

History = Sequence[tuple[int, ...]]
GOPS = Gops()


def cards(spans: str) -> Hand:
    """Read a hand, as one writes it briefly.

    >>> cards("1 3-5 13")
    (1, 3, 4, 5, 13)
    """
    ends = [[int(end) for end in span.split("-")] for span in spans.split()]
    return OneOf(card for span in ends for card in range(span[0], span[-1] + 1))


def tally(
    make: Callable[[], Bot],
    prize: int,
    hand: str,
    after: History = (),
    *,
    seat: Seat = 0,
    variant: Gops = GOPS,
) -> Counter[int]:
    """Count what the bot bids from this hand, once for each of many seeds."""
    seats = len(after[0]) - 1 if after else 2
    question, bids = Bid(cards(hand)), Counter[int]()
    for seed in range(TRIES):
        bot = make()
        bot.greet(Greeting("gops", seat, seats, variant, f"{seed}"))
        for turned_up, *shown in after:
            bot.hear(Prize(turned_up))
            bot.hear(Bids(tuple(shown)))
        bot.hear(Prize(prize))
        bids[bot.choose(question)] += 1
    return bids


def about(*cards: int, chance: float = 1.0) -> dict[int, float]:
    """Return each of these cards the same share of the chance; one named twice has two.

    >>> about(6, 6, 7, 8)
    {6: 0.5, 7: 0.25, 8: 0.25}
    """
    return {card: chance * count / len(cards) for card, count in Counter(cards).items()}


def assert_shares(bids: Counter[int], expected: Mapping[int, float]) -> None:
    """Hold that these cards were bid, about as often as expected, and no others."""
    total = bids.total()
    assert abs(sum(expected.values()) - 1) * total < 1, "what is expected is not all there is"
    assert {*bids} == {*expected}, f"bid {sorted(bids)}, not {sorted(expected)}"
    for card, chance in expected.items():
        slack = WIDE * sqrt(total * chance * (1 - chance))
        found = f"{card} was bid {bids[card]} times of {total}, not about {total * chance:.0f}"
        assert abs(bids[card] - total * chance) <= slack, found
