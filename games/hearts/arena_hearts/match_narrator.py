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
    Phrases,
    Question,
    Seat,
    begin_sentence,
    format_count,
)
from arena.cards import Card, find_trick_winner, show_cards
from arena_hearts.cards import ALL_POINTS
from arena_hearts.messages import HOLD, DealStarted, PassCards, Played, Received, Scored, Taken


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
