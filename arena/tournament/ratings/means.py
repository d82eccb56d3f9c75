"""Mean scores and mean places of all entrants."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from arena.tournament.models.result_columns import Floats, Ints, Results
from arena.tournament.models.schedule import Id
from arena.tournament.ratings.deal_clusters import (
    compute_reach,
    count_deals,
    number_deals,
    sum_by_deal,
)


@frozen(eq=False)
class EntrantMeans:
    """A mean for each entrant over its matches; nan for entrants without matches."""

    entrants: tuple[Id, ...]  #: in the order of the rows
    level: float  #: of the intervals
    mean: Floats  #: (n,)
    low: Floats  #: (n,) the interval's lower end; -inf with fewer than two deals
    high: Floats  #: (n,) its upper end; inf with fewer than two deals
    matches: Ints  #: (n,) that each was in
    deals: Ints  #: (n,) that each was in


def compute_mean_scores(results: Results, level: float = 0.95) -> EntrantMeans:
    """Return the mean score of each entrant, in the game's points."""
    return compute_means(results, results.scores, level)


def compute_mean_places(results: Results, level: float = 0.95) -> EntrantMeans:
    """Return the mean place of each entrant; two that share places 1 and 2 both count as 1."""
    return compute_means(results, results.places.astype(np.float64), level)


def compute_means(results: Results, value: Floats, level: float) -> EntrantMeans:
    """Return the means of values (matches, table) for each entrant, with intervals by deal.

    The mean is the ratio of two sums over deals, of values and of matches; its variance is that of
    the ratio estimator (Cochran, 'Sampling techniques', 1977, chapter 6), its interval Student's.
    Raises UserError for a level that is not a probability.
    """
    n = len(results.entrants)
    sat = results.seats >= 0
    deal = np.broadcast_to(number_deals(results)[:, None], sat.shape)[sat]
    entrant, got = results.seats[sat], value[sat]
    matches = np.bincount(entrant, minlength=n)
    mean = np.bincount(entrant, got, n) / np.where(matches > 0, matches, np.nan)
    each = sum_by_deal(deal, entrant, got - mean[entrant], (int(deal.max(initial=-1)) + 1, n))
    deals = count_deals(each)
    spread = np.bincount(each.indices, each.data**2, n) * deals / np.maximum(deals - 1, 1)
    error = np.sqrt(spread) / np.maximum(matches, 1)
    away = compute_reach(deals, level)
    away[deals > 1] *= error[deals > 1]
    return EntrantMeans(results.entrants, level, mean, mean - away, mean + away, matches, deals)
