"""Rows of the store's table of seats as columns: results, and sums for each entrant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from arena.rules import Sides
from arena.tournament.entries import Id
from arena.tournament.ratings.rating_input import Floats, Ints, Results

Rows = NDArray[np.void]
"""A row for each seat, in the order of matches."""

ROW = np.dtype([
    ("deal", np.int64), ("packed", np.int64), ("score", np.float64), ("used", np.float64),
])  # fmt: skip
PLACE, ENTRANT = 16, 32  # the bits of `packed` above its seat, and whether its process stays
NOT_CHOSEN = -2


def read_rows(rows: Iterable[tuple[Any, ...]]) -> Rows:
    """Return rows of a cursor, which have the columns of `ROW`."""
    return np.fromiter(rows, ROW)


@frozen(eq=False)
class SeatSums:
    """Sums over the seats of each entrant, by its number."""

    matches: Floats
    seconds: Floats
    slowest: Floats
    many_games: Floats  # matches of a process that plays more of them

    @classmethod
    def of(cls, field_size: int) -> Self:
        """Return sums over nothing."""
        return cls(*np.zeros((4, field_size + 1)))

    def add(self, rows: Rows) -> None:
        """Add seats."""
        entrant, size = rows["packed"] >> ENTRANT, len(self.matches)
        mask = entrant < size  # not who has entered meanwhile
        entrant, seconds, many_games = entrant[mask], rows["used"][mask], rows["packed"][mask] & 1
        self.matches[:] += np.bincount(entrant, minlength=size)
        self.seconds[:] += np.bincount(entrant, seconds, size)
        self.many_games[:] += np.bincount(entrant, many_games, size)
        np.maximum.at(self.slowest, entrant, seconds)

    def count_matches(self, number: int) -> int:
        """Return the number of an entrant's matches."""
        return int(self.matches[number])

    def compute_mean(self, number: int) -> float:
        """Return the mean time that an entrant took for a match, in seconds."""
        return float(self.seconds[number]) / max(self.count_matches(number), 1)


@frozen(eq=False)
class ResultColumns:
    """The columns of `Results`, of some deals."""

    deal: Ints
    seats: Ints
    places: Ints
    scores: Floats

    @classmethod
    def of(cls, rows: Rows, numbers: Sequence[int]) -> Self:
        """Combine rows of seats into one row per match; seat 0 starts a match.

        `numbers` are those by which the rows name the chosen entrants. A match counts if all of
        its seats have chosen entrants.
        """
        packed = rows["packed"]
        seat, entrant = (packed & ((1 << PLACE) - 1)) >> 1, packed >> ENTRANT
        first = seat == 0
        match = np.cumsum(first) - 1
        shape = (int(first.sum()), int(seat.max(initial=-1)) + 1)
        index = np.full(max(numbers, default=0) + 1, NOT_CHOSEN)
        index[np.array(numbers, np.int64)] = np.arange(len(numbers))
        seats, places, scores = (
            np.full(shape, -1),
            np.zeros(shape, np.int64),
            np.full(shape, np.nan),
        )
        mask = entrant < len(index)
        seats[match, seat] = np.where(mask, index[np.where(mask, entrant, 0)], NOT_CHOSEN)
        places[match, seat] = (packed >> PLACE) & ((1 << (ENTRANT - PLACE)) - 1)
        scores[match, seat] = rows["score"]
        counts = (seats != NOT_CHOSEN).all(axis=1)
        return cls(rows["deal"][first][counts], seats[counts], places[counts], scores[counts])


def join_results(
    parts: Sequence[ResultColumns], entrants: tuple[Id, ...], teams: Sides | None
) -> Results:
    """Return the results of consecutive deals as one, as wide as the largest table."""
    table = max((part.seats.shape[1] for part in parts), default=0)
    deal = np.concatenate([np.empty(0, np.int64), *(part.deal for part in parts)])
    seats, places, scores = (
        np.concatenate([
            np.empty((0, table), empty.dtype),
            *(_widen(getattr(part, name), table, empty) for part in parts),
        ])
        for name, empty in (
            ("seats", np.int64(-1)), ("places", np.int64(0)), ("scores", np.float64(np.nan)),
        )
    )  # fmt: skip
    return Results(entrants, deal, seats, places, scores, teams)


def _widen(column: NDArray[Any], table: int, empty: np.generic) -> NDArray[Any]:
    """Return a column (matches, seats) with further, empty seats."""
    more = table - column.shape[1]
    return np.pad(column, ((0, 0), (0, more)), constant_values=empty) if more else column
