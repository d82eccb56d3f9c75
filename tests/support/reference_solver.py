"""A reference solver for up to 6 cards: a recursion over hands, a linear program per stage.

It is deliberately slow: it uses no patterns, layers or bounds, so that tests can compare.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

Cards = frozenset[int]
Numbers = NDArray[np.float64]


def solve_linear_program(goal: Numbers, limits: Numbers, upper: Numbers, total: Numbers) -> Numbers:
    """Solve a linear program: the least goal with limits x <= upper and total x = 1.

    As many of x as `total` counts are weights, 0 or more; the last may be a value, which may not.
    """
    bounds = [(0 if weight else None, None) for weight in total]
    found = linprog(
        goal,
        limits,
        upper,
        total[None, :],
        [1],
        bounds,
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    return np.asarray(found.x, dtype=np.float64)


def compute_game_value(matrix: Numbers) -> float:
    """Return the value that the row player can secure: maximise v with x'A >= v."""
    rows, columns = matrix.shape
    limits = np.hstack([-matrix.T, np.ones((columns, 1))])
    total = np.append(np.ones(rows), 0)
    return float(solve_linear_program(total - 1, limits, np.zeros(columns), total)[-1])


class ReferenceSolver:
    """Values of positions in points, or (`win`) of the sign of the final difference."""

    def __init__(self, win: bool = False) -> None:
        self.win = win
        self._value = lru_cache(maxsize=None)(self._compute)

    def compute_value(
        self, mine: Iterable[int], theirs: Iterable[int], prizes: Iterable[int], difference: int = 0
    ) -> float:
        """Return the value before a prize is up; in points the difference changes nothing."""
        start = difference if self.win else 0
        return self._value(frozenset(mine), frozenset(theirs), frozenset(prizes), start)

    def _compute(self, mine: Cards, theirs: Cards, prizes: Cards, difference: int) -> float:
        if not prizes:
            return float(np.sign(difference)) if self.win else 0.0
        position = (mine, theirs, prizes, difference)
        return sum(
            compute_game_value(self.build_stage(*position, prize)) for prize in prizes
        ) / len(prizes)

    def build_stage(
        self, mine: Cards, theirs: Cards, prizes: Cards, difference: int, prize: int
    ) -> Numbers:
        """Return the game for this prize: rows are my bids, columns theirs, ascending."""

        def compute_entry(a: int, b: int) -> float:
            gain = prize * ((a > b) - (a < b))
            now, later = (0, difference + gain) if self.win else (gain, 0)
            return now + self._value(mine - {a}, theirs - {b}, prizes - {prize}, later)

        return np.array([[compute_entry(a, b) for b in sorted(theirs)] for a in sorted(mine)])
