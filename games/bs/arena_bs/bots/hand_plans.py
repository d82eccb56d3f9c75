"""Plans for playing a hand to its end; the order of the ranks is known to everybody."""

from __future__ import annotations

from functools import cache

from arena.cards import Cards, remove_cards
from arena_bs.cards import RANKS, filter_rank

RANK_COUNT = len(RANKS)


@cache
def turns_until(wanted: str, rank: str, seats: int) -> int:
    """Count a player's turns from the one with the first rank to the one with the other.

    After 13 turns all ranks have come up, or the same one 13 times; then return NEVER.
    """
    steps = RANKS.index(wanted) - RANKS.index(rank)
    reached = (turn for turn in range(RANK_COUNT) if (turn * seats - steps) % RANK_COUNT == 0)
    return next(reached, RANK_COUNT)


def sort_by_need(hand: Cards, rank: str, seats: int) -> Cards:
    """Return the hand sorted by the turns until each card can be laid honestly, most first."""
    return tuple(sorted(hand, key=lambda card: -turns_until(card[0], rank, seats)))


def next_rank(rank: str, seats: int) -> str:
    """Return the rank of the player's next turn."""
    return RANKS[(RANKS.index(rank) + seats) % len(RANKS)]


def count_turns(hand: Cards, rank: str, seats: int, lie: float) -> float:
    """Count the turns after the one of this rank until the hand is empty, played honestly.

    A turn without a card of its rank costs the card that is needed last, and this many turns more.
    """
    turns = 0.0
    while hand:
        rank = next_rank(rank, seats)
        honest = filter_rank(hand, rank)
        turns += 1.0 if honest else 1.0 + lie
        hand = remove_cards(hand, honest or sort_by_need(hand, rank, seats)[:1])
    return turns
