"""Cards and words as people read and type them: `7♥` or `7h`, Enter to pass."""

from __future__ import annotations

import re
from collections.abc import Iterable

from arena import Malformed

from arena_bs.cards import RANKS, SUITS, Card, Cards
from arena_bs.messages import BS, PASS, PEANUT_BUTTER, Declare, Lay, Nickname
from arena_bs.rules import NICKNAME
from arena_bs.wire import declaration

SYMBOLS = dict(zip(SUITS, "♠♣♥♦", strict=True))
LETTERS = {ord(symbol): letter for letter, symbol in SYMBOLS.items()}
LETTERS |= {ord("\N{VARIATION SELECTOR-16}"): None}  # some keyboards put it behind a suit
SHOWN = "SHDC"  # colours take turns within a rank

SHORT = {"": PASS, "P": PASS, "PASS": PASS, "B": BS, "BS": BS, "PB": PEANUT_BUTTER}


def pretty(cards: Iterable[Card]) -> str:
    """Write cards with their suits as symbols."""
    return " ".join(card[0] + SYMBOLS[card[1]] for card in cards)


def sorted_hand(cards: Cards) -> Cards:
    """Give a hand by rank, from the ace to the king."""
    return tuple(sorted(cards, key=lambda card: (RANKS.index(card[0]), SHOWN.index(card[1]))))


def read_nickname(question: Nickname, line: str) -> str:
    """Give the name, the default for an empty line."""
    if not line and question.default:
        return question.default
    if not re.fullmatch(NICKNAME, line):
        raise Malformed("a name has 1 to 32 letters, digits and underscores")
    return line


def read_lay(question: Lay, line: str) -> Cards:
    """Give the cards that are typed, if they are in the hand."""
    cards = tuple(map(_card, line.replace(",", " ").split()))
    if not cards:
        raise Malformed("lay at least one card")
    for at, card in enumerate(cards):
        if card not in question.options.cards:
            raise Malformed(f"you do not hold {pretty([card])}")
        if card in cards[:at]:
            raise Malformed(f"{pretty([card])} twice")
    return cards


def _card(typed: str) -> Card:
    card = typed.translate(LETTERS).upper().replace("10", "T")
    if len(card) == len("AH") and card[0] in RANKS and card[1] in SUITS:
        return card
    raise Malformed(f"{typed} is no card; write 7H or 7♥ for the seven of hearts")


def read_declaration(question: Declare, line: str) -> str:
    """Give what is declared by a letter, or by a line as a program would send it."""
    meaning = SHORT.get(line.upper())
    if meaning is None:
        meaning = _spelled(question, line)
    if meaning not in question.options:
        raise Malformed(f"type {keys(question)}")
    return meaning


def _spelled(question: Declare, line: str) -> str | None:
    try:
        return declaration(question, line)
    except Malformed:
        return None


def keys(question: Declare) -> str:
    """Say what can be typed for a declaration."""
    word = "b to call BS" if BS in question.options else "pb for Peanut Butter"
    return f"Enter to pass, {word}"
