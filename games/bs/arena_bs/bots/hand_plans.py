"""How a hand can be played to its end, since everybody knows which rank comes when."""

from __future__ import annotations

from functools import cache

from arena.cards import Cards, remove_cards
from arena_bs.cards import RANKS, filter_rank

RANK_COUNT = len(RANKS)


@cache
def turns_until(wanted: str, rank: str, seats: int) -> int:
    """Count one's turns from that of one rank to that of another.

    After 13 turns all ranks have come, or the same one 13 times: that counts as NEVER.
    """
    steps = RANKS.index(wanted) - RANKS.index(rank)
    reached = (turn for turn in range(RANK_COUNT) if (turn * seats - steps) % RANK_COUNT == 0)
    return next(reached, RANK_COUNT)


def sort_by_need(hand: Cards, rank: str, seats: int) -> Cards:
    """Return the hand, first what it takes longest until it can be laid honestly."""
    return tuple(sorted(hand, key=lambda card: -turns_until(card[0], rank, seats)))


def next_rank(rank: str, seats: int) -> str:
    """Return the rank of one's next turn."""
    return RANKS[(RANKS.index(rank) + seats) % len(RANKS)]


def count_turns(hand: Cards, rank: str, seats: int, lie: float) -> float:
    """Count the turns after that of this rank until the hand is gone, played honestly.

    A turn without a card of its rank costs a card that is needed last, and this much more.
    """
    turns = 0.0
    while hand:
        rank = next_rank(rank, seats)
        honest = filter_rank(hand, rank)
        turns += 1.0 if honest else 1.0 + lie
        hand = remove_cards(hand, honest or sort_by_need(hand, rank, seats)[:1])
    return turns
