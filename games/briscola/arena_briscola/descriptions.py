"""Briscola in words, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.cards import suit_of
from arena_briscola.messages import Hand, Played, Taken, Trick
from arena_briscola.rules import count_sides

RULES = """\
Briscola: tricks with a trump. Everybody holds three cards of an Italian pack;
a card is turned up, and its suit is trumps; the others are the stock. Each
plays a card, any one: suit need not be followed. The highest trump takes the
trick, or else the highest card of the suit that was led. Its winner leads
the next. All draw from the stock, the taker first, as long as there is one.
From the highest: A 11 points, 3 10, K 4, Q (horse) 3, J (knave) 2, and 7 6 5
4 2 for nothing: 120 in all, and most points win. Four play in pairs, and
partners sit across.
Type a card as it is written: 7C."""

SUIT_NAMES = {"C": "Coppe", "D": "Denari", "S": "Spade", "B": "Bastoni"}


def describe(message: Any, names: Sequence[str]) -> str:
    """Describe an event in a sentence or two."""
    match message:
        case Trick(leader, trump, stock, scores):
            left = f"{stock} cards in the stock, {trump} below" if stock else "The stock is gone"
            standing, suit = describe_standings(scores, names), SUIT_NAMES[suit_of(trump)]
            return f"{standing}. {left}. {suit} are trumps, {names[leader]} leads."
        case Hand(cards):
            return f"You hold {' '.join(cards)}."
        case Played(seat, card):
            return f"{names[seat]} plays {card}."
        case Taken(seat, points):
            return f"{names[seat]} takes the trick, {points or 'no'} points."
    return "Which card do you play?"


def describe_standings(scores: Sequence[int], names: Sequence[str]) -> str:
    """List the points of each player, or of each pair.

    >>> describe_standings((30, 12, 30, 12), ["Ann", "Bob", "Cleo", "Dan"])
    'Ann and Cleo 30, Bob and Dan 12'
    """
    step = count_sides(len(names))
    return ", ".join(f"{' and '.join(names[side::step])} {scores[side]}" for side in range(step))
