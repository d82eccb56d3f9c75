"""Results as columns, from which ratings are computed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from attrs import define
from numpy.typing import NDArray

from arena.rules import Sides
from arena.tournament.models import Id

Ints = NDArray[np.int64]
"""A column of whole numbers."""

Floats = NDArray[np.float64]
"""A column of numbers."""


@define(eq=False, frozen=True)
class Results:
    """All matches that count, one row each, without void matches.

    Tables may differ in size: at an empty seat `seats` is -1, `places` 0 and `scores` nan.
    """

    entrants: tuple[Id, ...]  #: the entrants by index
    deal: Ints  #: (matches,) the number of each match's deal, the unit of all intervals
    seats: Ints  #: (matches, table) the entrant at each seat, as an index into `entrants`
    places: Ints  #: (matches, table) 1 the best, equals share the better place
    scores: Floats  #: (matches, table) more is better
    #: the columns of each team, where partners are drawn; None: nobody has partners of another name
    teams: Sides | None = None

    def are_partners(self, column: int, other: int) -> bool:
        """Return whether who sits in two columns plays in one team."""
        return any(column in team and other in team for team in self.teams or ())


SEAT = np.dtype([
    ("deal", np.int32), ("seat", np.int16), ("entrant", np.int32),
    ("place", np.int16), ("score", np.float64),
])  # fmt: skip
SEAT_COLUMNS = SEAT.names or ()
"""The columns of the store's table of seats from which results are built."""
NOT_CHOSEN = -2


def build_results(
    chunks: Iterable[Sequence[tuple[Any, ...]]],
    numbers: Sequence[int],
    entrants: tuple[Id, ...],
    teams: Sides | None,
) -> Results:
    """Combine rows of seats into one row per match; seat 0 starts a match.

    Args:
        chunks: `SEAT_COLUMNS` of all seats, in the order of matches.
        numbers: by which the rows name the chosen entrants.
        entrants: the same.
        teams: of a match, as `Results` has them.
    """
    rows = np.concatenate([np.empty(0, SEAT), *(np.fromiter(chunk, SEAT) for chunk in chunks)])
    first = rows["seat"] == 0
    match, seat = np.cumsum(first) - 1, rows["seat"]
    shape = (int(first.sum()), int(seat.max(initial=-1)) + 1)
    index = np.full(max(numbers, default=0) + 1, NOT_CHOSEN)
    index[np.array(numbers, np.int64)] = np.arange(len(numbers))
    sat, places, scores = np.full(shape, -1), np.zeros(shape, np.int64), np.full(shape, np.nan)
    known = rows["entrant"] < len(index)
    sat[match, seat] = np.where(known, index[np.where(known, rows["entrant"], 0)], NOT_CHOSEN)
    places[match, seat] = rows["place"]
    scores[match, seat] = rows["score"]
    counts = (sat != NOT_CHOSEN).all(axis=1)  # all seats have chosen entrants
    deal = rows["deal"][first].astype(np.int64)
    return Results(entrants, deal[counts], sat[counts], places[counts], scores[counts], teams)
