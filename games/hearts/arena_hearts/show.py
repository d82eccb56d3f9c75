"""Hearts as people see it: the view in text, typed cards, the board, and the narrator."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from arena import (
    AnswerEvent,
    Codec,
    Greeting,
    LeadTracker,
    MalformedLineError,
    Mark,
    MarkedLine,
    Phrases,
    PrivateEvent,
    Question,
    Seat,
    Zone,
    ZoneKind,
    begin_sentence,
    format_count,
)
from arena.cards import (
    RANKS,
    SUIT_SYMBOLS,
    SUITS,
    Card,
    Cards,
    filter_suit,
    find_trick_winner,
    format_cards,
    rank_of,
    remove_cards,
    show_cards,
)
from arena_hearts.rules import (
    ALL_POINTS,
    HOLD,
    PASSED_CARDS,
    DealStarted,
    Hand,
    PassCards,
    PlayCard,
    Played,
    Received,
    Scored,
    Taken,
    build_pack,
)

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


def format_hand(hand: Cards) -> str:
    """Format a hand with each suit once."""
    held = ((symbol, filter_suit(hand, suit)) for suit, symbol in SUIT_SYMBOLS.items())
    return "  ".join(f"{symbol} {' '.join(map(rank_of, cards))}" for symbol, cards in held if cards)


def describe_points(points: int) -> str:
    """Describe the points of a trick."""
    return format_count(points, "point") if points else "it, without points"


LETTERS = str.maketrans({symbol: suit for suit, symbol in SUIT_SYMBOLS.items()})
SEPARATORS = re.compile("\N{VARIATION SELECTOR-16}|[,;]")  # allowed between and after cards


def read_cards(line: str) -> Cards:
    """Return the cards of a line, typed as `Q♠` or `qs`; raise MalformedLineError with a hint."""
    return tuple(map(read_card, SEPARATORS.sub(" ", line).split()))


def read_card(typed: str) -> Card:
    """Return the typed card; its suit is a letter or a symbol."""
    card = typed.translate(LETTERS).upper().replace("10", "T")
    if re.fullmatch(f"[{RANKS}][{SUITS}]", card):
        return card
    raise MalformedLineError(f"{typed} is not a card; type the queen of spades as QS or Q♠")


class HeartsBoardView:
    """The zones of Hearts as one viewer sees them: all card counts, and the faces it may know."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._names, self._first = names, seat or 0
        self._known: dict[Seat, Cards] = {}  # the hands that this viewer sees
        self._counts = [0] * len(names)
        self._trick: list[tuple[Seat, Card]] = []
        self._points = [0] * len(names)  # points of all deals so far
        self._taken = [0] * len(names)  # points of this deal
        self._deal = "Hearts"
        self._news = ""
        self._winner = 0  # the place in the trick of the card that took it

    def tell(self, event: Any) -> None:
        """Update the zones after an event."""
        match event:
            case DealStarted(number, direction, points):
                passing = "nobody passes" if direction == HOLD else f"cards go {direction}"
                self._deal, self._news = f"Deal {number}: {passing}", ""
                self._points, self._taken = [*points], [0] * len(points)
                self._counts = [len(build_pack(len(points))) // len(points)] * len(points)
                self._known, self._trick = {}, []
            case PrivateEvent(seat, Hand(cards)):
                self._known[seat] = cards
            case Hand(cards):
                self._known[self._first] = cards
            case PrivateEvent(seat, Received(_, cards)):
                self._known[seat] = self._known.get(seat, ()) + cards
            case Received(_, cards):
                self._known[self._first] = self._known.get(self._first, ()) + cards
            case AnswerEvent(seat, PassCards(), cards):
                self._remove_cards(seat, cards)
            case _:
                self._play(event)

    def _play(self, event: Any) -> None:
        match event:
            case Played(seat, card):
                if self._news:
                    self._trick, self._news = [], ""
                self._trick.append((seat, card))
                self._counts[seat] -= 1
                self._remove_cards(seat, (card,))
            case Taken(seat, points):
                self._taken[seat] += points
                self._winner = [player for player, _ in self._trick].index(seat)
                self._news = f"{self._names[seat]} takes {describe_points(points)}"
            case Scored(_, points):
                self._points, self._taken = [*points], [0] * len(points)
            case Greeting():
                self._counts = [0] * event.seats

    def _remove_cards(self, seat: Seat, cards: Cards) -> None:
        if seat in self._known:
            self._known[seat] = remove_cards(self._known[seat], cards)

    @property
    def zones(self) -> Mapping[str, Zone]:
        """Return the zones: the other hands, the trick, the viewer's hand."""
        seats = range(len(self._names))
        order = [*seats[self._first + 1 :], *seats[: self._first]]
        return {
            **{f"hand{seat}": self._hand(seat) for seat in order},
            "trick": Zone(
                kind=ZoneKind.TABLE,
                title=self._deal,
                cards=tuple(card for _, card in self._trick),
                seats=tuple(seat for seat, _ in self._trick),
                text=self._news,
                won=(self._winner,) if self._news else (),
            ),
            f"hand{self._first}": self._hand(self._first),
        }

    def _hand(self, seat: Seat) -> Zone:
        known = self._known.get(seat, ())
        points = self._points[seat] + self._taken[seat]
        return Zone(
            kind=ZoneKind.HAND,
            title=self._names[seat],
            of=seat,
            cards=known,
            hidden=0 if known else self._counts[seat],
            text=format_count(points, "point"),
        )


class HeartsNarrator:
    """Tells of each trick when it is taken; cards that are passed only to whoever knows them."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._phrases = Phrases(names, seat)
        self._trick: list[Card] = []

    def tell(self, event: Any) -> Iterable[str]:
        """Return the sentences on an event."""
        return [*map(begin_sentence, self._lines(event))]

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the question."""
        if isinstance(question, PassCards):
            return (f"Which three cards do you pass to {self._phrases.name(question.to)}?",)
        return (f"Which card do you {'play' if self._trick else 'lead'}?",)

    def _lines(self, event: Any) -> Iterator[str]:
        phrases = self._phrases
        match event:
            case Greeting():
                yield f"{phrases.join(phrases.reader_first)} play Hearts. The fewest points win."
            case DealStarted(number, direction):
                self._trick = []
                passing = "nobody passes cards" if direction == HOLD else f"cards go {direction}"
                yield MarkedLine(f"Deal {number}: {passing}.", Mark.HEADING)
            case AnswerEvent(seat, PassCards(to=to), cards):
                passes = f"{phrases.clause('pass', seat)} {show_cards(cards)}"
                yield f"{passes} to {phrases.name(to)}."
            case Received(seat, cards):
                yield f"{phrases.clause('pass', seat)} you {show_cards(cards)}."
            case Played(_, card):
                self._trick.append(card)
            case Taken(seat, points):
                line = self._tell_trick(seat, points)
                yield phrases.mark_bad(line, seat) if points else line
                self._trick = []
            case Scored(deal, points):
                yield from self._tell_scores(deal, points)

    def _tell_trick(self, seat: Seat, points: int) -> str:
        card = show_cards([self._trick[find_trick_winner(self._trick)]])
        worth = format_count(points, "point") if points else "no points"
        return f"{self._phrases.clause('take', seat)} the trick with {card}: {worth}."

    def _tell_scores(self, deal: Sequence[int], points: Sequence[int]) -> Iterator[str]:
        if sum(deal) != ALL_POINTS:
            yield f"{self._phrases.clause('shoot', deal.index(min(deal)))} the moon!"
        yield f"This deal: {self._phrases.list_values(deal)}."
        yield f"Points: {self._phrases.list_values(points)}."


class HeartsTurningPoints:
    """Finds who takes the queen of spades, who shoots the moon, and changes of the lead."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._lead = LeadTracker(names, fewest=True)
        self._trick: list[Card] = []

    def tell(self, event: Any) -> str:
        """Return a sentence on such a moment."""
        match event:
            case Played(_, card):
                self._trick.append(card)
            case Taken(seat):
                trick, self._trick = self._trick, []
                return f"{self._names[seat]} takes the queen of spades" if "QS" in trick else ""
            case Scored(deal, points):
                change = self._lead.update(points)
                if sum(deal) != ALL_POINTS:
                    return f"{self._names[deal.index(min(deal))]} shoots the moon"
                return change
        return ""
