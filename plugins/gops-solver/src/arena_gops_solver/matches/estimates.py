"""Mean results of bots and of pairs of them, as they were and corrected for luck."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite

import numpy as np
from attrs import frozen

from arena.tournament import Floats, Ints, Means, Results, means
from arena_gops_solver.matches.analysis import Account
from arena_gops_solver.matches.corrected import Panel

LEVEL = 0.95


@frozen
class Estimate:
    """A mean, and the ends of its 95 % interval; infinite with fewer than two deals."""

    mean: float
    low: float
    high: float

    @property
    def away(self) -> float:
        """Return how far the interval reaches to each side."""
        return (self.high - self.low) / 2


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
        """Return the share of the games that would do as well with the correction as all without.

        That is the ratio of the variances of both means; None where they are not known, or
        there was no luck to take off.
        """
        before, after = self.result.away, self.corrected.away
        return (after / before) ** 2 if before > 0 and isfinite(before) else None

    @property
    def telling(self) -> float:
        """Return how many games would tell the corrected mean from 0, if it is what it seems.

        Infinite where it is 0, or its interval is not known.
        """
        mean, away = self.corrected.mean, self.corrected.away
        return self.games * (away / mean) ** 2 if mean else inf


def by_bot(accounts: Sequence[Account], panel: Panel) -> list[Standing]:
    """Return each bot's standing, over all its matches, in the order in which they appear."""
    keys = [tuple((name,) for name in one.match.names) for one in accounts]
    return _standings(accounts, panel, keys)


def ranked(accounts: Sequence[Account], panel: Panel) -> list[Standing]:
    """Return each bot's standing, the best first."""
    return sorted(by_bot(accounts, panel), key=lambda bot: -bot.corrected.mean)


def by_pair(
    accounts: Sequence[Account], panel: Panel, order: Sequence[str] | None = None
) -> list[Standing]:
    """Return the standing of each pair, as the one sees it who is first in the order.

    The order is that of the alphabet, if none is given. The pairs come in it, too.
    """
    order = order or sorted({name for one in accounts for name in one.match.names})
    at = {name: number for number, name in enumerate(order)}
    keys = []
    for one in accounts:
        mine, theirs = one.match.names
        keys.append(((mine, theirs), None) if at[mine] < at[theirs] else (None, (theirs, mine)))
    pairs = _standings(accounts, panel, keys)
    return sorted(pairs, key=lambda pair: [at[name] for name in pair.names])


def _standings(
    accounts: Sequence[Account],
    panel: Panel,
    keys: Sequence[tuple[tuple[str, ...] | None, ...]],
) -> list[Standing]:
    """Return a standing for each key; a match has one for each seat, or none."""
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
