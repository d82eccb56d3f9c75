"""The deal as the unit of chance.

Matches of one deal share its luck, which cancels out (everybody has each seat in turn) or adds up
(an entrant with good cards wins all of them). So values are summed over each deal, and only deals
count as independent.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.special import stdtrit

from arena.rules import UserError
from arena.tournament.models.result_columns import Floats, Ints, Results

Sums = csr_array[np.float64, tuple[int, int]]
"""(deals, columns): an entry is stored, even if 0, where a deal contributes to a column."""


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
