"""The interface of rating models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from attrs import frozen

from arena.tournament.models.result_columns import Floats, Ints, Results
from arena.tournament.models.schedule import Id

ELO = 400 / float(np.log(10))
"""Elo points to a unit of log strength: 400 points are odds of ten to one in a duel."""


@frozen(eq=False)
class Ratings:
    """The ratings of all entrants, with their uncertainty.

    Ratings are relative to the mean of a group: of those who met, directly or through
    others. Between groups nothing is known, and numbers of two groups must not be compared.

    Who was in fewer than two deals has an interval without ends, and who met nobody is 0.
    """

    entrants: tuple[Id, ...]
    level: float  # of the intervals, such as 0.95
    rating: Floats  # (n,) Elo points above the mean of one's group
    low: Floats  # (n,) the interval's lower end, Elo points
    high: Floats  # (n,) its upper end
    covariance: Floats  # (n, n) of `rating`, squared Elo points; it knows contrasts only
    superiority: Floats  # (n, n) how probably row is really stronger than column
    group: Ints  # (n,) equal for those who met, directly or through others
    deals: Ints  # (n,) that each was in
    ties: Mapping[tuple[int, int], float]  # see `ChoiceDesign`; empty where nobody tied

    def ranking(self) -> Ints:
        """Return the indices of all entrants, the strongest first; (n,)."""
        return np.argsort(-self.rating, kind="stable")


class RatingModel(Protocol):
    """A rating model: estimates strengths from results.

    Models are frozen attrs classes whose fields are their parameters, as formats are; their
    name and summary are no fields, but the class's.
    """

    @property
    def name(self) -> str:
        """The model's name in commands and files."""

    @property
    def summary(self) -> str:
        """The summary of the model, in one line."""

    def suits(self, table: int) -> bool:
        """Return whether the model can rate tables of this size."""

    def fit(self, results: Results, level: float = 0.95) -> Ratings:
        """Rate all entrants; raise UserError for tables or a level that do not suit it."""
