"""Mean scores and mean places of all entrants, and the deal as the unit of chance.

Matches of one deal share its luck, which cancels out (everybody has each seat in turn) or adds up
(an entrant with good cards wins all of them). So values are summed over each deal, and only deals
count as independent.
"""

from __future__ import annotations

import numpy as np
from attrs import frozen
from scipy.sparse import csr_array
from scipy.special import stdtrit

from arena.rules import UserError
from arena.tournament.models import Id
from arena.tournament.result_columns import Floats, Ints, Results

Sums = csr_array[np.float64, tuple[int, int]]
"""(deals, columns): an entry is stored, even if 0, where a deal contributes to a column."""


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


def number_deals(results: Results) -> Ints:
    """Return each match's deal, numbered from 0 without gaps; (matches,)."""
    return np.unique(results.deal, return_inverse=True)[1]


def sum_by_deal(deal: Ints, column: Ints, value: Floats, shape: tuple[int, int]) -> Sums:
    """Sum values over each deal and column; the three have one length."""
    made = csr_array((value, (deal, column)), shape=shape)
    made.sum_duplicates()
    return made


def count_deals(found: Sums) -> Ints:
    """Return the number of deals that contribute to each column; (columns,)."""
    return np.bincount(found.indices, minlength=found.shape[1])


def compute_reach(deals: Ints, level: float) -> Floats:
    """Return the half-width of an interval in standard errors, by Student's t.

    The degrees of freedom are the deals minus one; with fewer than two deals the interval is
    infinite. Raises UserError for a level that is not a probability.
    """
    if not 0 < level < 1:
        raise UserError(f"the level of an interval must be between 0 and 1, not {level:g}")
    return np.where(deals > 1, stdtrit(np.maximum(deals - 1, 1), (1 + level) / 2), np.inf)
