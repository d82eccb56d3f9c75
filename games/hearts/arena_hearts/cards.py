"""The cards of Hearts: which have points, which are left out, and in which order a hand is."""

from __future__ import annotations

from functools import lru_cache

from arena.cards import FRENCH, Cards, build_deck, remove_cards

HEARTS = "H"
QUEEN = "QS"

ALL_HEARTS = build_deck(suits=HEARTS)

CARD_POINTS = {QUEEN: 13, **dict.fromkeys(ALL_HEARTS, 1)}
"""The points of the cards that have any."""

ALL_POINTS = sum(CARD_POINTS.values())

REMOVED_CARDS: dict[int, Cards] = {3: ("2D",), 4: (), 5: ("2D", "2C")}
"""What is left out, so that all seats have as many cards."""

CARD_ORDER = {card: at for at, card in enumerate(FRENCH)}
"""Suit by suit, from low to high."""


@lru_cache
def build_pack(seats: int) -> Cards:
    """Return the cards for this number of seats, the one that leads to the first trick first."""
    return remove_cards(FRENCH, REMOVED_CARDS[seats])
