r"""Maximum likelihood estimation of strengths by Newton's method.

The logarithm of the likelihood is penalised by RIDGE/2 \sum \beta^2: as if each parameter had been
drawn from a normal distribution with a standard deviation of ten (1737 Elo points). So an entrant
that won every match gets a finite rating, with a wide interval, and the strengths of each connected
group have mean 0. For an entrant with wins and losses, ten matches have hundreds of times the
weight of the penalty.

Only numpy's solver is used: numpy and scipy each have a BLAS with its own threads, and alternating
calls make these wait for each other much longer than they work.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen

from arena.tournament.models.result_columns import Floats
from arena.tournament.ratings.likelihood import ChoiceDesign, LikelihoodPoint, evaluate

RIDGE = 0.01
MAX_STEPS = 200
STEP_TOLERANCE = 1e-5  # the remaining error is about its square


@frozen(eq=False)
class Fit:
    """The maximum of the penalised likelihood."""

    beta: Floats  # (parameters,) log strengths, then log ties
    inverse: Floats  # (parameters, parameters) of the penalised information


def maximise(laid: list[ChoiceDesign], entrants: int) -> Fit:
    """Find the maximum; it exists and is unique, for the penalised likelihood is concave."""
    beta = np.concatenate([np.zeros(entrants), *(alternatives.start for alternatives in laid)])
    here = evaluate(laid, beta)
    for _ in range(MAX_STEPS):
        step = np.linalg.solve(penalise(here), here.score - RIDGE * beta).astype(np.float64)
        beta, here = take_step(laid, beta, step, here)
        if np.abs(step).max(initial=0) < STEP_TOLERANCE:
            break
    inverse = np.linalg.inv(penalise(here)).astype(np.float64)
    return Fit(beta, inverse)


def penalise(here: LikelihoodPoint) -> Floats:
    """Return the information, including that of the penalty."""
    return here.information + RIDGE * np.eye(len(here.score))


def take_step(
    laid: list[ChoiceDesign], beta: Floats, step: Floats, here: LikelihoodPoint
) -> tuple[Floats, LikelihoodPoint]:
    """Take the step, or shorten it until the objective does not decrease."""
    floor = here.value - RIDGE / 2 * beta @ beta
    floor -= 1e-9 * (1 + abs(floor))  # for rounding
    while True:
        there = evaluate(laid, beta + step)
        if there.value - RIDGE / 2 * (beta + step) @ (beta + step) >= floor:
            return beta + step, there
        step = step / 2
