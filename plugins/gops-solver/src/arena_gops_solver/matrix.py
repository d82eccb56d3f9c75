"""The exact strategy of one stage: a matrix game, by linear programs.

A linear program gives an equilibrium at a corner of the set of all, and which corner is an
accident. So of all equilibria one with the largest support is taken: the mean of those corners
that each give one bid the most weight. Where the equilibrium is unique, that is it.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from arena_gops_solver.reference import best, game_value

Numbers = NDArray[np.float64]

SLACK = 1e-9  # how much less than the value a strategy may secure, as share of the largest entry
LEAST = 1e-7  # a smaller weight is rounding


@frozen(eq=False)
class Strategy:
    """An equilibrium of a matrix game, for the player of the rows."""

    value: float
    weights: Numbers  # the probability of each row
    worth: Numbers  # what each row brings against the columns' player's equilibrium


def equilibrium(matrix: Numbers) -> Strategy:
    """Give the value, a strategy with the largest support, and what each row is worth."""
    value = game_value(matrix)
    theirs = widest(-matrix.T, -value)
    return Strategy(value, widest(matrix, value), matrix @ theirs)


def widest(matrix: Numbers, value: float) -> Numbers:
    """Give weights of the rows that secure the value, as many of them above 0 as can be."""
    corners = np.array([_corner(matrix, value, row) for row in range(len(matrix))])
    mean: Numbers = corners.mean(axis=0)
    mean[mean < LEAST] = 0
    weights: Numbers = mean / mean.sum()
    return weights


def _corner(matrix: Numbers, value: float, row: int) -> Numbers:
    """Give weights that secure the value, with the most weight on one row."""
    rows, columns = matrix.shape
    goal = np.zeros(rows)
    goal[row] = -1
    secured = np.full(columns, SLACK * max(1.0, float(np.abs(matrix).max())) - value)
    return np.maximum(best(goal, -matrix.T, secured, np.ones(rows)), 0)
