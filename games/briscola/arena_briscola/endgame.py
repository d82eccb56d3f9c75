"""The end of a game of two: the stock is gone, and who counts cards knows all of them."""

from __future__ import annotations

from arena.cards import Card, Cards, remove_cards
from arena_briscola.cards import count_points, find_taker


def solve_endgame(hand: Cards, other: Cards, led: Card | None, trump: Card) -> tuple[int, Card]:
    """Return by how many points who is to play can gain on the other, and the card for that.

    `led` is the card that the other has led, if it has; both play as well as can be.

    Whether the other takes the seven with its trump or not, the three is lost for it:

    >>> solve_endgame(("7D", "6S"), ("7S", "3C"), None, "5S")
    (10, '7D')
    """
    return max((gain_of_card(card, hand, other, led, trump), card) for card in hand)


def gain_of_card(card: Card, hand: Cards, other: Cards, led: Card | None, trump: Card) -> int:
    """Return by how many points who plays this card can gain on the other from here on."""
    hand = remove_cards(hand, (card,))
    if led is None:
        return -solve_endgame(other, hand, card, trump)[0]
    trick = (led, card)
    if find_taker(trick, trump):
        return count_points(trick) + (solve_endgame(hand, other, None, trump)[0] if hand else 0)
    return -count_points(trick) - (solve_endgame(other, hand, None, trump)[0] if other else 0)
