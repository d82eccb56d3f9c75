"""Hearts for learning programs: the list of all answers, and observations as numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any

from arena import Greeting, Seat
from arena.cards import SUITS, Card, Cards
from arena_hearts.cards import ALL_POINTS, build_pack
from arena_hearts.memory import Memory
from arena_hearts.messages import ACROSS, HOLD, LEFT, RIGHT
from arena_hearts.rules import PASSED_CARDS, Hearts

Answer = Card | Cards
DIRECTIONS = (LEFT, RIGHT, ACROSS, HOLD)


def actions(variant: Hearts, seats: int) -> Sequence[Answer]:
    """Return all cards, then all choices of three if cards are passed."""
    return _all_answers(seats) if variant.passing else build_pack(seats)


@lru_cache
def _all_answers(seats: int) -> Sequence[Answer]:
    return (*build_pack(seats), *combinations(build_pack(seats), PASSED_CARDS))


class HeartsObservationEncoder:
    """A seat's knowledge as numbers, with all seats counted from its own.

    A number for each card that it holds, that was played, that it received, that it passed to each
    seat, that each seat has played to this trick; for each suit that each seat is known to be out
    of; for each direction; whether hearts are broken; each seat's points in this deal as a share of
    26, and its earlier points as a share of the limit.
    """

    def __init__(self, greeting: Greeting) -> None:
        self._memory = Memory(greeting.seat, greeting.seats, greeting.variant)
        self._seats = (*range(greeting.seat, greeting.seats), *range(greeting.seat))

    def tell(self, event: Any) -> None:
        """Record an event."""
        self._memory.hear(event)

    def observation(self) -> list[float]:
        """Return the observation as numbers."""
        memory, seats, deck = self._memory, self._seats, build_pack(self._memory.seats)
        figures = [*mark_present(deck, memory.hand), *mark_present(deck, memory.gone)]
        figures += mark_present(deck, memory.received)
        for seat in seats:
            figures += mark_present(deck, [card for card, to in memory.given.items() if to == seat])
        on_table: dict[Seat, Card] = dict(zip(memory.order, memory.trick, strict=True))
        for seat in seats:
            figures += mark_present(deck, [on_table[seat]] if seat in on_table else [])
        for seat in seats:
            figures += mark_present(SUITS, memory.void[seat])
        figures += [*mark_present(DIRECTIONS, [memory.direction]), float(memory.hearts_broken)]
        figures += clip_shares((memory.taken[seat] for seat in seats), ALL_POINTS)
        return figures + clip_shares((memory.points[seat] for seat in seats), memory.variant.limit)


def mark_present(things: Iterable[str], which: Collection[str]) -> list[float]:
    """Return 1 for each item that is present, 0 for the others."""
    return [float(thing in which) for thing in things]


def clip_shares(points: Iterable[int], most: int) -> list[float]:
    """Return points as shares of a maximum, clipped to 0 and 1."""
    return [min(max(had / most, 0.0), 1.0) for had in points]
