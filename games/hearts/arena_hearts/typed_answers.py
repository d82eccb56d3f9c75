"""Cards as people read and type them: `Q♠`, or `qs`."""

from __future__ import annotations

import re

from arena import MalformedLineError
from arena.cards import RANKS, SUIT_SYMBOLS, SUITS, Card, Cards, filter_suit, rank_of

LETTERS = str.maketrans({symbol: suit for suit, symbol in SUIT_SYMBOLS.items()})
SEPARATORS = re.compile("\N{VARIATION SELECTOR-16}|[,;]")  # allowed between and after cards


def format_hand(hand: Cards) -> str:
    """Format a hand with each suit once."""
    held = ((symbol, filter_suit(hand, suit)) for suit, symbol in SUIT_SYMBOLS.items())
    return "  ".join(f"{symbol} {' '.join(map(rank_of, cards))}" for symbol, cards in held if cards)


def read_cards(line: str) -> Cards:
    """Return the cards of a line; raise MalformedLineError with a hint on how to type them."""
    return tuple(map(read_card, SEPARATORS.sub(" ", line).split()))


def read_card(typed: str) -> Card:
    """Return the typed card; its suit is a letter or a symbol."""
    card = typed.translate(LETTERS).upper().replace("10", "T")
    if re.fullmatch(f"[{RANKS}][{SUITS}]", card):
        return card
    raise MalformedLineError(f"{typed} is not a card; type the queen of spades as QS or Q♠")
