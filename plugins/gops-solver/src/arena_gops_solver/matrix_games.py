"""The exact strategy of one stage: a matrix game.

A linear program gives an equilibrium at an arbitrary corner of the set of all equilibria. So one
with the largest support is chosen: the mean of those corners that each give one bid the most
weight. If the equilibrium is unique, this is it.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from arena_gops_solver import _native

Numbers = NDArray[np.float64]


@frozen(eq=False)
class Strategy:
    """An equilibrium of a matrix game, for the player of the rows."""

    value: float
    weights: Numbers  # the probability of each row
    theirs: Numbers  # the probability of each column, for the other
    worth: Numbers  # the value of each row against the column player's equilibrium


def find_equilibrium(matrix: Numbers) -> Strategy:
    """Return the value, strategies with the largest support, and the value of each row.

    They secure the value within 1e-9 of the largest entry; at most 15 rows and columns.
    """
    matrix = np.ascontiguousarray(matrix, dtype=np.float64)
    value, weights = _native.widest(matrix)
    theirs = _native.widest(np.ascontiguousarray(-matrix.T))[1][0]
    return Strategy(value, weights[0], theirs, matrix @ theirs)
