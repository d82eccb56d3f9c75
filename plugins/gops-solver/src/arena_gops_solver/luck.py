"""The effect of prizes and bids on a match's result, and results corrected for luck (AIVAT).

All values are seen from seat 0, which has an expected result before each round. The prize raises
or lowers it: luck. A bid that the solution would not make costs its own side something against
any opponent: a loss, 0 or more. The rest is the meeting of the bids. That is luck if one side
plays the solution; if neither does, one may have guessed the other's bids.

Together these add up from the expectation at the start, 0, to the result. That is the difference
of points, or (win) its sign: 1, 0 or -1. Numbers are fractions, so that the sums are exact.

Results are corrected for luck without bias, so that fewer games are enough. Two kinds of luck are
subtracted. The luck of the prizes: all prizes are equally likely, so its mean is 0. The luck of the
bids, for bots that can state their probabilities: the stage's entry for the two bids, minus its
mean over the possible bids. Its mean is 0, too, whatever the bots do and however badly the table
fits them, so the correction does not bias the mean (AIVAT: Burch, Schmid, Moravcik, Morrill and
Bowling, 2018). Using the solution's probabilities instead of the bots' would be biased, and so
would those of a bot that has changed since the match, since the currently installed version is
asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from arena import Bot, Game, Greeting, OneOf, UserError
from arena.host import BotClassFactory
from arena.plugins import parse_bundled_bot, split_name
from arena_gops import Bid, Bids, Prize
from arena_gops_solver.positions import Solution, SolverPosition, Strategy, find_equilibrium
from arena_gops_solver.recorded_matches import RecordedMatch, RecordedRound
from arena_gops_solver.solver import choose_subgame_size, solve_from
from arena_gops_solver.strategy_extraction import BotPolicy

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
    def after(self) -> Fraction:
        """The expected result after the round."""
        changed = self.prize_luck - self.losses[0] + self.losses[1] + self.meeting
        return self.before + changed


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
