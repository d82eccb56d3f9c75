"""Hearts for people: for a player at a seat, and for spectators, who see all hands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena import (
    AnswerEvent,
    Codec,
    Greeting,
    MalformedLineError,
    Mark,
    MarkedLine,
    PrivateEvent,
    Question,
    Seat,
)
from arena.cards import Card, Cards, format_cards
from arena_hearts.cards import ALL_POINTS
from arena_hearts.messages import (
    HOLD,
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
from arena_hearts.typed_answers import format_hand, read_cards

INTRODUCTION = (
    "Hearts: follow suit if you can; the highest card of the suit that was led takes",
    "the trick. Each heart that you take is a point, and Q♠ is 13; fewest points win.",
    "But whoever takes all 26 in a deal shoots the moon.",
)

RULES = """\
Hearts: take no points in tricks, or take them all. A deal begins with
passing: all choose three cards for another player, left, right or across,
changing from deal to deal; then comes a deal without passing. The player with
the lowest club leads it to the first trick. Each plays a card: one of the suit
that was led, or any card if the hand has none of it. The highest card of the
suit that was led takes the trick and leads the next. In the first trick of
a deal no points are played, and hearts are not led before one was played. Each
heart you take is a point, and Q♠ is 13. Whoever takes all 26 in a deal shoots
the moon: all others get 26 instead. When somebody has 100, fewest points win.
Type a card as QS or Q♠, three of them with spaces between them."""


def build_view(seat: Seat | None, names: Sequence[str]) -> Codec:
    """Return the view for a player at this seat, or for a spectator."""
    return SpectatorView(names) if seat is None else SeatView(seat, names)


class HeartsTextView:
    """Base class of both views: a line for each trick, and one for each deal."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = [*names]
        self.trick: list[tuple[Seat, Card]] = []

    def tell(self, event: Any) -> Iterable[str]:
        """Update the view after an event, and return its lines."""
        return [*self.lines(event)]  # as a list now, before the state changes

    def lines(self, event: Any) -> Iterator[str]:
        """Return the lines of public events."""
        match event:
            case DealStarted(number, direction, points):
                passing = "nobody passes cards" if direction == HOLD else f"cards go {direction}"
                self.trick = []
                yield ""
                text = f"Deal {number}: {passing}. Points: {self.each(points)}."
                yield MarkedLine(text, Mark.HEADING)
            case Played(seat, card):
                self.trick.append((seat, card))
            case Taken(seat, points):
                yield f"{self.table()} – {self.does(seat, 'take')} {describe_points(points)}."
                self.trick = []
            case Scored(deal, points):
                if sum(deal) != ALL_POINTS:
                    yield f"{self.does(deal.index(min(deal)), 'shoot')} the moon!"
                yield f"This deal: {self.each(deal)}. In all: {self.each(points)}."

    def name(self, seat: Seat) -> str:
        """Return the name of a seat, for the beginning of a sentence."""
        return self.names[seat]

    def does(self, seat: Seat, verb: str) -> str:
        """Begin a sentence: a seat does something."""
        return f"{self.name(seat)} {verb}s"

    def each(self, points: Sequence[int]) -> str:
        """List the points of each seat."""
        return ", ".join(f"{name} {had}" for name, had in zip(self.names, points, strict=True))

    def table(self) -> str:
        """List the cards on the table, each with its player."""
        return ", ".join(f"{self.names[seat]} {format_cards([card])}" for seat, card in self.trick)

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return no lines: a spectator is not asked."""
        return ()

    def read(self, question: Question[Any], line: str) -> object:
        """Return the typed cards; raise MalformedLineError with the cards that can be typed."""
        cards = read_cards(line)
        match question:
            case PassCards(options):
                if len({*cards} & {*options.cards}) != PASSED_CARDS or len(cards) != PASSED_CARDS:
                    raise MalformedLineError(f"type {PASSED_CARDS} cards that you hold")
                return cards
            case PlayCard(options):
                if len(cards) != 1 or cards[0] not in options:
                    raise MalformedLineError(f"you may play {format_cards(options)}")
                return cards[0]
        raise TypeError(f"unknown question {type(question).__name__}")

    def say(self, question: Question[Any], answer: Any) -> str:
        """Return an answer as text to type."""
        return " ".join(answer) if isinstance(question, PassCards) else str(answer)


def describe_points(points: int) -> str:
    """Describe the points of a trick."""
    return f"{points} point{'s' * (points != 1)}" if points else "it, without points"


class SeatView(HeartsTextView):
    """The view for the player at a seat, who is called `you`."""

    def __init__(self, seat: Seat, names: Sequence[str]) -> None:
        super().__init__(names)
        self.names[seat] = "you"
        self.seat = seat
        self.hand: Cards = ()

    def name(self, seat: Seat) -> str:
        """Return the name of a seat, for the beginning of a sentence."""
        return "You" if seat == self.seat else self.names[seat]

    def does(self, seat: Seat, verb: str) -> str:
        """Begin a sentence: a seat does something."""
        return f"You {verb}" if seat == self.seat else super().does(seat, verb)

    def lines(self, event: Any) -> Iterator[str]:
        """Return the lines of an event for this seat."""
        match event:
            case Greeting():
                yield from INTRODUCTION
            case Hand(cards):
                self.hand = cards
            case Taken(seat, points) if points:
                mark = Mark.LOST if seat == self.seat else Mark.WON
                yield from (MarkedLine(line, mark) for line in super().lines(event))
            case Received(seat, cards):
                yield f"{self.name(seat)} passes you {format_cards(cards)}."
            case _:
                yield from super().lines(event)

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the table, the hand and the question."""
        match question:
            case PassCards(to=to):
                asked = f"Which three cards do you pass to {self.names[to]}?"
                return (f"Your hand:  {format_hand(self.hand)}", asked)
            case PlayCard(options):
                table = f"On the table: {self.table()}" if self.trick else "You lead."
                few = f" ({format_cards(options)})" if len(options) < len(self.hand) else ""
                hand = f"Your hand:  {format_hand(self.hand)}"
                return ("", table, hand, f"Which card do you play?{few}")
        return ()


class SpectatorView(HeartsTextView):
    """The view for a spectator: the hands as dealt, the passed cards, each trick."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names)
        self.shown: list[Seat] = []  # the seats whose hand of this deal was shown

    def lines(self, event: Any) -> Iterator[str]:
        """Return the lines of an event; passed cards and hands are shown once."""
        match event:
            case PrivateEvent(seat, Hand(cards)) if seat not in self.shown:
                self.shown.append(seat)
                yield f"  {self.names[seat]} holds  {format_hand(cards)}"
            case AnswerEvent(seat, PassCards(to=to), cards):
                yield f"  {self.names[seat]} passes {format_cards(cards)} to {self.names[to]}."
            case DealStarted():
                self.shown = []
                yield from super().lines(event)
            case _:
                yield from super().lines(event)
