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

    Ratings are relative to the mean of a group, whose entrants met directly or through others.
    Nothing is known between groups, so ratings of different groups must not be compared.

    An entrant with fewer than two deals has an infinite interval, and one that met nobody is rated
    0.
    """

    entrants: tuple[Id, ...]
    level: float  # of the intervals, such as 0.95
    rating: Floats  # (n,) Elo points above the mean of the group
    low: Floats  # (n,) the interval's lower end, Elo points
    high: Floats  # (n,) its upper end
    covariance: Floats  # (n, n) of `rating`, squared Elo points; only contrasts are meaningful
    superiority: Floats  # (n, n) the probability that row is stronger than column
    group: Ints  # (n,) equal for entrants that met, directly or through others
    deals: Ints  # (n,) that each was in
    ties: Mapping[tuple[int, int], float]  # see `ChoiceDesign`; empty without shared places

    def ranking(self) -> Ints:
        """Return the indices of all entrants, the strongest first; (n,)."""
        return np.argsort(-self.rating, kind="stable")


class RatingModel(Protocol):
    """A rating model: estimates strengths from results.

    Models are frozen attrs classes whose fields are their parameters, like formats; name and
    summary belong to the class.
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
