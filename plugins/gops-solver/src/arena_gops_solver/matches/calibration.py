"""The calibration of bots: if a bot bids by its stated probabilities, its luck has mean 0.

Its luck is the gain of its bids minus their mean gain by the stated probabilities. These also bound
the deviation from 0: a sum of steps of at most b with a total variance V reaches x with a
probability of at most exp(-x^2 / 2(V + bx/3)) (Freedman, 1975). A bot is doubted if that is
exp(-8), 1 in 3,000: at 4 standard errors with many bids, and further out with few.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import define

from arena_gops_solver.matches.aivat import Mix, list_weights
from arena_gops_solver.matches.luck import RoundAnalysis

ERRORS = 4  # standard errors
ROUNDING = 1e-6  # of a sum


@define
class StatedBids:
    """The bids of a bot, with the probabilities that it states."""

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
