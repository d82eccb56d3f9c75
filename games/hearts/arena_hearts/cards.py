"""The cards of Hearts: their points, the cards left out, and the order of a hand."""

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
"""The cards left out by number of seats, so that all hands have the same size."""

CARD_ORDER = {card: at for at, card in enumerate(FRENCH)}
"""The order of a hand: suit by suit, from low to high."""


@lru_cache
def build_pack(seats: int) -> Cards:
    """Return the cards for this number of seats, first the one that leads to the first trick."""
    return remove_cards(FRENCH, REMOVED_CARDS[seats])
