"""GOPS for machines that learn: every bid there is, and what a seat knows as figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from arena import Greeting, Seat
from arena_gops.rules import Gops, Hand
from arena_gops.scoreboard import Scoreboard


def actions(variant: Gops, seats: int) -> Hand:  # noqa: ARG001
    """Give every card of a suit, the lowest first."""
    return variant.suit


def encode(events: Sequence[Any]) -> list[float]:
    """Give all that can be known, as figures from 0 to 1.

    For each card of the prizes, the lowest first: is it up (`cards` figures), is it still face
    down (`cards`). For each seat, the own first and then in the order of play: which cards it
    holds (`cards` each). Then each seat's share of all points, and what is carried over (1).
    """
    greeting, *told = events
    board = heard(greeting, told)
    values, points = greeting.variant.values, sum(greeting.variant.values)
    own_first = (*range(greeting.seat, greeting.seats), *range(greeting.seat))
    return [
        *marks(values, up(board)),
        *marks(values, board.face_down),
        *[mark for seat in own_first for mark in held(board, seat)],
        *[float(board.scores[seat] / points) for seat in own_first],
        float(board.carried / points),
    ]


def heard(greeting: Greeting, told: Iterable[Any]) -> Scoreboard:
    """Give the score after these events."""
    board = Scoreboard(greeting.variant, greeting.seats)
    for event in told:
        board.hear(event)
    return board


def up(board: Scoreboard) -> Sequence[int]:
    """Give the prize that is up, if its bids have not been shown."""
    return board.prizes[len(board.bids) :]


def held(board: Scoreboard, seat: Seat) -> list[float]:
    """Mark the cards that a seat holds."""
    return marks(board.variant.suit, board.hands[seat])


def marks(values: Iterable[int], some: Iterable[int]) -> list[float]:
    """Give 1 for each of the values that is among some; of equal ones the first are marked.

    >>> marks((1, 2, 2, 3), (2, 3))
    [0.0, 1.0, 0.0, 1.0]
    """
    left = Counter(some)
    figures = []
    for value in values:
        figures.append(float(left[value] > 0))
        left[value] -= 1
    return figures
