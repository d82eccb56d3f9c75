"""Briscola in words, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.cards import suit_of
from arena_briscola.messages import Hand, Played, Taken, Trick
from arena_briscola.rules import sides

SUIT_NAMES = {"C": "Coppe", "D": "Denari", "S": "Spade", "B": "Bastoni"}


def describe(message: Any, names: Sequence[str]) -> str:
    """Say what happens, in a sentence or two."""
    match message:
        case Trick(leader, trump, stock, scores):
            left = f"{stock} cards in the stock, {trump} below" if stock else "The stock is gone"
            standing, suit = standings(scores, names), SUIT_NAMES[suit_of(trump)]
            return f"{standing}. {left}. {suit} are trumps, {names[leader]} leads."
        case Hand(cards):
            return f"You hold {' '.join(cards)}."
        case Played(seat, card):
            return f"{names[seat]} plays {card}."
        case Taken(seat, points):
            return f"{names[seat]} takes the trick, {points or 'no'} points."
    return "Which card do you play?"


def standings(scores: Sequence[int], names: Sequence[str]) -> str:
    """Say what everybody has, or each pair.

    >>> standings((30, 12, 30, 12), ["Ann", "Bob", "Cleo", "Dan"])
    'Ann and Cleo 30, Bob and Dan 12'
    """
    step = sides(len(names))
    return ", ".join(f"{' and '.join(names[side::step])} {scores[side]}" for side in range(step))
