"""Mean results of bots and of pairs of them, as they were and corrected for luck."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np
from attrs import frozen

from arena.tournament.ratings.means import Means, means
from arena.tournament.results import Floats, Ints, Results
from arena_gops_solver.matches.analysis import Account
from arena_gops_solver.matches.corrected import Panel

LEVEL = 0.95


@frozen
class Estimate:
    """A mean, and the ends of its 95 % interval; infinite with fewer than two deals."""

    mean: float
    low: float
    high: float


@frozen
class Standing:
    """A bot, or one against another: its mean result, and the same corrected for luck."""

    names: tuple[str, ...]  # whose result it is, and against whom, if that matters
    games: int
    deals: int  # the unit of chance
    result: Estimate
    corrected: Estimate

    @property
    def needed(self) -> float | None:
        """Give the share of the games that would do as well with the correction as all without.

        That is the ratio of the variances of both means; None where they are not known, or
        there was no luck to take off.
        """
        before = self.result.high - self.result.low
        after = self.corrected.high - self.corrected.low
        return (after / before) ** 2 if before > 0 and isfinite(before) else None


def by_bot(accounts: Sequence[Account], panel: Panel) -> list[Standing]:
    """Give each bot's standing, over all its matches, in the order in which they appear."""
    keys = [tuple((name,) for name in one.match.names) for one in accounts]
    return _standings(accounts, panel, keys)


def by_pair(accounts: Sequence[Account], panel: Panel) -> list[Standing]:
    """Give the standing of each pair, as the first of them in the alphabet sees it."""
    keys = []
    for one in accounts:
        mine, theirs = one.match.names
        keys.append(((mine, theirs), None) if mine < theirs else (None, (theirs, mine)))
    return _standings(accounts, panel, keys)


def _standings(
    accounts: Sequence[Account],
    panel: Panel,
    keys: Sequence[tuple[tuple[str, ...] | None, ...]],
) -> list[Standing]:
    """Give a standing for each key; a match has one for each seat, or none."""
    numbers: dict[tuple[str, ...], int] = {}
    for key in (key for pair in keys for key in pair if key is not None):
        numbers.setdefault(key, len(numbers))
    seats = [[-1 if key is None else numbers[key] for key in pair] for pair in keys]
    deals = np.unique([one.match.deal for one in accounts], return_inverse=True)[1].astype(np.int64)
    results = np.array([one.result for one in accounts])
    corrected = np.array([one.corrected(panel.asked(one.match)) for one in accounts])
    called = tuple(map(" : ".join, numbers))
    raw, less = (
        _means(called, deals, np.array(seats, np.int64), value) for value in (results, corrected)
    )
    return [
        Standing(key, int(raw.matches[at]), int(raw.deals[at]), _at(raw, at), _at(less, at))
        for key, at in numbers.items()
    ]


def _means(called: tuple[str, ...], deals: Ints, seats: Ints, value: Floats) -> Means:
    both = np.column_stack([value, -value])
    return means(Results(called, deals, seats, np.zeros_like(seats), both), both, LEVEL)


def _at(found: Means, at: int) -> Estimate:
    return Estimate(float(found.mean[at]), float(found.low[at]), float(found.high[at]))
