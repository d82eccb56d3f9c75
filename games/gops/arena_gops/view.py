"""GOPS for people: ♣ are one's own cards, ♠ the other player's, ♦ the prizes.

A person at a seat sees before each bid all that can be known: the points, the bids so
far, the cards that are left. Those who watch get two lines a round.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from arena import Codec, Greeting, Question, Seat
from arena_gops.faces import OTHER, OWN, PRIZE, Faces
from arena_gops.rules import Bids, Gops, Prize
from arena_gops.scoreboard import Scoreboard
from arena_gops.words import ORDERS, TIES, does, listed, points, won

LAST = 15  # rounds of bids are shown to a person, which fit one line


def view(seat: Seat | None, names: Sequence[str]) -> Codec:
    """Give the lines for the person at this seat, or for one who watches."""
    return Watching(names) if seat is None else Seated(names, seat)


class Watching:
    """The lines for one who watches: a line for the prize, a line for the bids."""

    board: Scoreboard
    faces: Faces

    def __init__(self, names: Sequence[str], first: Seat = 0) -> None:
        self.names = list(names)
        self.order = [*range(first, len(names)), *range(first)]  # in which players are shown
        pair = len(names) == len(OWN + OTHER)  # with more players, names stand for suits
        self.suits = dict(zip(self.order, OWN + OTHER if pair else OWN, strict=False))

    def tell(self, event: Any) -> Iterable[str]:
        """Give the lines for what happens; answers are shown when all of them are in."""
        match event:
            case Greeting():
                self.board = Scoreboard(event.variant, event.seats)
                self.faces = Faces(event.variant.cards)
                return self.rules(event.variant)
            case Prize():
                self.board.hear(event)
                return self.turned_up()
            case Bids():
                stake = self.board.stake
                self.board.hear(event)
                return [self.bids(stake), *self.result()]
        return ()
