"""Estimates over deals, each with a 95 % interval: the deal is the unit of chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, inf, log, nan
from typing import TypeVar

import numpy as np

from arena.tournament import Estimate
from arena.tournament.ratings import DealSums, estimate_share
from arena.tournament.ratings.intervals import compute_reach

T = TypeVar("T")
LEVEL = 0.95
MAX_LOGARITHM = 700.0  # of a number that a computer holds
FEWEST_DEALS = 3  # of an estimate that is no mean
DETECTION_FACTOR = (1.96 + 0.84) ** 2  # 5 % of false alarms, 80 % of differences are found


def estimate_mean_over_deals(values: Sequence[float]) -> Estimate:
    """Estimate the mean of a value of each deal, by Student's t.

    The interval is infinite with fewer than two deals. A value that is alike in all deals, such as
    the length of a game with a fixed number of rounds, has one without a width.
    """
    count = len(values)
    mean = float(np.mean(values)) if count else nan
    if count < 2:  # noqa: PLR2004
        return Estimate(mean, -inf, inf)
    away = (
        float(compute_reach(np.array([count - 1]), LEVEL)[0])
        * float(np.std(values, ddof=1))
        / count**0.5
    )
    return Estimate(mean, mean - away, mean + away)


def estimate_share_over_deals(values: Sequence[float]) -> Estimate:
    """Estimate the mean of shares from 0 to 1, one of each deal; never without doubt."""
    return estimate_share(np.array(values, float))


def estimate_ratio(parts: Sequence[tuple[float, float]]) -> Estimate:
    """Estimate the ratio of two sums, given the parts of each deal."""
    sums = DealSums.of_all((whole, part) for part, whole in parts)
    return sums.estimate_mean() if sums.observations else Estimate(nan, nan, nan)


def estimate_part(parts: Sequence[tuple[float, float]]) -> Estimate:
    """Estimate which part of many things is of a kind, given both numbers for each deal."""
    found = estimate_ratio(parts)
    return Estimate(found.value, max(0.0, found.low), min(1.0, found.high))


def estimate_typical(logarithms: Sequence[Sequence[float]]) -> Estimate:
    """Estimate the geometric mean of numbers, given the logarithms of those of each deal."""
    return estimate_ratio([(sum(deal), len(deal)) for deal in logarithms]).map(_raise_to_power)


def estimate_matches_to_tell_apart(deals: Sequence[Sequence[float]]) -> Estimate:
    """Estimate how many single matches tell two bots apart, from a bot's shares in each deal.

    So many find the difference in four cases of five, with one false alarm in twenty. The interval
    is that of the difference.
    """
    matches = np.array(deals, float)
    share = estimate_share_over_deals([float(value) for value in matches.mean(axis=1)])
    variance = float(matches.var())
    gap = abs(share.value - 0.5)

    def count(difference: float) -> float:
        return max(1.0, DETECTION_FACTOR * variance / difference**2) if difference > 0 else inf

    near, far = sorted((share.low - 0.5, share.high - 0.5), key=abs)
    return Estimate(count(gap), count(abs(far)), inf if near * far <= 0 else count(abs(near)))


def estimate_duplicate_worth(deals: Sequence[Sequence[float]]) -> Estimate:
    """Estimate how many single matches one match of a duplicate deal is worth.

    It is the variance of single matches beside that of the rotations of a deal, taken together.
    """

    def compute(some: Sequence[Sequence[float]]) -> float:
        matches = np.array(some, float)
        together = matches.mean(axis=1).var(ddof=1)
        return log(matches.var(ddof=1) / matches.shape[1] / together) if together else nan

    return estimate_by_jackknife(deals, compute).map(_raise_to_power)


def _raise_to_power(logarithm: float) -> float:
    """Return the number that has this logarithm, or the largest that a computer holds."""
    return exp(min(logarithm, MAX_LOGARITHM))


def estimate_by_jackknife(deals: Sequence[T], compute: Callable[[Sequence[T]], float]) -> Estimate:
    """Estimate what is computed of all deals, by leaving each out in turn (Tukey, 1958)."""
    count, value = len(deals), compute(deals)
    if count < FEWEST_DEALS:
        return Estimate(value, -inf, inf)
    without = [compute([*deals[:at], *deals[at + 1 :]]) for at in range(count)]
    spread = estimate_mean_over_deals([count * value - (count - 1) * one for one in without])
    reach = (spread.high - spread.low) / 2
    return Estimate(value, value - reach, value + reach)
