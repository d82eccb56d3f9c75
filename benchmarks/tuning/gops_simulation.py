"""GOPS for two, 13 cards, ties discarded, in as little code as possible: for `tuning`.

The rivals are the bundled bots, written again as functions; `bid_by_line` is the bot with six
parameters that is tuned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

SUIT = tuple(range(1, 14))
HIGH, TOP, LOW = 9, 10, 3  # cards above 9 are high, above 10 the top; low ones go up to 3
LATE_ROUND, JUDGED_ROUND = 8, 4


class GopsGame:
    """A game in progress, as both sides may see it."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.hands = [list(SUIT), list(SUIT)]
        self.scores = [0, 0]
        self.round = self.prize = 0
        self.down: list[int] = []
        self.high_left = [4, 4]  # high cards not spent on a low prize
        self.reserved: tuple[dict[int, int], dict[int, int]] = ({}, {})


Rival = Callable[[GopsGame, int], int]


def play_game(first: Rival, second: Rival, seed: int) -> int:
    """Return the points by which the first side is ahead in the end."""
    rng = Random(seed)
    prizes = list(SUIT)
    rng.shuffle(prizes)
    table = GopsGame(rng)
    for table.round, table.prize in enumerate(prizes, 1):
        table.down = prizes[table.round :]
        bids = first(table, 0), second(table, 1)
        for side, card in enumerate(bids):
            table.hands[side].remove(card)
            table.high_left[side] -= card > HIGH and table.prize <= HIGH
        if bids[0] != bids[1]:
            table.scores[bids[1] > bids[0]] += table.prize
    return table.scores[0] - table.scores[1]


def find_nearest(hand: list[int], target: float) -> int:
    """Return the card nearest to a target, the lower of two as near."""
    return min(hand, key=lambda card: (abs(card - target), card))


def build_line_bidder(settings: Mapping[str, Any]) -> Rival:
    """Return the bot with six parameters."""
    a, b, c, d, e, t = (settings[name] for name in "abcdet")

    def bid(table: GopsGame, side: int) -> int:
        hand, other = table.hands[side], table.hands[1 - side]
        lead = table.scores[side] - table.scores[1 - side]
        aim = a * table.prize + b + c * (table.prize >= t) + d * lead / 10
        return find_nearest(hand, aim + e * (sum(other) - sum(hand)) / len(hand))

    return bid


def bid_about(table: GopsGame, side: int, more: int = 0) -> int:
    """Bid about the value of the prize."""
    about = table.prize + more + table.rng.choice((-1, 0, 1))
    return find_nearest(table.hands[side], min(max(about, 1), 13))


def bid_low(table: GopsGame, side: int) -> int:
    """Bid the lowest low card."""
    low = [card for card in table.hands[side] if card <= LOW]
    return min(low) if low else bid_about(table, side)


def bid_high(table: GopsGame, side: int) -> int:
    """Bid the lowest top card."""
    high = [card for card in table.hands[side] if card > TOP]
    return min(high) if high else bid_about(table, side)


def bid_random(table: GopsGame, side: int) -> int:
    """Bid any card."""
    return table.rng.choice(table.hands[side])


def bid_match(table: GopsGame, side: int) -> int:
    """Bid the prize's value."""
    return find_nearest(table.hands[side], table.prize)


def bid_lowest(table: GopsGame, side: int) -> int:
    """Bid the lowest card."""
    return min(table.hands[side])


def bid_medium(table: GopsGame, side: int) -> int:
    """Mix low and high for a high prize, while the other has high cards to lose."""
    if table.prize > HIGH and table.high_left[1 - side] > 0:
        return table.rng.choice((bid_low, bid_high))(table, side)
    return bid_about(table, side)


def bid_hard(table: GopsGame, side: int) -> int:
    """Judge the opponent by its score."""
    pace = table.scores[1 - side] if table.round >= JUDGED_ROUND else 6 * table.round
    bold, timid = pace > 7 * table.round, pace < 5 * table.round
    lead = table.scores[side] - table.scores[1 - side]
    mine, theirs = (sum(card > HIGH for card in table.hands[who]) for who in (side, 1 - side))
    if table.prize > TOP:
        if bold and theirs > 1:
            return bid_low(table, side) if table.rng.randrange(3) == 0 else bid_high(table, side)
        return bid_high(table, side) if lead < 0 and mine > theirs else bid_about(table, side)
    if table.prize > TOP // 2:
        return bid_about(table, side, int(bold and theirs <= 1))
    if timid or theirs == 0:
        return min(table.hands[side])
    if lead > 0 and table.round > LATE_ROUND:
        return bid_about(table, side)
    drawn = table.rng.randrange(4) == 0 and 1 in table.hands[side]
    return 1 if drawn else bid_about(table, side)


def bid_by_pattern(table: GopsGame, side: int) -> int:
    """Play fixed mixtures."""
    hand = table.hands[side]
    if table.prize > TOP:
        if table.rng.randrange(3) == 0 and 13 in hand:
            return 13
        return 12 if 12 in hand else bid_about(table, side)
    if table.prize > 7:
        ways: tuple[Rival, ...] = (bid_high, bid_low, bid_about, bid_about)
        return table.rng.choice(ways)(table, side)
    high = sum(card > HIGH for both in table.hands for card in both)
    if high >= 3 and table.rng.randrange(5) == 0 and min(hand) <= 2:
        return min(hand)
    return bid_about(table, side)


def bid_by_plan(table: GopsGame, side: int) -> int:
    """Keep certain wins for the best prizes."""
    hand, reserved, beaten = table.hands[side], table.reserved[side], max(table.hands[1 - side])
    sure = {card for card in hand if card > beaten} - set(reserved.values())
    prizes = {table.prize, *table.down} - reserved.keys()
    reserved.update(zip(sorted(prizes, reverse=True), sorted(sure, reverse=True), strict=False))
    return reserved.get(table.prize, min(hand))


RIVALS: tuple[Rival, ...] = (
    bid_random, bid_match, bid_lowest, bid_about, bid_medium, bid_hard, bid_by_pattern,
    bid_by_plan,
)  # fmt: skip
