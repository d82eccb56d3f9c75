"""Mean results of bots and of pairs of bots, raw and corrected for luck."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isfinite

import numpy as np
from attrs import frozen

from arena.extend import EntrantMeans, Floats, Ints, Results, compute_means
from arena_gops_solver.matches.aivat import BidProbabilitySource
from arena_gops_solver.matches.analysis import MatchAccount

LEVEL = 0.95


@frozen
class MeanEstimate:
    """A mean, and the ends of its 95 % interval; infinite with fewer than two deals."""

    mean: float
    low: float
    high: float

    @property
    def away(self) -> float:
        """The half-width of the interval."""
        return (self.high - self.low) / 2


@frozen
class BotResult:
    """The mean result of a bot, perhaps against another, raw and corrected for luck."""

    names: tuple[str, ...]  # the bot, and its opponent if the result is for a pair
    games: int
    deals: int  # the unit of chance
    result: MeanEstimate
    corrected: MeanEstimate

    @property
    def share_of_games(self) -> float | None:
        """The share of the games that is as informative corrected as all games uncorrected.

        That is the ratio of the variances of both means; None if the variances are unknown, or
        there was no luck to remove.
        """
        before, after = self.result.away, self.corrected.away
        return (after / before) ** 2 if before > 0 and isfinite(before) else None

    @property
    def telling(self) -> float:
        """The number of games that would show a difference, if the corrected mean is the true one.

        Infinite if it is 0, or its interval is unknown.
        """
        mean, away = self.corrected.mean, self.corrected.away
        return self.games * (away / mean) ** 2 if mean else inf


def compute_bot_results(
    accounts: Sequence[MatchAccount], panel: BidProbabilitySource
) -> list[BotResult]:
    """Return the result of each bot over all its matches, in order of appearance."""
    keys = [tuple((name,) for name in account.match.names) for account in accounts]
    return _compute_results(accounts, panel, keys)


def rank_bots(accounts: Sequence[MatchAccount], panel: BidProbabilitySource) -> list[BotResult]:
    """Return the result of each bot, the best first."""
    return sorted(compute_bot_results(accounts, panel), key=lambda bot: -bot.corrected.mean)


def compute_pair_results(
    accounts: Sequence[MatchAccount],
    panel: BidProbabilitySource,
    order: Sequence[str] | None = None,
) -> list[BotResult]:
    """Return the result of each pair, as seen by the bot that comes first in the order.

    The order is alphabetical by default. The pairs are sorted by it, too.
    """
    order = order or sorted({name for account in accounts for name in account.match.names})
    at = {name: number for number, name in enumerate(order)}
    keys = []
    for account in accounts:
        mine, theirs = account.match.names
        keys.append(((mine, theirs), None) if at[mine] < at[theirs] else (None, (theirs, mine)))
    pairs = _compute_results(accounts, panel, keys)
    return sorted(pairs, key=lambda pair: [at[name] for name in pair.names])


def _compute_results(
    accounts: Sequence[MatchAccount],
    panel: BidProbabilitySource,
    keys: Sequence[tuple[tuple[str, ...] | None, ...]],
) -> list[BotResult]:
    """Return the result of each key; a match has a key for each seat, or None."""
    numbers: dict[tuple[str, ...], int] = {}
    for key in (key for pair in keys for key in pair if key is not None):
        numbers.setdefault(key, len(numbers))
    seats = [[-1 if key is None else numbers[key] for key in pair] for pair in keys]
    deals = np.unique([account.match.deal for account in accounts], return_inverse=True)[1].astype(
        np.int64
    )
    results = np.array([account.result for account in accounts])
    corrected = np.array(
        [account.correct_for_luck(panel.list_askable(account.match)) for account in accounts]
    )
    called = tuple(map(" : ".join, numbers))
    raw, less = (
        _compute_means(called, deals, np.array(seats, np.int64), value)
        for value in (results, corrected)
    )
    return [
        BotResult(
            key,
            int(raw.matches[at]),
            int(raw.deals[at]),
            _take_estimate(raw, at),
            _take_estimate(less, at),
        )
        for key, at in numbers.items()
    ]


def _compute_means(
    called: tuple[str, ...], deals: Ints, seats: Ints, value: Floats
) -> EntrantMeans:
    both = np.column_stack([value, -value])
    return compute_means(Results(called, deals, seats, np.zeros_like(seats), both), both, LEVEL)


def _take_estimate(found: EntrantMeans, at: int) -> MeanEstimate:
    return MeanEstimate(float(found.mean[at]), float(found.low[at]), float(found.high[at]))
