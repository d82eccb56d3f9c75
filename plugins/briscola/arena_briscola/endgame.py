"""The end of a game of two: the stock is gone, and who counts cards knows all of them."""

from __future__ import annotations

from arena.cards import Card, Cards, without
from arena_briscola.pack import points, taking


def solved(hand: Cards, other: Cards, led: Card | None, trump: Card) -> tuple[int, Card]:
    """Return by how many points who is to play can gain on the other, and the card for that.

    `led` is the card that the other has led, if it has; both play as well as can be.

    Whether the other takes the seven with its trump or not, the three is lost for it:

    >>> solved(("7D", "6S"), ("7S", "3C"), None, "5S")
    (10, '7D')
    """
    return max((gain(card, hand, other, led, trump), card) for card in hand)


def gain(card: Card, hand: Cards, other: Cards, led: Card | None, trump: Card) -> int:
    """Return by how many points who plays this card can gain on the other from here on."""
    hand = without(hand, (card,))
    if led is None:
        return -solved(other, hand, card, trump)[0]
    trick = (led, card)
    if taking(trick, trump):
        return points(trick) + (solved(hand, other, None, trump)[0] if hand else 0)
    return -points(trick) - (solved(other, hand, None, trump)[0] if other else 0)
