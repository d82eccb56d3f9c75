"""GOPS for programs: the line protocol of Ruby Quiz #116 (2007), to the letter, and numbers.

```
< Competition card: 12
> 10
< Opponent's bid: 3
```
The prize is the prompt. With more than two players there is one reveal for each
opponent, in seat order after one's own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from attrs import frozen

from arena import Cue, Greeting, MalformedLineError, Question, Seat
from arena_gops.rules import Bids, Gops, Hand, Prize, Scoreboard

CUES = (Cue("^Competition card: ([0-9]+)", "{}"),)
"""The example bot bids the prize's value, which is a legal bid with the usual cards."""

# No card has more than nine digits, so longer numbers are refused; leading zeros are allowed.
NUMBER = re.compile("0*([0-9]{1,9})")


@frozen
class RubyQuiz116:
    """The published lines for one seat."""

    seat: Seat

    def tell(self, event: Any) -> Iterable[str]:
        """Return the line of a prize, or a line for each opponent's bid."""
        if isinstance(event, Prize):
            return (f"Competition card: {event.card}",)
        if isinstance(event, Bids):
            others = event.cards[self.seat + 1 :] + event.cards[: self.seat]
            return [f"Opponent's bid: {card}" for card in others]
        return ()

    def ask(self, question: Question[Any]) -> Iterable[str]:
        """Return no lines: the prize is the question."""
        return ()

    def read(self, question: Question[Any], line: str) -> object:
        """Return the bid of a line: digits, ignoring blanks around them."""
        bid = NUMBER.fullmatch(line.strip(" \t"))
        if bid:
            return int(bid[1])
        raise MalformedLineError("a bid is a number, such as 10, and nothing else")

    def say(self, question: Question[Any], answer: int) -> str:
        """Return the bid as a number."""
        return str(answer)


def actions(variant: Gops, seats: int) -> Hand:  # noqa: ARG001
    """Return every card of a suit, the lowest first."""
    return variant.suit


class GopsObservationEncoder:
    """All public knowledge of a game, as numbers from 0 to 1.

    For each prize, the lowest first: whether it is up (`cards` numbers), and whether it is still
    face down (`cards`). For each seat, this one first and then in order: the cards that it holds
    (`cards` each). Then each seat's share of all points, and the points carried over (1).
    """

    def __init__(self, greeting: Greeting) -> None:
        self._values = greeting.variant.values
        self._own_first = (*range(greeting.seat, greeting.seats), *range(greeting.seat))
        self._board = Scoreboard(greeting.variant, greeting.seats)

    def tell(self, event: Any) -> None:
        """Record an event."""
        self._board.hear(event)

    def observation(self) -> list[float]:
        """Return the observation as numbers."""
        board, values, points = self._board, self._values, sum(self._values)
        return [
            *mark_values(values, open_prize(board)),
            *mark_values(values, board.face_down),
            *[mark for seat in self._own_first for mark in mark_hand(board, seat)],
            *[float(board.scores[seat] / points) for seat in self._own_first],
            float(board.carried / points),
        ]


def open_prize(board: Scoreboard) -> Sequence[int]:
    """Return the prize that is up, unless its bids have been shown."""
    return board.prizes[len(board.bids) :]


def mark_hand(board: Scoreboard, seat: Seat) -> list[float]:
    """Mark the cards that a seat holds."""
    return mark_values(board.variant.suit, board.hands[seat])


def mark_values(values: Iterable[int], some: Iterable[int]) -> list[float]:
    """Return 1 for each value that is among the present ones; of equal values mark the first.

    >>> mark_values((1, 2, 2, 3), (2, 3))
    [0.0, 1.0, 0.0, 1.0]
    """
    left = Counter(some)
    figures = []
    for value in values:
        figures.append(float(left[value] > 0))
        left[value] -= 1
    return figures
