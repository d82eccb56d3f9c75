"""Head-to-head results of all pairs, for tables of any size."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from attrs import frozen

from arena.tournament.models.result_columns import Floats, Ints, Results
from arena.tournament.models.schedule import Id
from arena.tournament.ratings.deal_clusters import number_deals, sum_by_deal


@frozen(eq=False)
class HeadToHead:
    """The results of each pair of entrants by their places; row against column."""

    entrants: tuple[Id, ...]
    ahead: Ints  # (n, n) matches that row finished ahead of column
    level: Ints  # (n, n) that they shared a place
    behind: Ints  # (n, n) that row finished behind column
    lead: Floats  # (n, n) the test statistic of row's lead: standard normal between equals

    @property
    def matches(self) -> Ints:
        """The number of matches that each pair played together; (n, n)."""
        return self.ahead + self.level + self.behind

    @property
    def rate(self) -> Floats:
        """Return the share that row won, counting shared places half; nan if they never met."""
        met = self.matches
        won = np.where(met > 0, self.ahead + self.level / 2, np.nan)
        return won / np.maximum(met, 1)


def compute_head_to_head(results: Results) -> HeadToHead:
    """Count the matches of each pair of entrants.

    `lead` is the sum over deals of row's wins beyond an even share, divided by the root of the sum
    of their squares: positive if row won more, 0 if they never met, and bounded by the root of the
    number of deals. It tests the hypothesis of equality by clusters of deals, and is conservative
    with few deals (Efron, 'Student's t test under symmetry conditions', 1969).
    """
    n = len(results.entrants)
    met = list_meetings(results)
    pair = met.first * n + met.second
    counts = [np.bincount(pair[met.margin == margin], minlength=n * n) for margin in (1, 0, -1)]
    ahead, level, behind = (count.reshape(n, n) for count in counts)
    lead = compute_leads(met, n)
    return HeadToHead(
        results.entrants, ahead + behind.T, level + level.T, behind + ahead.T, lead - lead.T
    )


@frozen(eq=False)
class PairMeetings:
    """All meetings of two entrants at a table; all arrays are (meetings,)."""

    deal: Ints  # numbered without gaps
    first: Ints  # the entrant with the lower index
    second: Ints  # the entrant with the higher index
    margin: Ints  # 1 where the first finished ahead, 0 level, -1 behind


def list_meetings(results: Results) -> PairMeetings:
    """Return all meetings, of every two seats."""
    deal, nobody = number_deals(results), np.zeros(0, np.int64)
    parts = [(nobody, nobody, nobody, nobody)]
    for seat, other in combinations(range(results.seats.shape[1]), 2):
        first, second = results.seats[:, seat], results.seats[:, other]
        both = (first >= 0) & (second >= 0) & (first != second)
        margin = np.sign(results.places[:, other] - results.places[:, seat])
        margin = np.where(first < second, margin, -margin)
        lower, upper = np.minimum(first, second), np.maximum(first, second)
        parts.append((deal[both], lower[both], upper[both], margin[both]))
    return PairMeetings(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def compute_leads(met: PairMeetings, n: int) -> Floats:
    """Return the lead of the first over the second, for a lower and a higher index; (n, n)."""
    shape = (int(met.deal.max(initial=-1)) + 1, n * n)
    each = sum_by_deal(met.deal, met.first * n + met.second, met.margin.astype(np.float64), shape)
    total = np.bincount(each.indices, each.data, n * n)
    square = np.bincount(each.indices, each.data**2, n * n)
    lead: Floats = total / np.sqrt(np.where(square > 0, square, 1))
    return lead.reshape(n, n)
