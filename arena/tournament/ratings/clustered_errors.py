"""Standard errors of a fit, allowing any dependence between the matches of a deal.

The covariance is the sandwich of Huber (1967) and White (1982), clustered by deal (Liang and Zeger,
1986): the inverse information on both sides of the scores' own spread from deal to deal. It stays
valid if the model's own variance is wrong, either because the matches of a deal share its luck, or
because the model does not fit.

Two corrections make it usable with few deals:

- The residuals of a fit are too small for an entrant with few deals, by (k - 1)/k for k deals. Each
  deal is scaled up for its entrant with the fewest deals.
- The penalty counts as PENALTY additional deals, each with the corresponding spread. The results of
  an entrant that won every match have no spread, so without this the interval would be a point.
  PENALTY is chosen so that if one of two entrants won every deal, of up to a thousand, the near end
  of the interval is about that of the exact one (Clopper and Pearson, 1934).

In simulations these intervals reach their nominal coverage from about ten deals per entrant on, so
there is no bootstrap, which would take a thousand fits for the same result.
"""

from __future__ import annotations

import numpy as np

from arena.tournament.models.result_columns import Floats, Ints
from arena.tournament.ratings.deal_clusters import Sums, count_deals, sum_by_deal
from arena.tournament.ratings.likelihood import ChoiceDesign, compute_scores
from arena.tournament.ratings.maximum_likelihood import RIDGE, Fit

PENALTY = 3


def compute_sandwich(laid: list[ChoiceDesign], fit: Fit, entrants: int) -> tuple[Floats, Ints]:
    """Return the covariance of the log strengths (n, n), and the deals of each entrant (n,)."""
    scores = score_deals(laid, fit.beta)
    deals = count_deals(scores)
    correct_leverage(
        scores, np.where(np.arange(len(deals)) < entrants, deals, np.iinfo(np.int64).max)
    )
    spread = (scores.T @ scores).toarray() + PENALTY * RIDGE * np.eye(len(fit.beta))
    covariance = fit.inverse @ spread @ fit.inverse
    return covariance[:entrants, :entrants], deals[:entrants]


def score_deals(laid: list[ChoiceDesign], beta: Floats) -> Sums:
    """Return the score of each deal; (deals, parameters)."""
    nobody = np.zeros(0, np.int64)
    deal, column, value = [nobody], [nobody], [np.zeros(0)]
    for alternatives in laid:
        which = alternatives.choices.which
        deal.append(np.repeat(alternatives.choices.deal, alternatives.columns.shape[1]))
        column.append(alternatives.columns[which].ravel())
        value.append(compute_scores(alternatives, beta)[which].ravel())
    deals = np.concatenate(deal)
    shape = (int(deals.max(initial=-1)) + 1, len(beta))
    return sum_by_deal(deals, np.concatenate(column), np.concatenate(value), shape)


def correct_leverage(scores: Sums, deals: Ints) -> None:
    """Apply the CR3 leverage correction to each cluster, in place.

    `deals` (parameters,) is the number of deals that depend on each parameter.
    """
    lengths = np.diff(scores.indptr)
    starts = scores.indptr[:-1][lengths > 0]
    fewest = np.maximum(np.minimum.reduceat(deals[scores.indices], starts), 2)
    scores.data *= np.repeat(np.sqrt(fewest / (fewest - 1)), lengths[lengths > 0])
