"""Matches explained by one objective: an account of each, the costliest bids, and mean results.

Mean results of bots and of pairs of bots are given raw and corrected for luck.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import nlargest
from math import inf, isfinite, nan
from operator import attrgetter

import numpy as np
from attrs import astuple, define, field, frozen

from arena.tournament.rating_input import Floats, Ints, Results
from arena.tournament.ratings.means import EntrantMeans, compute_means
from arena_gops_solver.luck import (
    BOTH,
    Asked,
    BidProbabilitySource,
    LuckEstimate,
    Mixes,
    RoundAnalysis,
    StatedBids,
    split_result,
)
from arena_gops_solver.positions import Solution, SolverPosition
from arena_gops_solver.recorded_matches import RecordedMatch

Solving = Callable[[RecordedMatch], tuple[Solution, int]]
"""Returns the solved game for a match, and the first explained round, counted from 0."""

LEVEL = 0.95
THIRDS = 3
Thirds = tuple[float, float, float]  # of a match, by rounds


@define
class AnalysisResults:
    """The results of the analysis, match by match."""

    solving: Solving
    most: int  # the number of blunders to keep
    accounts: list[MatchAccount] = field(factory=list)
    blunders: list[Blunder] = field(factory=list)  # the worst first
    draws: dict[str, StatedBids] = field(factory=dict)  # by bot

    def add(self, match: RecordedMatch, mixes: tuple[Mixes, Mixes]) -> tuple[RoundAnalysis, ...]:
        """Explain a match; `mixes` are the seats' own, where they are known."""
        solved, first = self.solving(match)
        steps = split_result(solved, match, first)
        mixes = _skip_rounds(mixes[0], first), _skip_rounds(mixes[1], first)
        self.accounts.append(MatchAccount.of(match, steps, mixes))
        for bot, seat, own in zip(match.bots, (0, 1), mixes, strict=True):
            if own is not None:
                self.draws.setdefault(bot, StatedBids()).add(steps, seat, own)
        new = [
            Blunder(match, number, seat, step)
            for number, step in enumerate(steps, first + 1)
            for seat in (0, 1)
        ]
        self.blunders = nlargest(self.most, self.blunders + new, key=attrgetter("loss"))
        return steps

    @property
    def whole(self) -> bool:
        """Whether all rounds of all matches are explained."""
        return not any(account.first for account in self.accounts)

    def find_doubtful_bots(self, panel: BidProbabilitySource) -> list[str]:
        """Return the bots whose bids do not fit their stated probabilities."""
        unasked = panel.unasked
        return [bot for bot, test in self.draws.items() if test.doubtful and bot not in unasked]

    def compute_shares(self, name: str, panel: BidProbabilitySource) -> ResultParts:
        """Return the parts of this bot's mean result."""
        own = [
            account.compute_shares(seat, panel.list_askable(account.match))
            for account in self.accounts
            for seat, called in enumerate(account.match.names)
            if called == name
        ]
        return ResultParts(*np.mean([astuple(shares) for shares in own], axis=0).tolist())


def _skip_rounds(mixes: Mixes, first: int) -> Mixes:
    """Return the mixes of a seat from a round on, if they are known."""
    return None if mixes is None else mixes[first:]


@frozen
class MatchAccount:
    """The totals of a match, as seat 0 sees it."""

    match: RecordedMatch
    result: float  # the difference of points, or its sign
    losses: tuple[Thirds, Thirds]  # of seat 0 and of seat 1
    luck: LuckEstimate
    expected: tuple[float, ...]  # the expected result at the start and after each round
    first: int = 0  # the number of rounds left out

    @classmethod
    def of(
        cls, match: RecordedMatch, steps: Sequence[RoundAnalysis], mixes: tuple[Mixes, Mixes]
    ) -> MatchAccount:
        """Sum up the steps of a match."""
        expected = (*(float(step.before) for step in steps), float(steps[-1].after))
        first = len(match.bids) - len(steps)
        losses = _sum_thirds(steps, first, 0), _sum_thirds(steps, first, 1)
        return cls(match, expected[-1], losses, LuckEstimate.of(steps, mixes), expected, first)

    def correct_for_luck(self, asked: Asked) -> float:
        """Return the result without the luck of the prizes and of bids with known probabilities."""
        return self.result - self.luck.prizes - self.luck.bids[asked]

    def compute_shares(self, seat: int, asked: Asked) -> ResultParts:
        """Return the parts of a seat's result."""
        sign = 1 - 2 * seat
        lost, won = self.losses[seat], sum(self.losses[1 - seat])
        left_out = sign * self.expected[0]
        meeting = sign * (self.result - self.luck.prizes) + sum(lost) - won - left_out
        bids = sign * self.luck.bids[asked] if asked == BOTH else nan
        return ResultParts(left_out, sign * self.luck.prizes, *lost, won, meeting, bids)


def _sum_thirds(steps: Sequence[RoundAnalysis], left_out: int, seat: int) -> Thirds:
    """Sum a seat's losses over each third of a match's rounds; the first third is the longest."""
    sums = [0.0] * THIRDS
    for at, step in enumerate(steps, left_out):
        sums[at * THIRDS // (left_out + len(steps))] += float(step.losses[seat])
    first, middle, last = sums
    return first, middle, last


@frozen
class ResultParts:
    """The parts of a result, as one seat sees it: their sum, minus the losses."""

    left_out: float  # the result of the unexplained rounds
    prize_luck: float
    lost_first: float  # in the first third of the rounds
    lost_middle: float
    lost_last: float
    lost_by_others: float
    meeting: float
    bids_luck: float  # the part of `meeting` due to luck; nan unless both sides are asked

    @property
    def guessing(self) -> float:
        """The rest of the meeting: the gain from guessing the other's bids."""
        return self.meeting - self.bids_luck

    @property
    def losses(self) -> Thirds:
        """The losses in each third of the rounds."""
        return self.lost_first, self.lost_middle, self.lost_last


@frozen
class Blunder:
    """A bid that the solution would not make, and its cost."""

    match: RecordedMatch
    number: int  # of the round, from 1
    seat: int
    step: RoundAnalysis

    @property
    def place(self) -> SolverPosition:
        """The position of the bid, as the bidder saw it."""
        place = self.step.round.place
        return place.mirror() if self.seat else place

    @property
    def bid(self) -> int:
        """The card that was bid."""
        return self.step.round.bids[self.seat]

    @property
    def loss(self) -> float:
        """The cost of the bid against an optimal opponent."""
        return float(self.step.losses[self.seat])

    @property
    def solution(self) -> dict[int, float]:
        """The probability of each bid in the solution."""
        found = self.step.solution
        weights = (found.weights, found.theirs)[self.seat]
        cards = zip(self.place.mine, weights, strict=True)
        return {card: float(weight) for card, weight in cards if weight}


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
