"""The two rating models: `bradley-terry` for duels, `plackett-luce` for tables of any size."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from attrs import frozen
from scipy.special import stdtr

from arena.rules import UserError
from arena.tournament.models.result_columns import Floats, Ints, Results
from arena.tournament.ratings.clustered_errors import compute_sandwich
from arena.tournament.ratings.connectivity import find_groups
from arena.tournament.ratings.deal_clusters import compute_reach, number_deals
from arena.tournament.ratings.likelihood import ChoiceDesign, build_alternatives
from arena.tournament.ratings.maximum_likelihood import maximise
from arena.tournament.ratings.model import ELO, RatingModel, Ratings
from arena.tournament.ratings.ranking_choices import list_choices

LARGEST = 12
"""The largest table: with 12 seats, there are 4,095 sets that could share the first place."""


@frozen
class BradleyTerry:
    """Bradley and Terry's (1952) model of duels, with Davidson's (1970) ties."""

    name: ClassVar = "bradley-terry"
    summary: ClassVar = "strengths from duels by maximum likelihood, with Davidson's ties"

    def suits(self, table: int) -> bool:
        """Return whether the table has two seats, the only size of this model."""
        return table == 2  # noqa: PLR2004  # a duel

    def fit(self, results: Results, level: float = 0.95) -> Ratings:
        """Rate all entrants; raise UserError for larger tables or an impossible level."""
        return fit_model(self, results, level)


@frozen
class PlackettLuce:
    """The model of Plackett (1975) and Luce (1959), with ties; see `likelihood`.

    On duels it is `bradley-terry`.
    """

    name: ClassVar = "plackett-luce"
    summary: ClassVar = "strengths from places at any table by maximum likelihood, with ties"

    def suits(self, table: int) -> bool:
        """Return whether the table has two to twelve seats."""
        return 1 < table <= LARGEST

    def fit(self, results: Results, level: float = 0.95) -> Ratings:
        """Rate all entrants; raise UserError for larger tables or an impossible level."""
        return fit_model(self, results, level)


def fit_model(model: RatingModel, results: Results, level: float) -> Ratings:
    """Fit strengths, their covariance, and all that follows from these."""
    check_tables(model, results)
    n = len(results.entrants)
    laid = build_alternatives(list_choices(results, number_deals(results)), n)
    fit = maximise(laid, n)
    covariance, deals = compute_sandwich(laid, fit, n)
    return build_ratings(
        results, level, fit.beta[:n], (covariance, deals), name_ties(laid, fit.beta[n:])
    )


def name_ties(laid: list[ChoiceDesign], logs: Floats) -> dict[tuple[int, int], float]:
    """Return the tie parameters by their names."""
    names = [name for alternatives in laid for name in alternatives.ties]
    return dict(zip(names, np.exp(logs).tolist(), strict=True))


def check_tables(model: RatingModel, results: Results) -> None:
    """Raise UserError for a table size that the model cannot rate; tables of one are ignored."""
    largest = int((results.seats >= 0).sum(axis=1).max(initial=0))
    if largest > 1 and not model.suits(largest):
        raise UserError(f"{model.name} cannot rate a table of {largest}")


def build_ratings(
    results: Results,
    level: float,
    strength: Floats,
    sandwiched: tuple[Floats, Ints],
    ties: dict[tuple[int, int], float],
) -> Ratings:
    """Return ratings from log strengths, their covariance, and the deals of each entrant."""
    group, deals = find_groups(results), sandwiched[1]
    centre = build_centring_matrix(group)
    rating: Floats = ELO * centre @ strength
    covariance: Floats = ELO**2 * centre @ sandwiched[0] @ centre.T
    away = compute_reach(deals, level)
    away[deals > 1] *= np.sqrt(covariance.diagonal()[deals > 1])
    surely = compute_superiority(rating, covariance, group, deals)
    low, high = rating - away, rating + away
    return Ratings(
        results.entrants, level, rating, low, high, covariance, surely, group, deals, ties
    )


def build_centring_matrix(group: Ints) -> Floats:
    """Return the matrix that subtracts the mean of each group; (n, n)."""
    same = (group[:, None] == group).astype(np.float64)
    centre: Floats = np.eye(len(group)) - same / same.sum(axis=1)
    return centre


def compute_superiority(rating: Floats, covariance: Floats, group: Ints, deals: Ints) -> Floats:
    """Return the probability that row is stronger than column; (n, n).

    The difference over its standard error has Student's distribution, with the smaller number of
    deals minus one as degrees of freedom. The probability is a half if nothing is known: between
    groups, and with fewer than two deals.
    """
    variance = covariance.diagonal()
    error = np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, 0))
    fewest = np.minimum(deals[:, None], deals)
    known = (group[:, None] == group) & (fewest > 1) & (error > 0)
    ratio = (rating[:, None] - rating) / np.where(known, error, np.inf)
    return np.where(known, stdtr(np.maximum(fewest - 1, 1), ratio), 0.5)
