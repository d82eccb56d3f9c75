"""The effect of prizes and bids on the result of a match, by the exact solution.

All values are seen from seat 0, which has an expected result before each round. The prize raises or
lowers it: luck. A bid that the solution would not make costs its own side something against any
opponent: a loss, 0 or more. The rest is the meeting of the bids. That is luck if one side plays the
solution; if neither does, one may have guessed the other's bids.

Together these add up from the expectation at the start, 0, to the result. That is the difference of
points, or (win) its sign: 1, 0 or -1. Numbers are fractions, so that the sums are exact.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from arena_gops_solver.matches.recorded_match import RecordedMatch, RecordedRound
from arena_gops_solver.matrix_games import Strategy, find_equilibrium
from arena_gops_solver.positions import Solution, SolverPosition


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


def split_result(
    solved: Solution, match: RecordedMatch, first: int = 0
) -> tuple[RoundAnalysis, ...]:
    """Split the result of a match from a round on, by a game that is solved from there on."""
    return tuple(_build_step(solved, played) for played in match.rounds[first:])


def compute_expectation(solved: Solution, place: SolverPosition) -> Fraction:
    """Return the expected result of the owner of the first hand."""
    return _count_won_points(solved, place) + Fraction(solved.compute_value(place))


def _count_won_points(solved: Solution, place: SolverPosition) -> int:
    """Return the points won so far, which a value in points does not include."""
    return place.difference if solved.points else 0


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
