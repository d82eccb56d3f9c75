"""The end of a game of two: the stock is empty, so a player who counted cards knows both hands."""

from __future__ import annotations

from arena.cards import Card, Cards, remove_cards
from arena_briscola.cards import count_points, find_taker


def solve_endgame(hand: Cards, other: Cards, led: Card | None, trump: Card) -> tuple[int, Card]:
    """Return the lead in points that the next player can gain, and the card for that.

    `led` is the card that the opponent has led, or None; both players play optimally.

    The opponent loses its three, whether or not it takes the seven with its trump:

    >>> solve_endgame(("7D", "6S"), ("7S", "3C"), None, "5S")
    (10, '7D')
    """
    return max((gain_of_card(card, hand, other, led, trump), card) for card in hand)


def gain_of_card(card: Card, hand: Cards, other: Cards, led: Card | None, trump: Card) -> int:
    """Return the lead in points that the next player can gain by playing this card."""
    hand = remove_cards(hand, (card,))
    if led is None:
        return -solve_endgame(other, hand, card, trump)[0]
    trick = (led, card)
    if find_taker(trick, trump):
        return count_points(trick) + (solve_endgame(hand, other, None, trump)[0] if hand else 0)
    return -count_points(trick) - (solve_endgame(other, hand, None, trump)[0] if other else 0)
