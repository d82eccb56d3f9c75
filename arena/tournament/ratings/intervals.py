"""Intervals by Student's t: their reach, and that of a share of points.

The method of Agresti and Coull ('Approximate is better than exact', 1998) adds results that nobody
had to those that there are, so that an interval is no point where all came out alike.
"""

from __future__ import annotations

import numpy as np
from scipy.special import stdtrit

from arena.rules import UserError, describe_number
from arena.tournament.ratings.estimate import Estimate
from arena.tournament.ratings.rating_input import Floats

PRIOR_DEALS = 2
PRIOR_VARIANCE = 1 / 8  # of five equally likely shares of a deal


def compute_reach(freedom: Floats, level: float) -> Floats:
    """Return the half-width of an interval in standard errors, by Student's t.

    `freedom` is its degrees of freedom; with 0 the interval is infinite. Raises UserError for a
    level that is not a probability.
    """
    if not 0 < level < 1:
        bounds = describe_number("a number", 0, 1, above=True, below=True)
        raise UserError(f"level: {level:g} is not {bounds}")
    is_finite = freedom > 0
    return np.where(is_finite, stdtrit(np.where(is_finite, freedom, 1), (1 + level) / 2), np.inf)


def estimate_share(shares: Floats, level: float = 0.95, weights: Floats | None = None) -> Estimate:
    """Estimate the share of points against an opponent from its shares of deals.

    `weights` says how many deals had each share, one by default. The interval is Student's by
    deals, as if there had been PRIOR_DEALS more with five equally likely shares from 0 to 1: as
    Agresti and Coull ('Approximate is better than exact', 1998) do it for single matches. So it is
    no point where all deals came out alike; with fewer than two it is from 0 to 1. Raises UserError
    for a level that is not a probability.
    """
    weights = np.ones(len(shares)) if weights is None else weights
    deals = float(weights.sum())
    share = float(weights @ shares / deals) if deals else 1 / 2
    total = deals + PRIOR_DEALS
    middle = (deals * share + PRIOR_DEALS / 2) / total
    squares = float(weights @ (shares - middle) ** 2)
    squares += PRIOR_DEALS * (PRIOR_VARIANCE + (middle - 1 / 2) ** 2)
    half = float(compute_reach(np.array([deals - 1 + PRIOR_DEALS * (deals > 1)]), level)[0])
    half *= np.sqrt(squares) / total
    return Estimate(share, max(0.0, middle - half), min(1.0, middle + half))
