"""Hearts for programs: its line protocol, and observations as numbers for learning programs.

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
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any

from attrs import frozen

from arena import Cue, Greeting, MalformedLineError, Question, Seat
from arena.cards import RANKS, SUITS, Card, Cards
from arena_hearts.memory import Memory
from arena_hearts.rules import (
    ACROSS,
    ALL_POINTS,
    HOLD,
    LEFT,
    PASSED_CARDS,
    RIGHT,
    DealStarted,
    Hand,
    Hearts,
    PassCards,
    PlayCard,
    Played,
    Received,
    Scored,
    Taken,
    build_pack,
)

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


Answer = Card | Cards
DIRECTIONS = (LEFT, RIGHT, ACROSS, HOLD)


def actions(variant: Hearts, seats: int) -> Sequence[Answer]:
    """Return all cards, then all choices of three if cards are passed."""
    return _all_answers(seats) if variant.passing else build_pack(seats)


@lru_cache
def _all_answers(seats: int) -> Sequence[Answer]:
    return (*build_pack(seats), *combinations(build_pack(seats), PASSED_CARDS))


class HeartsObservationEncoder:
    """A seat's knowledge as numbers, with all seats counted from its own.

    A number for each card that it holds, that was played, that it received, that it passed to each
    seat, that each seat has played to this trick; for each suit that each seat is known to be out
    of; for each direction; whether hearts are broken; each seat's points in this deal as a share of
    26, and its earlier points as a share of the limit.
    """

    def __init__(self, greeting: Greeting) -> None:
        self._memory = Memory(greeting.seat, greeting.seats, greeting.variant)
        self._seats = (*range(greeting.seat, greeting.seats), *range(greeting.seat))

    def tell(self, event: Any) -> None:
        """Record an event."""
        self._memory.tell(event)

    def observation(self) -> list[float]:
        """Return the observation as numbers."""
        memory, seats, deck = self._memory, self._seats, build_pack(self._memory.seats)
        figures = [*mark_present(deck, memory.hand), *mark_present(deck, memory.gone)]
        figures += mark_present(deck, memory.received)
        for seat in seats:
            figures += mark_present(deck, [card for card, to in memory.given.items() if to == seat])
        on_table: dict[Seat, Card] = dict(zip(memory.order, memory.trick, strict=True))
        for seat in seats:
            figures += mark_present(deck, [on_table[seat]] if seat in on_table else [])
        for seat in seats:
            figures += mark_present(SUITS, memory.void[seat])
        figures += [*mark_present(DIRECTIONS, [memory.direction]), float(memory.hearts_broken)]
        figures += clip_shares((memory.taken[seat] for seat in seats), ALL_POINTS)
        return figures + clip_shares((memory.points[seat] for seat in seats), memory.variant.limit)


def mark_present(things: Iterable[str], which: Collection[str]) -> list[float]:
    """Return 1 for each item that is present, 0 for the others."""
    return [float(thing in which) for thing in things]


def clip_shares(points: Iterable[int], most: int) -> list[float]:
    """Return points as shares of a maximum, clipped to 0 and 1."""
    return [min(max(had / most, 0.0), 1.0) for had in points]
