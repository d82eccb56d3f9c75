"""The line protocol of Hearts: a word, a colon, and values.

```
< Seat: 1 of 4
< Deal: 1 left points 0 0 0 0
< Hand: 4C 7C 9C 3D JD AD 2S QS 5H 6H 9H JH KH
< Pass: 3 to 2
> QS AD KH
< Received: 0 3C KC 8D
< Hand: 3C 4C 7C 9C KC 3D 8D JD 2S 5H 6H 9H JH
< Played: 0 2C
< Play: 3C 4C 7C 9C KC
> KC
< Played: 1 KC
< Taken: 1 0
< Scored: 0 14 12 0 points 0 14 12 0
```
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from attrs import frozen

from arena import Cue, Greeting, MalformedLineError, Question, Seat
from arena.cards import RANKS, SUITS
from arena_hearts.messages import (
    DealStarted,
    Hand,
    PassCards,
    PlayCard,
    Played,
    Received,
    Scored,
    Taken,
)
from arena_hearts.rules import PASSED_CARDS

CARD = f"[{RANKS}][{SUITS}]"
ONE_CARD = re.compile(CARD)
THREE_CARDS = re.compile(" ".join([CARD] * PASSED_CARDS))


CUES = (
    Cue("^Hand: ([^ ]+ [^ ]+ [^ ]+)"),
    Cue("^Pass: ", "{}"),
    Cue("^Play: ([^ ]+)", "{}"),
)
"""The example bot passes its first three cards, and plays the first playable card."""


@frozen
class HeartsLines:
    """The lines for one seat; all lines except those of its cards are the same for all seats."""

    seat: Seat

    def tell(self, event: Any) -> Iterator[str]:
        """Return the line of an event."""
        match event:
            case Greeting(seat=seat, seats=seats):
                yield f"Seat: {seat} of {seats}"
            case DealStarted(number, direction, points):
                yield f"Deal: {number} {direction} points {join_values(points)}"
            case Hand(cards):
                yield f"Hand: {join_values(cards)}"
            case Received(seat, cards):
                yield f"Received: {seat} {join_values(cards)}"
            case Played(seat, card):
                yield f"Played: {seat} {card}"
            case Taken(seat, points):
                yield f"Taken: {seat} {points}"
            case Scored(deal, points):
                yield f"Scored: {join_values(deal)} points {join_values(points)}"

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the line of a question: the receiver of passed cards, or the playable cards."""
        match question:
            case PassCards(to=to):
                return (f"Pass: {PASSED_CARDS} to {to}",)
            case PlayCard(options):
                return (f"Play: {join_values(options)}",)
        raise TypeError(f"unknown question {type(question).__name__}")

    def read(self, question: Question[Any], line: str) -> object:
        """Return the three cards or the single card of a line."""
        if isinstance(question, PassCards):
            if not THREE_CARDS.fullmatch(line):
                raise MalformedLineError("expected three cards, such as: QS KH AH")
            return tuple(line.split(" "))
        if not ONE_CARD.fullmatch(line):
            raise MalformedLineError("expected one card, such as: QS")
        return line

    def say(self, question: Question[Any], answer: Any) -> str:
        """Return the line that a program sends for an answer."""
        return join_values(answer) if isinstance(question, PassCards) else str(answer)


def join_values(things: Iterable[object]) -> str:
    """Join values with single spaces."""
    return " ".join(map(str, things))
