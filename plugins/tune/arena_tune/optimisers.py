"""What a search method offers, which asks for a generation and is told its scores; and SPSA.

SPSA is for numbers: pairs of candidates on both sides of a point move the point (Spall,
'Implementation of the simultaneous perturbation algorithm for stochastic optimization', 1998). In
iteration k of N each parameter is moved by +c_k or -c_k of its range, and then by
r c_k (s_+ - s_-) in the better direction, with c_k = c_N (N/k)^{0.101} and r c_k^2 falling as
(A + k)^{-0.602}, A = N/10. An iteration is a match of both candidates of a pair; as both play
against opponents, the point does not learn to beat itself. Nobody has to choose the constants.

CMA-ES, which needs a library, is in `cma.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from arena_tune.parameters import Parameter, Settings

CANDIDATES = 16  # of a generation
PAIRS = CANDIDATES // 2
LAST_STEP = 0.05  # of a range: c_N
LAST_RATE = 0.02  # r at the end
STEP_POWER, RATE_POWER = 0.101, 0.602
DELAY_SHARE = 0.1  # of all iterations: A


class Optimiser(Protocol):
    """A search method. From one seed and the same scores it asks for the same candidates."""

    def ask(self) -> list[Settings]:
        """Return the next generation of candidates."""

    def tell(self, scores: Sequence[float]) -> None:
        """Learn the mean score of each candidate, in the order of asking; more is better."""

    @property
    def mean(self) -> Settings:
        """The settings in the middle of the present distribution."""

    @property
    def spread(self) -> Mapping[str, float]:
        """The width of the distribution by parameter.

        For a number this is its standard deviation as a share of the range, for a choice the
        probability of all other choices.
        """


class SpsaOptimiser:
    """The search by SPSA, over a number of generations that is known from the start."""

    def __init__(
        self, parameters: Sequence[Parameter], generations: int, matches: int, seed: int
    ) -> None:
        self._parameters = parameters
        self._matches = matches  # of each candidate
        self._last = max(1, generations * PAIRS * matches)
        self._done = 0  # iterations
        self._rng = np.random.default_rng(seed)
        self._point = np.array([parameter.scale(parameter.default) for parameter in parameters])
        self._signs = np.zeros((PAIRS, len(parameters)))
        halves = [
            parameter.scale(parameter.low + 1) / 2 if parameter.levels else 0.0
            for parameter in parameters
        ]
        self._least = np.array(halves)  # step: with less, both of a pair have one whole number

    def ask(self) -> list[Settings]:
        """Return the next generation: pairs of candidates on both sides of the point."""
        self._signs = self._rng.choice([-1.0, 1.0], (PAIRS, len(self._parameters)))
        moves = self._steps * self._signs
        pairs = zip(self._point + moves, self._point - moves, strict=True)
        return [self._build_settings(positions) for pair in pairs for positions in pair]

    def tell(self, scores: Sequence[float]) -> None:
        """Move the point towards the better candidate of each pair."""
        gains = np.array(scores[0::2]) - np.array(scores[1::2])
        move = self._rate * self._steps * self._matches * (gains @ self._signs)
        self._point = np.clip(self._point + move, 0.0, 1.0)
        self._done += PAIRS * self._matches

    @property
    def mean(self) -> Settings:
        """The settings of the point."""
        return self._build_settings(self._point)

    @property
    def spread(self) -> Mapping[str, float]:
        """The present step by parameter, as a share of the range."""
        steps = zip(self._parameters, self._steps, strict=True)
        return {parameter.name: float(step) for parameter, step in steps}

    @property
    def _step(self) -> float:
        return float(LAST_STEP * (self._last / (self._done + 1)) ** STEP_POWER)

    @property
    def _steps(self) -> NDArray[np.float64]:
        steps: NDArray[np.float64] = np.maximum(self._step, self._least)
        return steps

    @property
    def _rate(self) -> float:
        delay = DELAY_SHARE * self._last
        last = LAST_RATE * LAST_STEP**2
        gain = last * ((delay + self._last) / (delay + self._done + 1)) ** RATE_POWER
        return float(gain / self._step**2)

    def _build_settings(self, positions: Iterable[float]) -> Settings:
        return {
            parameter.name: parameter.unscale(float(position))
            for parameter, position in zip(self._parameters, positions, strict=True)
        }
