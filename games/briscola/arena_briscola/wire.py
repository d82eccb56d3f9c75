"""Briscola for programs: its lines, and observations as numbers for learning programs.

```
< Trick: you 1 leader 0 trump 5D stock 34 points 0 0
< Played: 0 4B
< Play: 3C KD 7B
> 7B
< Played: 1 7B
< Taken: 1 0
```
The last line before an answer lists all cards that may be played.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import permutations
from typing import Any

from attrs import frozen

from arena import Cue, Greeting, MalformedLineError, Question, Seat
from arena.cards import Card, Cards, rank_of, suit_of
from arena_briscola.rules import (
    FULL_PACK,
    RANKS,
    SUITS,
    Briscola,
    Hand,
    Played,
    Taken,
    Trick,
    build_pack,
    count_points,
)

CUES = (Cue("^Play: ([^ ]+)", "{}"),)
"""The example bot plays the first card."""


@frozen
class BriscolaLines:
    """The lines for one seat; only `you` and the hand differ between seats."""

    seat: Seat

    def tell(self, event: Any) -> Iterable[str]:
        """Return the line of an event; the hand follows with the question."""
        match event:
            case Trick(leader, trump, stock, scores):
                table = f"leader {leader} trump {trump} stock {stock}"
                return [f"Trick: you {self.seat} {table} points {' '.join(map(str, scores))}"]
            case Played(seat, card):
                return [f"Played: {seat} {card}"]
            case Taken(seat, points):
                return [f"Taken: {seat} {points}"]
        return []

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the line that asks for a card of the hand."""
        hand: Any = question.options
        return [f"Play: {' '.join(hand)}"]

    def read(self, question: Question[Any], line: str) -> object:
        """Return the card of a line, ignoring blanks around it."""
        card = line.strip(" \t")
        if card not in FULL_PACK:
            raise MalformedLineError("expected a card, such as 3C, and nothing else")
        return card

    def say(self, question: Question[Any], answer: Any) -> str:
        """Return the line of a card."""
        return str(answer)


POINTS_PER_DEAL = count_points(FULL_PACK)


def actions(variant: Briscola, seats: int) -> Cards:  # noqa: ARG001  # all variants have these
    """Return all cards that can be played, in the order of the pack."""
    return build_pack(seats)


class BriscolaObservationEncoder:
    """The own hand, the trick, the cards that are gone, the trump, the stock, the scores.

    Suits have no names here but parts: the trump comes first, then the suit that was led, then the
    others by their cards in sight, those in the hand before all. So what is learned of one suit
    holds for each. `rename` says what a card is called. With three players the suits differ, as
    one lacks a card, and keep their names.

    Cards are marked in the order of the pack: those held, those of the trick by each of the
    others (the next seat first), those played before it in this deal, the one turned up.
    Four figures mark its suit, one says how much of the pack is still in the stock, and one
    for each seat its share of all points there are, the own first.
    """

    def __init__(self, greeting: Greeting) -> None:
        self._own_first = (*range(greeting.seat, greeting.seats), *range(greeting.seat))
        self._cards = build_pack(greeting.seats)
        self._places = {card: place for place, card in enumerate(self._cards)}
        self._most = POINTS_PER_DEAL * greeting.variant.deals
        self._trick: Trick | None = None
        self._hand: Cards = ()
        self._laid: list[tuple[Seat, Card]] = []  # in this trick
        self._gone: list[Card] = []  # in the tricks before, of this deal
        self._names: Mapping[Card, Card] | None = None  # None: something has happened since

    def tell(self, event: Any) -> None:
        """Record an event."""
        self._names = None
        match event:
            case Trick(stock=stock):
                fresh = self._trick is None or stock > self._trick.stock
                self._gone = [] if fresh else self._gone + [card for _, card in self._laid]
                self._trick, self._laid = event, []
            case Hand(cards):
                self._hand = cards
            case Played(seat, card):
                self._laid.append((seat, card))
                self._hand = tuple(held for held in self._hand if held != card)

    def rename(self, card: Card) -> Card:
        """Return what the observation calls a card."""
        if self._names is None:
            self._names = self._name_cards()
        return self._names[card]

    def observation(self) -> list[float]:
        """Return the observation as numbers."""
        trick = self._trick
        figures = self._mark(self._hand)
        for seat in self._own_first[1:]:
            figures += self._mark([card for by, card in self._laid if by == seat])
        figures += self._mark(self._gone) + self._mark([trick.trump] if trick else [])
        trump = suit_of(self.rename(trick.trump)) if trick else ""
        figures += [float(suit == trump) for suit in SUITS]
        figures.append(trick.stock / len(self._cards) if trick else 0.0)
        scores = trick.scores if trick else (0,) * len(self._own_first)
        return figures + [scores[seat] / self._most for seat in self._own_first]

    def _mark(self, cards: Iterable[Card]) -> list[float]:
        """Return 1 for each card that is present, 0 for the others."""
        figures = [0.0] * len(self._cards)
        for card in cards:
            figures[self._places[self.rename(card)]] = 1.0
        return figures

    def _name_cards(self) -> Mapping[Card, Card]:
        """Return what each card is called now."""
        if self._trick is None or len(self._cards) < len(FULL_PACK):
            return KEPT_NAMES
        laid = [card for _, card in self._laid]
        seen = dict.fromkeys(SUITS, 0)
        for pile in (self._hand, *((card,) for card in laid), self._gone):
            for suit in SUITS:
                seen[suit] <<= len(RANKS)
            for card in pile:
                seen[suit_of(card)] |= 1 << RANKS.index(rank_of(card))
        parts = [suit_of(self._trick.trump), *map(suit_of, laid[:1])]
        parts += sorted(SUITS, key=lambda suit: -seen[suit])
        return NAMES_BY_ORDER["".join(dict.fromkeys(parts))]


KEPT_NAMES = {card: card for card in FULL_PACK}
NAMES_BY_ORDER = {
    "".join(order): {
        rank + suit: rank + name for suit, name in zip(order, SUITS, strict=True) for rank in RANKS
    }
    for order in permutations(SUITS)
}
"""What each card is called, by the suits in the order of their parts."""
