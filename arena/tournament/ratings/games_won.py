"""The share of games won, for games in which nobody plays against anybody.

There is no Elo without opponents: who plays together wins or loses together, against the game. The
figure of an entrant is its share of won games in per cent, with the interval of `estimate_share`,
each deal one observation. Of two entrants, the difference of the shares over its standard error is
taken as normal.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from attrs import frozen
from scipy.special import ndtr, ndtri

from arena.tournament.ratings.bradley_terry import Ratings
from arena.tournament.ratings.means import estimate_share, number_deals
from arena.tournament.result_columns import Results


@frozen
class GamesWon:
    """The share of games that were won, in per cent."""

    name: ClassVar = "games-won"
    summary: ClassVar = "the share of games won, where nobody plays against anybody"

    def fit(self, results: Results, level: float = 0.95) -> Ratings:
        """Return the share of each entrant; raise UserError for an impossible level."""
        n, deal = len(results.entrants), number_deals(results)
        rating, low, high = np.zeros(n), np.full(n, -np.inf), np.full(n, np.inf)
        deals = np.zeros(n, np.int64)
        for entrant in range(n):
            there = results.seats == entrant
            which, place = deal[there.any(axis=1)], results.places[there]
            played = np.bincount(which)
            shares = np.bincount(which, place == 1)[played > 0] / played[played > 0]
            deals[entrant] = len(shares)
            found = estimate_share(shares, level)
            if len(shares):
                rating[entrant] = 100 * found.share
            if len(shares) > 1:
                low[entrant], high[entrant] = 100 * found.low, 100 * found.high
        variance = ((high - low) / 2 / ndtri((1 + level) / 2)) ** 2
        known = np.isfinite(variance)
        error = np.sqrt(np.where(known[:, None] & known, variance[:, None] + variance, np.inf))
        superiority = ndtr((rating[:, None] - rating) / error)
        return Ratings(
            results.entrants, level, rating, low, high, np.diag(np.where(known, variance, 0)),
            superiority, np.zeros(n, np.int64), deals, measure="won (%)",
        )  # fmt: skip
