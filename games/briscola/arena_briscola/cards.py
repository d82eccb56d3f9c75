"""The Italian pack of forty cards: how they rank, and what they count.

The suits are Coppe (cups), Denari (coins), Spade (swords) and Bastoni (clubs, batons). `K` is
the re (king), `Q` the cavallo (knight; the queen of French packs), `J` the fante (jack).
"""

from __future__ import annotations

from collections.abc import Iterable

from arena.cards import Card, Cards, build_deck, find_trick_winner, rank_of, remove_cards, suit_of

RANKS = "24567JQK3A"
"""From low to high: the three comes next to the ace."""

SUITS = "CDSB"

FULL_PACK = build_deck(RANKS, SUITS)

POINTS = {"A": 11, "3": 10, "K": 4, "Q": 3, "J": 2}
"""What the ranks count that count anything; the pack counts 120."""

REMOVED_FOR_THREE: Cards = ("2C",)
"""What three players leave out, so that the cards come out even."""


def build_pack(seats: int) -> Cards:
    """Return the cards that are played with at this number of seats: 40, or 39 for three."""
    return remove_cards(FULL_PACK, REMOVED_FOR_THREE) if seats == 3 else FULL_PACK  # noqa: PLR2004


def count_points(cards: Iterable[Card]) -> int:
    """Count what these cards are worth together.

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
