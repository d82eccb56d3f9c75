"""Briscola in sentences, for pages: who plays which card, who takes the trick, and the points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena import (
    Greeting,
    Mark,
    MarkedLine,
    Phrases,
    PrivateEvent,
    Question,
    Seat,
    begin_sentence,
    format_count,
    join_words,
)
from arena.cards import Card, Cards, rank_of, suit_of
from arena_briscola.descriptions import SUIT_NAMES
from arena_briscola.messages import Hand, Played, Taken, Trick
from arena_briscola.rules import count_sides

COURT = {"A": "ace", "K": "king", "Q": "horse", "J": "knave"}


def name_card(card: Card) -> str:
    """Return the words for a card.

    >>> name_card("KC"), name_card("7S")
    ('the king of Coppe', 'the 7 of Spade')
    """
    rank = rank_of(card)
    return f"the {COURT.get(rank, rank)} of {SUIT_NAMES[suit_of(card)]}"


class BriscolaNarrator:
    """Tells of cards as they are played; of those in a hand only where the viewer knows it."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._seat, self._phrases = seat, Phrases(names, seat)
        step = count_sides(len(names))
        self._sides = [range(side, len(names), step) for side in range(step)]
        self._hands: dict[Seat, Cards] = {}  # as they were told last
        self._stock = 0
        self._tricks = 0
        self._scores: list[int] = []
        self._leading = False  # is the next card the first of its trick?

    def tell(self, event: Any) -> Iterable[str]:
        """Return the sentences on an event."""
        return [*map(begin_sentence, self._lines(event))]

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the question."""
        return (f"Which card do you {'lead' if self._leading else 'play'}?",)

    def _lines(self, event: Any) -> Iterator[str]:
        phrases = self._phrases
        match event:
            case Greeting():
                yield f"{self._name_players()}. The most points win."
            case Trick():
                yield from self._tell_trick(event)
            case PrivateEvent(seat, Hand(cards)):
                yield from self._tell_hand(seat, cards)
            case Hand(cards):
                assert self._seat is not None
                yield from self._tell_hand(self._seat, cards)
            case Played(seat, card):
                verb = "lead" if self._leading else "play"
                self._leading = False
                yield f"{phrases.clause(verb, seat)} {name_card(card)}."
            case Taken(seat, points):
                yield from self._tell_winner(seat, points)

    def _name_players(self) -> str:
        """Name the players, and that they play; the reader's pair comes first."""
        if len(self._sides) == len(self._phrases.names):
            return f"{self._phrases.join(self._phrases.reader_first)} play Briscola"
        sides = sorted(self._sides, key=lambda side: self._seat not in side)
        own, other = (self._name_side(side) for side in sides)
        return f"{own} play Briscola against {other}"

    def _name_side(self, side: Iterable[Seat]) -> str:
        return self._phrases.join(sorted(side, key=lambda seat: seat != self._seat))

    def _tell_trick(self, trick: Trick) -> Iterator[str]:
        begins = trick.stock > self._stock or not self._tricks
        gone = not trick.stock and self._stock
        self._tricks += 1
        self._stock, self._scores, self._leading = trick.stock, [*trick.scores], True
        leads = self._phrases.clause("lead", trick.leader)
        yield MarkedLine(f"Trick {self._tricks}: {leads}.", Mark.HEADING)
        if begins:
            self._hands = {}
            suit = SUIT_NAMES[suit_of(trick.trump)]
            yield f"{suit} are trumps: {name_card(trick.trump)} is turned up."
        elif gone:
            yield "The stock is gone."

    def _tell_hand(self, seat: Seat, cards: Cards) -> Iterator[str]:
        """Tell the card that was drawn, or a new hand as a whole."""
        before = self._hands.get(seat)
        self._hands[seat] = cards
        new = [name_card(card) for card in cards if card not in (before or ())]
        if new:
            yield f"{self._phrases.clause('draw' if before else 'hold', seat)} {join_words(new)}."

    def _tell_winner(self, seat: Seat, points: int) -> Iterator[str]:
        side = self._sides[seat % len(self._sides)]
        worth = format_count(points, "point") if points else "no points"
        line = f"{self._phrases.clause('take', seat)} the trick: {worth}."
        yield self._phrases.mark_good(line, *side) if points else line
        for partner in side:
            self._scores[partner] += points
        scores = [f"{self._name_side(side)} {self._scores[side[0]]}" for side in self._sides]
        yield f"Points: {', '.join(scores)}."
