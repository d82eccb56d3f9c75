"""Results as columns, from which ratings are computed."""

from __future__ import annotations

import numpy as np
from attrs import define
from numpy.typing import NDArray

from arena.rules import Sides
from arena.tournament.entries import Id

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

    @classmethod
    def empty(cls, table: int) -> Results:
        """Return the results of no matches at tables of this many seats, without entrants."""
        places = np.empty((0, table), np.int64)
        return cls((), np.empty(0, np.int64), places, places, np.empty((0, table)))

    def are_partners(self, column: int, other: int) -> bool:
        """Return whether the entrants in two columns play in one team."""
        return any(column in team and other in team for team in self.teams or ())
