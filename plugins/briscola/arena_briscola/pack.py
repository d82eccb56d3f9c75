"""The Italian pack of forty cards: how they rank, and what they count.

The suits are Coppe (cups), Denari (coins), Spade (swords) and Bastoni (clubs, batons). `K` is
the re (king), `Q` the cavallo (knight; the queen of French packs), `J` the fante (jack).
"""

from __future__ import annotations

from collections.abc import Iterable

from arena.cards import Card, Cards, deck, rank_of, suit_of, trick_winner, without

RANKS = "24567JQK3A"
"""From low to high: the three comes next to the ace."""

SUITS = "CDSB"

FORTY = deck(RANKS, SUITS)

POINTS = {"A": 11, "3": 10, "K": 4, "Q": 3, "J": 2}
"""What the ranks count that count anything; the pack counts 120."""

LEFT_OUT: Cards = ("2C",)
"""What three players leave out, so that the cards come out even."""


def pack(seats: int) -> Cards:
    """Return the cards that are played with at this number of seats: 40, or 39 for three."""
    return without(FORTY, LEFT_OUT) if seats == 3 else FORTY  # noqa: PLR2004


def points(cards: Iterable[Card]) -> int:
    """Count what these cards are worth together.

    >>> points(["AC", "3D", "7S", "JB"])
    23
    """
    return sum(POINTS.get(rank_of(card), 0) for card in cards)


def taking(trick: Cards, trump: Card) -> int:
    """Return which card of a trick takes it, counted from 0; `trump` is the card turned up.

    >>> taking(("KC", "AD", "3C"), "7S"), taking(("KC", "2S", "AC"), "7S")
    (2, 1)
    """
    return trick_winner(trick, suit_of(trump), RANKS)
