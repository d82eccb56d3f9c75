"""Groups in which all pairs of entrants meet about equally often.

Groups are filled one after the other with entrants who have met each other least, and then
improved: two members of different groups change places if that lowers the sum of squared meetings
over all pairs, which is least when all pairs have met equally often.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
from attrs import define
from numpy.typing import NDArray

TRIES_PER_SEAT = 20  # exchanges tried for each seat

Group = list[int]
Meetings = list[list[float]]


def build_groups(
    quotas: Sequence[int], table: int, met: NDArray[np.float64], step: float, draw: Random
) -> list[Group]:
    """Return groups in which each entrant appears as often as its quota, once per group at most.

    `met` is how often each two have met, and `step` how much one group adds. The quotas fill the
    groups, and none is more than there are groups.
    """
    met = met.copy()
    groups = _fill_groups(quotas, table, met, step, draw)
    _Exchanges(groups, met.tolist(), step).improve(draw)
    return groups


def _fill_groups(
    quotas: Sequence[int], table: int, met: NDArray[np.float64], step: float, draw: Random
) -> list[Group]:
    """Fill groups one after the other; count the meetings in `met`."""
    left, groups = np.array(quotas), []
    for size in range(sum(quotas) // table, 0, -1):
        group = [int(member) for member in np.flatnonzero(left == size)]  # must be in each one
        while len(group) < table:
            group.append(_choose_member(group, left, met, draw))
        left[group] -= 1
        met[np.ix_(group, group)] += step
        groups.append(group)
    return groups


def _choose_member(
    group: Group, left: NDArray[np.int64], met: NDArray[np.float64], draw: Random
) -> int:
    """Return the member that has met these least; among equals, the one with most left to play."""
    lots = np.array([draw.random() for _ in left])
    open_ = left > 0
    open_[group] = False
    meetings = np.where(open_, met[group].sum(axis=0), np.inf)
    return int(np.lexsort((lots, -left, meetings))[0])


@define
class _Exchanges:
    """Groups that are improved by exchanging members."""

    groups: list[Group]
    met: Meetings  # including these groups
    step: float

    def improve(self, draw: Random) -> None:
        """Try to exchange each member with a few random ones."""
        seats = [
            (number, seat) for number, group in enumerate(self.groups) for seat in range(len(group))
        ]
        for index, here in seats * TRIES_PER_SEAT:
            other, there = seats[int(draw.random() * len(seats))]
            left, right = self.groups[index], self.groups[other]
            if left[here] not in right and right[there] not in left:
                self._try_exchange(left, here, right, there)

    def _try_exchange(self, left: Group, here: int, right: Group, there: int) -> None:
        """Exchange two members unless that makes the meetings less even."""
        mover, partner = left[here], right[there]
        olds = [x for x in left if x not in right and x != mover]
        news = [x for x in right if x not in left and x != partner]
        mine, yours = self.met[mover], self.met[partner]
        gain = sum(mine[x] - yours[x] for x in olds) + sum(yours[x] - mine[x] for x in news)
        if gain >= self.step * (len(olds) + len(news)):
            left[here], right[there] = partner, mover
            self._count_exchange(mover, olds, news)
            self._count_exchange(partner, news, olds)

    def _count_exchange(self, member: int, olds: Sequence[int], news: Sequence[int]) -> None:
        """Count the meetings of a member with a group."""
        for change, those in ((-self.step, olds), (self.step, news)):
            for other in those:
                self.met[member][other] += change
                self.met[other][member] += change
