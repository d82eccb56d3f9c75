"""Ratios of two sums over deals, such as a mean of observations, kept as five sums.

A match gives several observations, and the matches of a deal share its luck. So the deal is the
unit of chance: each gives the pair (observations, their total). The mean is the ratio of the sums,
its interval that of the linearised ratio (Cochran, 'Sampling techniques', 1977, chapter 6). Of the
deals it needs only sums, squares and products, so deals can be added one by one, in any order.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import add
from typing import NamedTuple

import numpy as np

from arena.tournament.ratings.estimate import Estimate
from arena.tournament.ratings.intervals import PRIOR_DEALS, PRIOR_VARIANCE, compute_reach

CANCELLATION = 1e-12  # of sums of squares that should cancel, relative to them


class DealSums(NamedTuple):
    """Sums over deals of a number of observations and of their total."""

    deals: int = 0  #: with any observation
    observations: float = 0  #: observations
    total: float = 0.0  #: what they come to
    observations_squared: float = 0  #: the squares of each deal's count
    products: float = 0.0  #: each deal's count times its total
    totals_squared: float = 0.0  #: the squares of each deal's total

    @classmethod
    def of(cls, count: float, total: float) -> DealSums:
        """Return the sums of one deal."""
        return cls(1, count, total, count * count, count * total, total * total)

    @classmethod
    def of_all(cls, deals: Iterable[tuple[float, float]]) -> DealSums:
        """Return the sums of deals, each with its count and its total."""
        sums = cls()
        for count, total in deals:
            sums = sums.merge(cls.of(count, total))
        return sums

    def merge(self, other: DealSums) -> DealSums:
        """Return the sums of these deals and others."""
        return DealSums(self.deals + other.deals, *map(add, self[1:], other[1:]))

    @property
    def mean(self) -> float:
        """The mean of the observations; nan if there is none."""
        return self.total / self.observations if self.observations else float("nan")

    def estimate_mean(self, level: float = 0.95) -> Estimate:
        """Estimate the mean, with its interval by Student's t.

        Its ends are infinite with fewer than two deals; the mean is nan if nothing was observed.
        """
        mean = self.mean
        if self.deals < 2:  # noqa: PLR2004
            return Estimate(mean, float("-inf"), float("inf"))
        squares = self._sum_squares(mean) * self.deals / (self.deals - 1)
        reach = float(compute_reach(np.array([self.deals - 1]), level)[0])
        half = reach * squares**0.5 / self.observations
        return Estimate(mean, mean - half, mean + half)

    def estimate_share(self, level: float = 0.95) -> Estimate:
        """Estimate the mean of observations from 0 to 1, as `estimate_share` does.

        There are PRIOR_DEALS more, with as many observations as a deal has on average. So the
        interval is no point where all observations are alike.
        """
        if not self.observations:
            return Estimate(float("nan"), 0.0, 1.0)
        total = self.deals + PRIOR_DEALS
        middle = (self.deals * self.mean + PRIOR_DEALS / 2) / total
        squares = self._sum_squares(middle) * (self.deals / self.observations) ** 2
        squares += PRIOR_DEALS * (PRIOR_VARIANCE + (middle - 1 / 2) ** 2)
        freedom = self.deals - 1 + PRIOR_DEALS * (self.deals > 1)
        half = float(compute_reach(np.array([freedom]), level)[0]) * squares**0.5 / total
        return Estimate(self.mean, max(0.0, middle - half), min(1.0, middle + half))

    def _sum_squares(self, ratio: float) -> float:
        """Return the sum over deals of the squared distance of the total from `ratio * count`."""
        crossed = 2 * ratio * self.products
        squares = self.totals_squared - crossed + ratio**2 * self.observations_squared
        slack = CANCELLATION * (self.totals_squared + abs(crossed))
        return squares if squares > slack else 0.0
