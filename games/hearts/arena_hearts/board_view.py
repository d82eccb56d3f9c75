"""Hearts as zones: the hands (a player sees its own), and the trick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from arena import AnswerEvent, Greeting, PrivateEvent, Seat, Zone, ZoneKind
from arena.cards import Card, Cards, remove_cards
from arena_hearts.cards import build_pack
from arena_hearts.messages import (
    HOLD,
    DealStarted,
    Hand,
    PassCards,
    Played,
    Received,
    Scored,
    Taken,
)
from arena_hearts.text_view import describe_points


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
            text=f"{points} point{'s' * (points != 1)}",
        )
