"""Symmetric systems of linear equations for many entrants: solved step by step, never inverted.

A matrix of ten thousand entrants has a hundred million cells, nearly all of them empty, and its
inverse fills them all. The method of conjugate gradients (Hestenes and Stiefel, 'Methods of
conjugate gradients for solving linear systems', 1952) needs only products with the matrix: a few
where entrants have many opponents, more where they form long chains.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from arena.tournament.ratings.rating_input import Floats

MAX_DENSE = 1000
"""Systems of more equations are solved step by step."""

TOLERANCE = 1e-10  # of the error, relative to the right side
MAX_STEPS = 2000


def solve_stepwise(multiply: Callable[[Floats], Floats], diagonal: Floats, right: Floats) -> Floats:
    """Return the solutions of a positive definite system for each column of `right` (n, columns).

    `multiply` returns the product of the matrix with columns, and `diagonal` (n,) scales the steps.
    """
    scale = diagonal[:, None]
    solution, rest = np.zeros_like(right), right.copy()
    scaled = rest / scale
    step, error = scaled.copy(), (rest * scaled).sum(axis=0)
    enough = TOLERANCE**2 * error
    for _ in range(MAX_STEPS):
        if (error <= enough).all():
            break
        product = multiply(step)
        length = error / _avoid_zero((step * product).sum(axis=0))
        solution += length * step
        rest -= length * product
        scaled = rest / scale
        before, error = error, (rest * scaled).sum(axis=0)
        step = scaled + error / _avoid_zero(before) * step
    return solution


def _avoid_zero(value: Floats) -> Floats:
    return np.where(value > 0, value, 1)
