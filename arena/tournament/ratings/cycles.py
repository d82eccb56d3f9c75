"""Cycles of entrants that beat each other, which no ranking can show."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray
from scipy.special import ndtr

from arena.tournament.models.result_columns import Ints
from arena.tournament.models.schedule import Id
from arena.tournament.ratings.head_to_head import HeadToHead

Bools = NDArray[np.bool_]


@frozen(eq=False)
class Dominance:
    """The pairs of entrants of which one beats the other."""

    entrants: tuple[Id, ...]
    beats: Bools  # (n, n) row beats column
    cycle: tuple[Id, ...]
    """A shortest cycle, in which each beats the next and the last beats the first, or ()."""

    @property
    def transitive(self) -> bool:
        """Whether there is an order in which no entrant is beaten by one below it."""
        return not self.cycle


def find_dominance(duels: HeadToHead, confidence: float = 0.95) -> Dominance:
    """Find a shortest cycle of entrants that beat each other with at least this confidence.

    The confidence is that of a one-sided test of each pair alone, so among many pairs some pass by
    chance: a hundred entrants have 4,950 pairs, which call for 0.99999. With 0.5, any entrant that
    is ahead beats the other.
    """
    sure = np.asarray(ndtr(duels.lead))
    beats = (sure >= confidence) & (duels.lead > 0)
    cycle = tuple(duels.entrants[index] for index in find_shortest_cycle(beats))
    return Dominance(duels.entrants, beats, cycle)


def find_shortest_cycle(beats: Bools) -> list[int]:
    """Return a shortest cycle of this relation, as indices, or an empty tuple."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import shortest_path

    if not beats.any():
        return []
    length, before = shortest_path(csr_array(beats), unweighted=True, return_predecessors=True)
    round_trip = np.where(beats, length.T + 1, np.inf)
    first, second = divmod(int(round_trip.argmin()), len(beats))
    if not np.isfinite(round_trip[first, second]):
        return []
    return [first, *trace_path(before.astype(np.int64), second, first)]


def trace_path(before: Ints, start: int, end: int) -> list[int]:
    """Return the path from start up to, but without, end, along the predecessors in `before`."""
    way: list[int] = []
    here = end
    while here != start:
        here = int(before[start, here])
        way.append(here)
    return way[::-1]
