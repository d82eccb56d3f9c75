"""Ratings with their uncertainty, whatever model estimated them, and what a model is."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from attrs import evolve, frozen
from scipy.special import stdtr

from arena.tournament.entries import Id
from arena.tournament.places import rank_entrants
from arena.tournament.ratings.rating_input import Floats, Ints, Results

ELO = 400 / float(np.log(10))
"""Elo points to a unit of log strength: 400 points are odds of ten to one."""

RATING = "rating"
"""The heading of Elo points."""


class Covariance(Protocol):
    """How the errors of all ratings vary together."""

    @property
    def variance(self) -> Floats:
        """The variance of each error; (n,)."""

    def compute_differences(self, index: int) -> Floats:
        """Return the variance of the difference of one error and each; (n,)."""


@frozen(eq=False)
class DenseCovariance:
    """A covariance as a matrix."""

    matrix: Floats  # (n, n)

    @property
    def variance(self) -> Floats:
        """The variance of each error; (n,)."""
        return self.matrix.diagonal()

    def compute_differences(self, index: int) -> Floats:
        """Return the variance of the difference of one error and each; (n,)."""
        variance, row = self.variance, self.matrix[index]
        return np.asarray(np.maximum(variance + variance[index] - 2 * row, 0))


@frozen(eq=False)
class Ratings:
    """The ratings of all entrants, with their uncertainty.

    Ratings are relative to the mean of a group, whose entrants met directly or through others,
    unless they are anchored.
    Nothing is known between groups, so ratings of different groups must not be compared.

    An entrant with fewer than two deals has an infinite interval, and one that met nobody is rated
    0.
    """

    entrants: tuple[Id, ...]
    level: float  # of the intervals, such as 0.95
    rating: Floats  # (n,) Elo points above the mean of the group
    low: Floats  # (n,) the interval's lower end, Elo points
    high: Floats  # (n,) its upper end
    covariance: Covariance  # of `rating`, squared Elo points; only contrasts are meaningful
    freedom: Floats  # (n,) the degrees of freedom of each variance; 0: nothing is known of it
    group: Ints  # (n,) equal for entrants that met, directly or through others
    deals: Ints  # (n,) that each was in
    measure: str = RATING  # what `rating` is, for headings

    def ranking(self) -> Ints:
        """Return the indices of all entrants, the strongest first, and equals by name; (n,)."""
        places = rank_entrants(dict(zip(self.entrants, zip(self.rating.tolist()), strict=True)))
        index = {entrant: number for number, entrant in enumerate(self.entrants)}
        return np.array([index[entrant] for _, entrant in places], np.int64)

    def compare(self, index: int) -> Floats:
        """Return the probability that an entrant is stronger than each one; (n,).

        The difference over its standard error has Student's distribution, with the smaller of both
        degrees of freedom. The probability is a half if nothing is known: between groups, and with
        fewer than two deals.
        """
        error = np.sqrt(self.covariance.compute_differences(index))
        fewest = np.minimum(self.freedom, self.freedom[index])
        mask = (self.group == self.group[index]) & (fewest > 0) & (error > 0)
        ratio = (self.rating[index] - self.rating) / np.where(mask, error, np.inf)
        return np.where(mask, stdtr(np.where(mask, fewest, 1), ratio), 0.5)

    @property
    def superiority(self) -> Floats:
        """The probability that row is stronger than column; (n, n), which takes long for many."""
        rows = [self.compare(index) for index in range(len(self.entrants))]
        return np.array(rows).reshape(len(rows), len(rows))

    def anchor(self, entrant: Id, rating: float) -> Ratings:
        """Return the ratings shifted so that one entrant has this one; others of its group follow.

        Intervals are then those of the difference to it, by the fewer degrees of freedom of both.
        """
        index = self.entrants.index(entrant)
        variance, mask = self.covariance.variance, np.isfinite(self.low)
        reach = np.where(mask, self.high - self.rating, np.inf)
        reach = reach / np.sqrt(np.where(mask & (variance > 0), variance, 1))
        between = self.covariance.compute_differences(index)
        half = np.maximum(reach, reach[index]) * np.sqrt(np.where(between > 0, between, 1))
        half[index] = 0
        moves = self.group == self.group[index]
        ratings = np.where(moves, self.rating + rating - self.rating[index], self.rating)
        return evolve(
            self,
            rating=ratings,
            low=np.where(moves, ratings - half, self.low),
            high=np.where(moves, ratings + half, self.high),
        )


class RatingModel(Protocol):
    """A rating model: estimates strengths from results.

    Models are frozen attrs classes whose fields are their parameters, like formats; the other
    attributes belong to the class.
    """

    @property
    def name(self) -> str:
        """The model's name in commands and files."""

    @property
    def summary(self) -> str:
        """The summary of the model, in one line."""

    @property
    def needs_opponents(self) -> bool:
        """Whether it compares opponents; if not, it is a model for cooperative games alone."""

    def fit(self, results: Results, level: float = 0.95) -> Ratings:
        """Rate all entrants; raise UserError for results or a level that do not suit it."""


@frozen
class AnchoredModel:
    """A model whose ratings are shifted so that one entrant has a fixed one."""

    model: RatingModel
    entrant: Id
    rating: float

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.model.name

    @property
    def summary(self) -> str:
        """The summary of the model."""
        return self.model.summary

    @property
    def needs_opponents(self) -> bool:
        """Whether the model compares opponents."""
        return self.model.needs_opponents

    def fit(self, results: Results, level: float = 0.95) -> Ratings:
        """Rate all entrants; raise UserError for results or a level that do not suit the model."""
        return self.model.fit(results, level).anchor(self.entrant, self.rating)
