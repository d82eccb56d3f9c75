"""Tables that bring everybody together with everybody about equally often.

Groups are filled one after the other with those who have met each other least, then
improved: two members of different groups change places wherever that lowers the sum over
all pairs of their meetings squared, which is least where all are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
from attrs import define
from numpy.typing import NDArray

TRIES = 20  # exchanges that are looked at, for each seat

Group = list[int]
Meetings = list[list[float]]


def grouped(
    quotas: Sequence[int], table: int, met: NDArray[np.float64], step: float, draw: Random
) -> list[Group]:
    """Return groups in which each is as often as its quota says, and nobody twice.

    `met` is how often each two have met, and `step` how much one group adds. The quotas
    fill the groups, and none is more than there are groups.
    """
    met = met.copy()
    groups = _filled(quotas, table, met, step, draw)
    _Exchanges(groups, met.tolist(), step).improve(draw)
    return groups


def _filled(
    quotas: Sequence[int], table: int, met: NDArray[np.float64], step: float, draw: Random
) -> list[Group]:
    """Fill groups one after the other; count in `met` who meets there."""
    left, groups = np.array(quotas), []
    for size in range(sum(quotas) // table, 0, -1):
        group = [int(one) for one in np.flatnonzero(left == size)]  # or they come too late
        while len(group) < table:
            group.append(_next(group, left, met, draw))
        left[group] -= 1
        met[np.ix_(group, group)] += step
        groups.append(group)
    return groups


def _next(group: Group, left: NDArray[np.int64], met: NDArray[np.float64], draw: Random) -> int:
    """Return who has met these least; of equals, who has most left to play."""
    lots = np.array([draw.random() for _ in left])
    open_ = left > 0
    open_[group] = False
    meetings = np.where(open_, met[group].sum(axis=0), np.inf)
    return int(np.lexsort((lots, -left, meetings))[0])


@define
class _Exchanges:
    """Groups whose members change places while it helps."""

    groups: list[Group]
    met: Meetings  # with these groups counted
    step: float

    def improve(self, draw: Random) -> None:
        """Look at exchanges of each seat with some that are drawn."""
        seats = [
            (number, seat) for number, group in enumerate(self.groups) for seat in range(len(group))
        ]
        for one, here in seats * TRIES:
            other, there = seats[int(draw.random() * len(seats))]
            left, right = self.groups[one], self.groups[other]
            if left[here] not in right and right[there] not in left:
                self._try(left, here, right, there)

    def _try(self, left: Group, here: int, right: Group, there: int) -> None:
        """Exchange two members if the meetings are no less even for it."""
        one, other = left[here], right[there]
        olds = [x for x in left if x not in right and x != one]
        news = [x for x in right if x not in left and x != other]
        mine, yours = self.met[one], self.met[other]
        gain = sum(mine[x] - yours[x] for x in olds) + sum(yours[x] - mine[x] for x in news)
        if gain >= self.step * (len(olds) + len(news)):
            left[here], right[there] = other, one
            self._move(one, olds, news)
            self._move(other, news, olds)

    def _move(self, one: int, olds: Sequence[int], news: Sequence[int]) -> None:
        """Count that one meets others now."""
        for change, those in ((-self.step, olds), (self.step, news)):
            for other in those:
                self.met[one][other] += change
                self.met[other][one] += change
