"""Head to head: how often each entrant finished ahead of each other, and who beats whom in a cycle.

Results are counted for tables of any size: each two seats of a match have met, unless they are
partners.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from attrs import frozen
from scipy.special import ndtr

from arena.tournament.entries import Id
from arena.tournament.ratings.means import sum_by_deal
from arena.tournament.ratings.meeting_graph import (
    PairMeetings,
    find_shortest_cycle,
    list_meetings,
    locate_entrants,
    number_pairs,
)
from arena.tournament.ratings.rating_input import Floats, Ints, Results


@frozen(eq=False)
class HeadToHead:
    """The results of each pair of entrants that met, by their places.

    Of many thousands of entrants most have never met, so that these are columns and no matrix.
    """

    entrants: tuple[Id, ...]
    first: Ints  # (pairs,) the entrant with the lower index, in order
    second: Ints  # (pairs,) the one with the higher index, in order of those with the same first
    ahead: Ints  # (pairs,) matches that the first finished ahead of the second
    level: Ints  # (pairs,) that they shared a place
    behind: Ints  # (pairs,) that the first finished behind the second
    lead: Floats  # (pairs,) the test statistic of the first's lead: standard normal between equals
    meetings: PairMeetings

    @property
    def matches(self) -> Ints:
        """The number of matches that each pair played together; (pairs,)."""
        return self.ahead + self.level + self.behind

    def count_meetings(self) -> Ints:
        """Return the number of meetings of each entrant; (n,)."""
        return np.bincount(
            np.concatenate([self.first, self.second]), np.tile(self.matches, 2), len(self.entrants)
        ).astype(np.int64)

    def tabulate(
        self, rows: Sequence[int] | None = None, columns: Sequence[int] | None = None
    ) -> PairTable:
        """Return the results of some entrants, by index, against others; of all by default."""
        everybody = range(len(self.entrants))
        return PairTable.of(
            self,
            everybody if rows is None else rows,
            everybody if columns is None else columns,
        )


@frozen(eq=False)
class PairTable:
    """The results of some entrants against others; all arrays are (rows, columns)."""

    ahead: Ints  # matches that row finished ahead of column
    level: Ints  # that they shared a place
    behind: Ints  # that row finished behind column
    lead: Floats  # of row over column

    @classmethod
    def of(cls, duels: HeadToHead, rows: Sequence[int], columns: Sequence[int]) -> PairTable:
        """Return the table of these entrants."""
        counts = np.zeros((3, len(rows), len(columns)), np.int64)
        lead = np.zeros(counts.shape[1:])
        row, column = (locate_entrants(some, len(duels.entrants)) for some in (rows, columns))
        sides = (
            (duels.first, duels.second, (duels.ahead, duels.level, duels.behind), duels.lead),
            (duels.second, duels.first, (duels.behind, duels.level, duels.ahead), -duels.lead),
        )
        for entrant, other, columns_of, leads in sides:
            is_cell = (row[entrant] >= 0) & (column[other] >= 0)
            cells = row[entrant[is_cell]], column[other[is_cell]]
            for table, column_of in zip(counts, columns_of, strict=True):
                table[cells] = column_of[is_cell]
            lead[cells] = leads[is_cell]
        ahead, level, behind = counts
        return cls(ahead, level, behind, lead)

    @cached_property
    def matches(self) -> Ints:
        """The number of matches that each pair played together."""
        return self.ahead + self.level + self.behind

    @cached_property
    def rate(self) -> Floats:
        """The share that row won, counting shared places half; nan if they never met."""
        matches = self.matches
        points = np.where(matches > 0, self.ahead + self.level / 2, np.nan)
        return points / np.maximum(matches, 1)


def compute_head_to_head(results: Results) -> HeadToHead:
    """Count the matches of each pair of entrants that met.

    `lead` is the sum over deals of the first's wins beyond an even share, divided by the root of
    the sum of their squares: positive if it won more, 0 if both won as much, and bounded by the
    root of the number of deals. It tests the hypothesis of equality by clusters of deals, and is
    conservative with few deals (Efron, 'Student's t test under symmetry conditions', 1969).
    """
    meetings = list_meetings(results)
    first, second, pair = number_pairs(meetings, len(results.entrants))
    ahead, level, behind = (
        np.bincount(pair[meetings.margin == margin], minlength=len(first)) for margin in (1, 0, -1)
    )
    lead = compute_leads(meetings.deal, pair, meetings.margin, len(first))
    return HeadToHead(
        entrants=results.entrants,
        first=first,
        second=second,
        ahead=ahead,
        level=level,
        behind=behind,
        lead=lead,
        meetings=meetings,
    )


def compute_leads(deal: Ints, pair: Ints, margin: Ints, pairs: int) -> Floats:
    """Return the lead of the first of each pair, from all meetings; (pairs,)."""
    shape = (int(deal.max(initial=-1)) + 1, pairs)
    each = sum_by_deal(deal, pair, margin.astype(np.float64), shape)
    total = np.bincount(each.indices, each.data, pairs)
    square = np.bincount(each.indices, each.data**2, pairs)
    lead: Floats = total / np.sqrt(np.where(square > 0, square, 1))
    return lead


def find_beating_cycle(duels: HeadToHead, confidence: float = 0.95) -> tuple[Id, ...]:
    """Find a shortest cycle of entrants, in which each beats the next and the last the first.

    An entrant beats another with at least this confidence, which is that of a one-sided test of
    each pair alone, so among many pairs some pass by chance: a hundred entrants have 4,950 pairs,
    which call for 0.99999. With 0.5, any entrant that is ahead beats the other. Returns () if there
    is no cycle.
    """
    beats = (ndtr(np.abs(duels.lead)) >= confidence) & (duels.lead != 0)
    first, second, ahead = duels.first[beats], duels.second[beats], duels.lead[beats] > 0
    winner, loser = np.where(ahead, first, second), np.where(ahead, second, first)
    cycle = find_shortest_cycle(len(duels.entrants), winner, loser)
    return tuple(duels.entrants[index] for index in cycle)
