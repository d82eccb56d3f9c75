"""How the bundled bots of BS see their hands played to the end."""

from __future__ import annotations

from arena.cards import Cards
from arena_bs.bots import RANK_COUNT, count_turns, turns_until


def cards(text: str) -> Cards:
    return tuple(text.split())


def test_turns_until_a_rank() -> None:
    """Whose turn it is goes round as the ranks do; with 13 players one's rank never changes."""
    assert turns_until("A", "A", 4) == 0
    assert turns_until("5", "A", 4) == 1
    assert turns_until("K", "A", 4) == 3
    assert turns_until("2", "A", 4) == 10
    assert turns_until("2", "A", 13) == RANK_COUNT
    assert turns_until("A", "K", 14) == 1


def test_effort_counts_turns_and_lies() -> None:
    """With four players the ranks after an ace are 5 9 K 4 8 ..., and a lie costs more."""
    assert count_turns((), "A", 4, lie=1.5) == 0
    assert count_turns(cards("5S 5C 9S"), "A", 4, lie=1.5) == 2
    assert count_turns(cards("9S 4S"), "A", 4, lie=1.5) == 1 + 1.5 + 1
