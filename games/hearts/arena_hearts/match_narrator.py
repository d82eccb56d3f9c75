"""Hearts in sentences, for pages: who takes which trick, and what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena import (
    AnswerEvent,
    Greeting,
    LeadTracker,
    Mark,
    MarkedLine,
    Question,
    Seat,
    begin_sentence,
    join_words,
)
from arena.cards import Card, find_trick_winner
from arena_hearts.cards import ALL_POINTS
from arena_hearts.messages import HOLD, DealStarted, Pass, Played, Received, Scored, Taken
from arena_hearts.typed_answers import format_cards

YOU = "you"


def show_cards(cards: Iterable[Card]) -> str:
    """Write cards as they are drawn: 10♥, not T♥."""
    return format_cards(cards).replace("T", "10")


class HeartsNarrator:
    """Tells of each trick when it is taken; cards that are passed only to whoever knows them."""

    def __init__(self, seat: Seat | None, names: Sequence[str]) -> None:
        self._seat = seat
        self._names = [YOU if at == seat else name for at, name in enumerate(names)]
        self._trick: list[Card] = []

    def tell(self, event: Any) -> Iterable[str]:
        """Return the sentences on an event."""
        return [*map(begin_sentence, self._lines(event))]

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return the question."""
        if isinstance(question, Pass):
            return (f"Which three cards do you pass to {self._names[question.to]}?",)
        return (f"Which card do you {'play' if self._trick else 'lead'}?",)

    def _lines(self, event: Any) -> Iterator[str]:
        match event:
            case Greeting():
                reader_first = sorted(range(len(self._names)), key=lambda at: at != self._seat)
                players = join_words([self._names[seat] for seat in reader_first])
                yield f"{players} play Hearts. The fewest points win."
            case DealStarted(number, direction):
                self._trick = []
                passing = "nobody passes cards" if direction == HOLD else f"cards go {direction}"
                yield MarkedLine(f"Deal {number}: {passing}.", Mark.HEADING)
            case AnswerEvent(seat, Pass(to=to), cards):
                receiver = "you" if to == self._seat else self._names[to]
                verb = "pass" if seat == self._seat else "passes"
                yield f"{self._names[seat]} {verb} {show_cards(cards)} to {receiver}."
            case Received(seat, cards):
                yield f"{self._names[seat]} passes you {show_cards(cards)}."
            case Played(_, card):
                self._trick.append(card)
            case Taken(seat, points):
                yield self._mark(self._tell_trick(seat, points), seat, points)
                self._trick = []
            case Scored(deal, points):
                yield from self._tell_scores(deal, points)

    def _tell_trick(self, seat: Seat, points: int) -> str:
        card = show_cards([self._trick[find_trick_winner(self._trick)]])
        worth = f"{points} point{'' if points == 1 else 's'}" if points else "no points"
        return f"{self._does('take', seat)} the trick with {card}: {worth}."

    def _mark(self, line: str, seat: Seat, points: int) -> str:
        if self._seat is None or not points:
            return line
        return MarkedLine(line, Mark.LOST if seat == self._seat else Mark.WON)

    def _tell_scores(self, deal: Sequence[int], points: Sequence[int]) -> Iterator[str]:
        if sum(deal) != ALL_POINTS:
            yield f"{self._does('shoot', deal.index(min(deal)))} the moon!"
        yield f"This deal: {self._each(deal)}."
        yield f"Points: {self._each(points)}."

    def _does(self, verb: str, seat: Seat) -> str:
        return f"{self._names[seat]} {verb}{'' if seat == self._seat else 's'}"

    def _each(self, points: Sequence[int]) -> str:
        pairs = zip(self._names, points, strict=True)
        return ", ".join(f"{name} {had}" for name, had in pairs)


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
