"""Cards and declarations as people read and type them: `7♥` or `7h`, Enter to pass."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from arena import MalformedLineError, Question
from arena.cards import SUIT_SYMBOLS, Card, Cards, format_cards
from arena_bs.cards import RANKS, SUITS
from arena_bs.messages import BS, PASS, PEANUT_BUTTER, ChooseCards, Declare, Nickname
from arena_bs.rules import NICKNAME
from arena_bs.wire import join_cards, parse_declaration

SUIT_LETTERS: dict[int, str | None] = {ord(symbol): suit for suit, symbol in SUIT_SYMBOLS.items()}
SUIT_LETTERS[ord("\N{VARIATION SELECTOR-16}")] = None  # some keyboards append it
SUIT_ORDER = "SHCD"

KEYS = {"": PASS, "P": PASS, "PASS": PASS, "B": BS, "BS": BS, "PB": PEANUT_BUTTER}


@lru_cache(maxsize=256)  # a board redraws all hands when one changes
def sort_hand(cards: Cards) -> Cards:
    """Return a hand sorted by rank, from the ace to the king."""
    return tuple(sorted(cards, key=_sort_key))


def _sort_key(card: Card) -> tuple[int, int]:
    return RANKS.index(card[0]), SUIT_ORDER.index(card[1])


def build_prompt(question: Question[Any]) -> str:
    """Return the text of a question, with the answers that can be typed."""
    match question:
        case Nickname(default=default):
            return f"What is your name at this table? (Enter: {default})"
        case ChooseCards(rank=rank, default=default):
            return f"Which cards do you lay as {rank}? (such as: {join_cards(default or ())})"
        case Declare():
            return f"What do you say? ({describe_keys(question)})"
    return ""


def describe_keys(question: Declare) -> str:
    """Describe the keys that a player can type for a declaration."""
    word = (
        "b to call BS"
        if BS in question.options
        else "pb for Peanut Butter: boast of your lie, if nobody calls"
    )
    return f"Enter to pass, {word}"


class AnswerReader:
    """The part of a view that reads typed answers."""

    def read(self, question: Question[Any], line: str) -> object:
        """Return the typed answer; raise MalformedLineError with the answers that can be typed."""
        match question:
            case Nickname():
                return read_nickname(question, line)
            case ChooseCards():
                return read_lay(question, line)
            case Declare():
                return read_declaration(question, line)
        raise TypeError(f"unknown question {type(question).__name__}")

    def say(self, question: Question[Any], answer: Any) -> str:
        """Return an answer as text to type."""
        return join_cards(answer) if isinstance(answer, tuple) else str(answer)


def read_nickname(question: Nickname, line: str) -> str:
    """Return the nickname, or the default for an empty line."""
    name = line or question.default or ""
    if re.fullmatch(NICKNAME, name):
        return name
    raise MalformedLineError("a name has 1 to 32 letters, digits or underscores")


def read_lay(question: ChooseCards, line: str) -> Cards:
    """Return the typed cards if they are in the hand."""
    cards = tuple(map(read_card, line.replace(",", " ").split()))
    if not cards:
        raise MalformedLineError("lay at least one card")
    for card in cards:
        if card not in question.options.cards:
            raise MalformedLineError(f"you do not hold {format_cards([card])}")
        if cards.count(card) > 1:
            raise MalformedLineError(f"you can lay {format_cards([card])} only once")
    return cards


def read_card(typed: str) -> Card:
    """Return the typed card; its suit is a letter or a symbol."""
    card = typed.translate(SUIT_LETTERS).upper().replace("10", "T")
    if re.fullmatch(f"[{RANKS}][{SUITS}]", card):
        return card
    raise MalformedLineError(f"{typed} is not a card; type the seven of hearts as 7H or 7♥")


def read_declaration(question: Declare, line: str) -> str:
    """Return the declaration of a key, or of a line of the protocol."""
    meaning = KEYS.get(line.upper())
    if meaning and meaning in question.options:
        return meaning
    try:
        return parse_declaration(question, line)
    except MalformedLineError:
        raise MalformedLineError(f"type {describe_keys(question)}") from None
