"""Briscola as people see it: the view in text, the narrator, and the turning points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena import (
    Greeting,
    LeadTracker,
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
from arena_briscola.rules import Hand, Played, Taken, Trick, count_sides

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
COURT = {"A": "ace", "K": "king", "Q": "horse", "J": "knave"}


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


def name_card(card: Card) -> str:
    """Return the words for a card.

    >>> name_card("KC"), name_card("7S")
    ('the king of Coppe', 'the 7 of Spade')
    """
    rank = rank_of(card)
    return f"the {COURT.get(rank, rank)} of {SUIT_NAMES[suit_of(card)]}"


class BriscolaTurningPoints:
    """Finds changes of the lead, of players or of pairs, as the next trick begins."""

    def __init__(self, names: Sequence[str]) -> None:
        self._sides = count_sides(len(names))
        sides = [" and ".join(names[side :: self._sides]) for side in range(self._sides)]
        self._lead = LeadTracker(sides, several=self._sides < len(names))

    def tell(self, event: Any) -> str:
        """Return a sentence where the lead changes."""
        return self._lead.update(event.scores[: self._sides]) if isinstance(event, Trick) else ""
