"""GOPS for learning programs: the list of all bids, and observations as numbers."""

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
