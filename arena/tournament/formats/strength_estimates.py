"""A quick estimate of strengths and their uncertainty, for choosing matches only.

Bradley and Terry's model (Biometrika 39, 1952) of who finishes ahead, with a normal prior of
variance 1 around 0: its mode by Newton's method, and as covariance the inverse curvature there. A
match of several counts as pairs with weights, so that a table of n counts as n - 1 matches of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import erf

import numpy as np
from attrs import define
from numpy.typing import NDArray

from arena.tournament.models.schedule import Id, PlayedMatch

Array = NDArray[np.float64]
MAX_STEPS = 50  # of Newton's method


@define(eq=False, frozen=True)
class Strengths:
    """Estimated strengths: means and covariance."""

    mean: Array  # (n,)
    covariance: Array  # (n, n)

    @classmethod
    def of(cls, wins: Array) -> Strengths:
        """Estimate the strengths; `wins` counts how often each row beat each column."""
        games = wins + wins.T
        mean = np.zeros(len(wins))
        for _ in range(MAX_STEPS):
            expected = 1 / (1 + np.exp(np.subtract.outer(mean, mean).T))  # of rows against columns
            slope = (wins - games * expected).sum(axis=1) - mean
            curved = games * expected * (1 - expected)
            curvature = np.diag(curved.sum(axis=1) + 1) - curved
            step = np.linalg.solve(curvature, slope)
            mean = mean + np.clip(step, -1, 1)
            if np.abs(step).max() < 1e-6:  # noqa: PLR2004
                break
        return cls(mean, np.asarray(np.linalg.inv(curvature), float))

    def compute_doubts(self) -> Array:
        """Return the value of another match of each pair: the uncertainty of their order.

        The value is the probability that the order is wrong, times the standard deviation of the
        difference, so that equal entrants are not played for ever: only the first factor stays.
        """
        own = self.covariance.diagonal()
        deviation = np.sqrt(np.maximum(1e-12, np.add.outer(own, own) - 2 * self.covariance))
        apart = np.abs(np.subtract.outer(self.mean, self.mean)) / deviation
        wrong = 0.5 - 0.5 * np.vectorize(erf, otypes=[float])(apart / np.sqrt(2))
        learnt: Array = np.round(wrong * deviation, 9) * (1 - np.eye(len(own)))
        return learnt


def count_wins(known: Sequence[Id], results: Sequence[PlayedMatch]) -> Array:
    """Return a matrix of the matches that row finished ahead of column; a shared place is half."""
    index = {entrant: number for number, entrant in enumerate(known)}
    total = np.zeros((len(known), len(known)))
    for played in results:
        if played.places is not None:
            _add_match(total, [index[entrant] for entrant in played.seats], played.places)
    return total


def _add_match(total: Array, seats: Sequence[int], places: Sequence[int]) -> None:
    part = 2 / len(seats)
    for first, second in combinations(range(len(seats)), 2):
        better, worse = (first, second) if places[first] <= places[second] else (second, first)
        shared = places[first] == places[second]
        total[seats[better], seats[worse]] += part * (0.5 if shared else 1)
        total[seats[worse], seats[better]] += part * (0.5 if shared else 0)
