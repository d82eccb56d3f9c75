"""Helpers for tests of bots' mixed strategies.

`count_bids` asks a bot many times for a bid, for a prize and a hand, after rounds written as
(prize, bid of seat 0, bid of seat 1, ...); `assert_shares` compares the counts with the expected
share of each card.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import sqrt

from arena import Bot, Greeting, OneOf, Seat
from arena_gops.rules import Bid, Bids, Gops, Hand, Prize

BID_COUNT = 3000
MAX_DEVIATIONS = 4  # standard deviations that chance may explain

History = Sequence[tuple[int, ...]]
GOPS = Gops()


def parse_hand(spans: str) -> Hand:
    """Parse a hand written as numbers and ranges.

    >>> parse_hand("1 3-5 13")
    (1, 3, 4, 5, 13)
    """
    ends = [[int(end) for end in span.split("-")] for span in spans.split()]
    return OneOf(card for span in ends for card in range(span[0], span[-1] + 1))


def count_bids(
    make: Callable[[], Bot],
    prize: int,
    hand: str,
    after: History = (),
    *,
    seat: Seat = 0,
    variant: Gops = GOPS,
) -> Counter[int]:
    """Count the bids of a bot that draws only when it is asked, and remembers none of its answers."""
    seats = len(after[0]) - 1 if after else 2
    question, bot = Bid(parse_hand(hand)), make()
    bot.greet(Greeting("gops", seat, seats, variant, "1"))
    for turned_up, *shown in after:
        bot.hear(Prize(turned_up))
        bot.hear(Bids(tuple(shown)))
    bot.hear(Prize(prize))
    return Counter(bot.choose(question) for _ in range(BID_COUNT))


def share_evenly(*cards: int, chance: float = 1.0) -> dict[int, float]:
    """Return an equal share of the probability for each of these cards, twice that if named twice.

    >>> share_evenly(6, 6, 7, 8)
    {6: 0.5, 7: 0.25, 8: 0.25}
    """
    return {card: chance * count / len(cards) for card, count in Counter(cards).items()}


def assert_shares(bids: Counter[int], expected: Mapping[int, float]) -> None:
    """Assert that only the expected cards were bid, each about as often as expected."""
    total = bids.total()
    assert abs(sum(expected.values()) - 1) * total < 1, "what is expected is not all there is"
    assert {*bids} == {*expected}, f"bid {sorted(bids)}, not {sorted(expected)}"
    for card, chance in expected.items():
        slack = MAX_DEVIATIONS * sqrt(total * chance * (1 - chance))
        found = f"{card} was bid {bids[card]} times of {total}, not about {total * chance:.0f}"
        assert abs(bids[card] - total * chance) <= slack, found
