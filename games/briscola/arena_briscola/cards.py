"""The Italian pack of forty cards, with the rank and the points of each.

The suits are Coppe (cups), Denari (coins), Spade (swords) and Bastoni (clubs, batons). `K` is
the re (king), `Q` the cavallo (knight; the queen of French packs), `J` the fante (jack).
"""

from __future__ import annotations

from collections.abc import Iterable

from arena.cards import Card, Cards, build_deck, find_trick_winner, rank_of, remove_cards, suit_of

RANKS = "24567JQK3A"
"""The ranks from low to high: the three is just below the ace."""

SUITS = "CDSB"

FULL_PACK = build_deck(RANKS, SUITS)

POINTS = {"A": 11, "3": 10, "K": 4, "Q": 3, "J": 2}
"""The points of the ranks that have any; the pack has 120."""

REMOVED_FOR_THREE: Cards = ("2C",)
"""The card that three players leave out, so that the pack divides evenly."""


def build_pack(seats: int) -> Cards:
    """Return the cards used at this number of seats: 40, or 39 for three."""
    return remove_cards(FULL_PACK, REMOVED_FOR_THREE) if seats == 3 else FULL_PACK  # noqa: PLR2004


def count_points(cards: Iterable[Card]) -> int:
    """Return the points that these cards are worth together.

    >>> count_points(["AC", "3D", "7S", "JB"])
    23
    """
    return sum(POINTS.get(rank_of(card), 0) for card in cards)


def find_taker(trick: Cards, trump: Card) -> int:
    """Return the index of the card that takes a trick; `trump` is the card turned up.

    >>> find_taker(("KC", "AD", "3C"), "7S"), find_taker(("KC", "2S", "AC"), "7S")
    (2, 1)
    """
    return find_trick_winner(trick, suit_of(trump), RANKS)
