"""Cards as the protocol writes them: rank, then suit, such as `TC` or `3H`."""

from __future__ import annotations

from arena.cards import Card, Cards

RANKS = "A23456789TJQK"
SUITS = "SCHD"
DECK: Cards = tuple(rank + suit for rank in RANKS for suit in SUITS)
FIRST_CARD: Card = "AH"
"""The holder of this card begins."""


def filter_rank(cards: Cards, rank: str) -> Cards:
    """Return the cards of this rank."""
    return tuple(card for card in cards if card[0] == rank)
