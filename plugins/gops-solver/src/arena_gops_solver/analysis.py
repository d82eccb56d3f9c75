"""Matches explained by one objective: luck and losses, the costliest bids, and mean results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from heapq import nlargest
from itertools import product
from math import inf, isfinite, nan
from operator import attrgetter

import numpy as np
from attrs import astuple, define, field, frozen
from numpy.typing import NDArray

from arena import Bot, Game, Greeting, OneOf, UserError
from arena.host import BotClassFactory
from arena.plugins import parse_bundled_bot, split_name
from arena.tournament.ratings.means import EntrantMeans, compute_means
from arena.tournament.ratings.rating_input import Floats, Ints, Results
from arena_gops import Bid, Bids, Prize
from arena_gops_solver.positions import Solution, SolverPosition, Strategy, find_equilibrium
from arena_gops_solver.recorded_matches import RecordedMatch, RecordedRound
from arena_gops_solver.solver import choose_subgame_size, solve_from
from arena_gops_solver.strategy_extraction import BotPolicy

# The effect of prizes and bids on a match's result, and results corrected for luck (AIVAT).
#
# All values are seen from seat 0, which has an expected result before each round. The prize raises
# or lowers it: luck. A bid that the solution would not make costs its own side something against
# any opponent: a loss, 0 or more. The rest is the meeting of the bids. That is luck if one side
# plays the solution; if neither does, one may have guessed the other's bids.
#
# Together these add up from the expectation at the start, 0, to the result. That is the difference
# of points, or (win) its sign: 1, 0 or -1. Numbers are fractions, so that the sums are exact.
#
# Results are corrected for luck without bias, so that fewer games are enough. Two kinds of luck are
# subtracted. The luck of the prizes: all prizes are equally likely, so its mean is 0. The luck of
# the bids, for bots that can state their probabilities: the stage's entry for the two bids, minus
# its mean over the possible bids. Its mean is 0, too, whatever the bots do and however badly the
# table fits them, so the correction does not bias the mean (AIVAT: Burch, Schmid, Moravcik, Morrill
# and Bowling, 2018). Using the solution's probabilities instead of the bots' would be biased, and
# so would those of a bot that has changed since the match, since the currently installed version is
# asked.

Mix = Mapping[int, float]  # the probability of each bid
Mixes = Sequence[Mix] | None  # by round; None for a bot without known probabilities
Asked = tuple[bool, bool]  # whether the probabilities of seat 0, and of seat 1, are used
BOTH: Asked = (True, True)
OTHERWISE = "it may be another version, or draw from more than its own `random`"
ERRORS = 4  # standard errors
ROUNDING = 1e-6  # of a sum


def split_result(
    solved: Solution, match: RecordedMatch, first: int = 0
) -> tuple[RoundAnalysis, ...]:
    """Split the result of a match from a round on, by a game that is solved from there on."""
    return tuple(_build_step(solved, played) for played in match.rounds[first:])


@frozen(eq=False)
class RoundAnalysis:
    """A round of a match: the changes of the result that seat 0 can expect."""

    round: RecordedRound
    stage: NDArray[np.float64]  # the matrix game for its prize, see `SolvedGame.build_stage`
    solution: Strategy  # of the stage
    before: Fraction  # the expectation before the prize was turned up
    prize_luck: Fraction
    losses: tuple[Fraction, Fraction]  # of seat 0 and of seat 1; below 0 by rounding only
    meeting: Fraction

    @property
    def parts(self) -> tuple[Fraction, Fraction, Fraction, Fraction]:
        """The changes: luck of the prize, loss of seat 0, loss of seat 1, meeting of the bids."""
        return self.prize_luck, -self.losses[0], self.losses[1], self.meeting

    @property
    def after(self) -> Fraction:
        """The expected result after the round."""
        return self.before + sum(self.parts)


def _build_step(solved: Solution, played: RecordedRound) -> RoundAnalysis:
    stage = solved.build_stage(played.place, played.prize)
    solution = find_equilibrium(stage)
    row, column = played.cell
    so_far = _count_won_points(solved, played.place)
    value = so_far + Fraction(solution.value)
    mine = so_far + Fraction(float(solution.worth[row]))
    theirs = so_far + Fraction(float(solution.weights @ stage[:, column]))
    before, after = (
        compute_expectation(solved, played.place),
        compute_expectation(solved, played.after),
    )
    losses = (value - mine, theirs - value)
    return RoundAnalysis(
        played, stage, solution, before, value - before, losses, after - mine - theirs + value
    )


def compute_expectation(solved: Solution, place: SolverPosition) -> Fraction:
    """Return the expected result of the owner of the first hand."""
    return _count_won_points(solved, place) + Fraction(solved.compute_value(place))


def _count_won_points(solved: Solution, place: SolverPosition) -> int:
    """Return the points won so far, which a value in points does not include."""
    return place.difference if solved.points else 0


@frozen
class WholeGameSolution:
    """The solution of the whole game, which explains every round."""

    solved: Solution

    def __call__(self, match: RecordedMatch) -> tuple[Solution, int]:
        """Return the game and the first explained round, counted from 0."""
        return self.solved, 0


@frozen
class EndgameSolver:
    """Solves the last rounds of each match, from the position in the match."""

    objective: str
    rounds: int

    @classmethod
    def of(cls, objective: str, matches: int) -> EndgameSolver:
        """Choose as many rounds as can be solved within seconds for this number of matches."""
        return cls(objective, choose_subgame_size(objective, matches))

    def __call__(self, match: RecordedMatch) -> tuple[Solution, int]:
        """Return the game from the first explained round on, and that round, counted from 0."""
        first = max(0, len(match.bids) - self.rounds)
        points_before = sum(match.prizes[:first])
        return solve_from(match.rounds[first].place, self.objective, points_before), first


@frozen
class LuckEstimate:
    """The luck in a result, as seat 0 sees it."""

    prizes: float
    bids: Mapping[Asked, float]  # by the seats that are asked

    @classmethod
    def of(cls, steps: Sequence[RoundAnalysis], mixes: tuple[Mixes, Mixes]) -> LuckEstimate:
        """Compute the luck for each choice of bots whose probabilities are used."""
        mine, theirs = ((False, True) if known else (False,) for known in mixes)
        return cls(
            float(sum(step.prize_luck for step in steps)),
            {asked: _sum_bid_luck(steps, mixes, asked) for asked in product(mine, theirs)},
        )


def _sum_bid_luck(
    steps: Sequence[RoundAnalysis], mixes: tuple[Mixes, Mixes], asked: Asked
) -> float:
    mine, theirs = (mix if ask and mix else [None] * len(steps)
                    for mix, ask in zip(mixes, asked, strict=True))  # fmt: skip
    return sum(map(compute_bid_luck, steps, mine, theirs))


def compute_bid_luck(step: RoundAnalysis, mine: Mix | None, theirs: Mix | None) -> float:
    """Return the value of the actual bids minus the mean of the possible ones.

    A seat without known probabilities counts as certain of its bid.
    """
    (row, column), hands = step.round.cell, step.round.hands
    rows = list_weights(hands[0], mine or {step.round.bids[0]: 1.0})
    columns = list_weights(hands[1], theirs or {step.round.bids[1]: 1.0})
    return float(step.stage[row, column] - rows @ step.stage @ columns)


def list_weights(hand: Sequence[int], mix: Mix) -> NDArray[np.float64]:
    """Return the probability of each card of a hand."""
    return np.array([mix.get(card, 0.0) for card in hand])


@define
class BidProbabilitySource:
    """Asks bots for their probabilities, and remembers those that cannot be asked.

    A bot that fails to answer for one match is left out of all, since excluding matches by their
    course would be biased.
    """

    game: Game
    unasked: dict[str, str] = field(factory=dict)  # bots with the reason

    def list_mixes(self, match: RecordedMatch) -> tuple[Mixes, Mixes]:
        """Return the probabilities of each seat's bids, round by round."""
        return self._find_mixes(match, 0), self._find_mixes(match, 1)

    def list_askable(self, match: RecordedMatch) -> Asked:
        """Return for each bot of a match whether its probabilities are known."""
        return match.bots[0] not in self.unasked, match.bots[1] not in self.unasked

    def _find_mixes(self, match: RecordedMatch, seat: int) -> Mixes:
        bot = match.bots[seat]
        if bot in self.unasked:
            return None
        try:
            return compute_mixes(self._find_maker(bot), match, seat)
        except UserError as problem:
            self.unasked[bot] = str(problem)
            return None

    def _find_maker(self, bot: str) -> Callable[[], Bot]:
        """Return the factory of a bundled bot, never of a program: transcripts are untrusted."""
        name = bot.removeprefix("program:")
        if name.partition(":")[0] not in self.game.bots:
            raise UserError("not one of the bundled bots")
        _check_harmless(name)
        return BotClassFactory(*parse_bundled_bot(self.game, name)).create_bot


def _check_harmless(name: str) -> None:
    """Raise UserError if a parameter is not a number: it might be the path of a file."""
    for parameter, value in split_name(name)[1].items():
        if not isinstance(value, int | float):
            raise UserError(
                f"its parameter {parameter} is not a number, and might name a file to open"
            )


def compute_mixes(make: Callable[[], Bot], match: RecordedMatch, seat: int) -> list[Mix]:
    """Return a bot's probabilities in each round, given the match so far.

    Raises UserError if they cannot be computed, or exclude a bid that this seat made.
    """
    policy = BotPolicy.greet(make, Greeting("gops", seat, len(match.names), match.variant, ""))
    mixes: list[Mix] = []
    for played in match.rounds:
        bid, question = played.bids[seat], Bid(OneOf(played.hands[seat]))
        found = policy.hear(Prize(played.prize)).list_answers(question)
        if bid not in found:
            raise UserError(
                f"in {match.where} it bid {bid}, which it never does there: {OTHERWISE}"
            )
        mixes.append({card: chance for card, (chance, _) in found.items()})
        policy = found[bid][1].hear(Bids(played.bids))
    return mixes


@define
class StatedBids:
    """The calibration of a bot: its bids, with the probabilities that it states.

    Its luck is the gain of its bids minus their mean gain by the stated probabilities, and has mean
    0 if these are true. They also bound the deviation from 0: a sum of steps of at most b with a
    total variance V reaches x with a probability of at most exp(-x^2 / 2(V + bx/3)) (Freedman,
    1975). A bot is doubted if that is exp(-8), 1 in 3,000: at 4 standard errors with many bids, and
    further out with few.
    """

    luck: float = 0.0
    variance: float = 0.0  # the expected variance of the luck
    largest: float = 0.0  # the largest possible luck of a bid

    def add(self, steps: Sequence[RoundAnalysis], seat: int, mixes: Sequence[Mix]) -> None:
        """Add the bids of a match."""
        for step, mix in zip(steps, mixes, strict=True):
            self._add(step, seat, mix)

    def _add(self, step: RoundAnalysis, seat: int, mix: Mix) -> None:
        row, column = step.round.cell
        worth, bid = (-step.stage[row], column) if seat else (step.stage[:, column], row)
        weights = list_weights(step.round.hands[seat], mix)
        above = worth - weights @ worth
        self.luck += float(above[bid])
        self.variance += float(weights @ above**2)
        self.largest = max(self.largest, float(np.abs(above[weights > 0]).max()))

    @property
    def doubtful(self) -> bool:
        """Whether its luck, good or bad, exceeds the bounds of chance."""
        away = abs(self.luck)
        return away > ROUNDING and away**2 > ERRORS**2 * (self.variance + self.largest * away / 3)


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
