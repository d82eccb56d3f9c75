"""GOPS for machines that learn: every bid there is, and what a seat knows as figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from arena import Greeting, Seat
from arena_gops.rules import Gops, Hand
from arena_gops.scoreboard import Scoreboard


def actions(variant: Gops, seats: int) -> Hand:  # noqa: ARG001
    """Return every card of a suit, the lowest first."""
    return variant.suit


class GopsObservationEncoder:
    """All that a seat can know, as figures from 0 to 1.

    For each card of the prizes, the lowest first: is it up (`cards` figures), is it still face
    down (`cards`). For each seat, the own first and then in the order of play: which cards it
    holds (`cards` each). Then each seat's share of all points, and what is carried over (1).
    """

    def __init__(self, greeting: Greeting) -> None:
        self._values = greeting.variant.values
        self._own_first = (*range(greeting.seat, greeting.seats), *range(greeting.seat))
        self._board = Scoreboard(greeting.variant, greeting.seats)

    def tell(self, event: Any) -> None:
        """Take note of an event."""
        self._board.hear(event)

    def observation(self) -> list[float]:
        """Return them."""
        board, values, points = self._board, self._values, sum(self._values)
        return [
            *mark_values(values, open_prize(board)),
            *mark_values(values, board.face_down),
            *[mark for seat in self._own_first for mark in mark_hand(board, seat)],
            *[float(board.scores[seat] / points) for seat in self._own_first],
            float(board.carried / points),
        ]


def open_prize(board: Scoreboard) -> Sequence[int]:
    """Return the prize that is up, if its bids have not been shown."""
    return board.prizes[len(board.bids) :]


def mark_hand(board: Scoreboard, seat: Seat) -> list[float]:
    """Mark the cards that a seat holds."""
    return mark_values(board.variant.suit, board.hands[seat])


def mark_values(values: Iterable[int], some: Iterable[int]) -> list[float]:
    """Return 1 for each of the values that is among some; of equal ones the first are marked.

    >>> mark_values((1, 2, 2, 3), (2, 3))
    [0.0, 1.0, 0.0, 1.0]
    """
    left = Counter(some)
    figures = []
    for value in values:
        figures.append(float(left[value] > 0))
        left[value] -= 1
    return figures
