"""The share of games won, for cooperative games.

There is no Elo without opponents: partners win or lose together, against the game. The
figure of an entrant is its share of won games in per cent, with the interval of `estimate_share`,
each deal one observation. Entrants play the same deals, so their shares vary together: where both
were dealt good cards, both win. The covariance of two shares is that of the deals that both have
played, and the difference over its standard error is taken as normal.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from attrs import frozen
from scipy.special import ndtri

from arena.tournament.ratings.estimate import Estimate, round_value
from arena.tournament.ratings.intervals import PRIOR_DEALS, PRIOR_VARIANCE, estimate_share
from arena.tournament.ratings.means import estimate_difference, number_deals
from arena.tournament.ratings.rating_input import Floats, Ints, Results
from arena.tournament.ratings.ratings import DenseCovariance, Ratings


@frozen
class GamesWon:
    """The share of games that were won, in per cent."""

    name: ClassVar = "games-won"
    summary: ClassVar = "the share of games won, in cooperative games"
    needs_opponents: ClassVar = False

    def fit(self, results: Results, level: float = 0.95) -> Ratings:
        """Return the share of each entrant; raise UserError for an impossible level."""
        n, deal = len(results.entrants), number_deals(results)
        wins = np.full((n, int(deal.max(initial=-1)) + 1), np.nan)  # each entrant's share of a deal
        rating, low, high = np.zeros(n), np.full(n, -np.inf), np.full(n, np.inf)
        deals = np.zeros(n, np.int64)
        for entrant in range(n):
            is_own = results.seats == entrant
            which, place = deal[is_own.any(axis=1)], results.places[is_own]
            matches = np.bincount(which)
            shares = np.bincount(which, place == 1)[matches > 0] / matches[matches > 0]
            wins[entrant, np.flatnonzero(matches)] = shares
            deals[entrant] = len(shares)
            interval = estimate_share(shares, level)
            if len(shares):
                rating[entrant] = 100 * interval.value
            if len(shares) > 1:
                low[entrant], high[entrant] = 100 * interval.low, 100 * interval.high
        error = (high - low) / 2 / ndtri((1 + level) / 2)
        mask = np.isfinite(error)
        finite = np.where(mask, error, 0)
        covariance = correlate(wins) * np.outer(finite, finite)
        freedom = np.where(mask, np.inf, 0)  # as of a normal distribution
        return Ratings(
            entrants=results.entrants,
            level=level,
            rating=rating,
            low=low,
            high=high,
            covariance=DenseCovariance(covariance),
            freedom=freedom,
            group=np.zeros(n, np.int64),
            deals=deals,
            measure="won (%)",
        )


def correlate(shares: Floats) -> Floats:
    """Return the correlation of the mean shares of each two entrants; (n, n).

    `shares` (n, deals) is nan where an entrant did not play. As if there had been PRIOR_DEALS more
    deals, in which shares do not depend on each other, it is never quite 1.
    """
    is_played = np.isfinite(shares)
    mean = np.where(is_played, shares, 0).sum(axis=1) / np.maximum(is_played.sum(axis=1), 1)
    deviation = np.where(is_played, shares - mean[:, None], 0)
    squares = (deviation**2).sum(axis=1) + PRIOR_DEALS * PRIOR_VARIANCE
    correlation: Floats = deviation @ deviation.T / np.sqrt(np.outer(squares, squares))
    np.fill_diagonal(correlation, 1)
    return correlation


@frozen(eq=False)
class DealComparison:
    """Two entrants that played the same deals, each alone; differences are first less second."""

    deals: int
    won: tuple[float, float]  # deals, or shares of them where a deal was played more than once
    won_difference: Estimate  # of the shares of games won
    mean_scores: tuple[float, float]  # nan without deals
    score_difference: Estimate

    def pack(self) -> dict[str, Any]:
        """Return it as JSON; what is not known is None."""
        return {
            "deals": self.deals,
            "won": [round(won, 4) for won in self.won],
            "won_difference": self.won_difference.pack(),
            "mean_scores": [*map(round_value, self.mean_scores)],
            "score_difference": self.score_difference.pack(),
        }

    def format(self) -> tuple[str, str]:
        """Return both differences with their intervals, that of games won in per cent."""
        lead = self.won_difference
        return (
            f"{100 * lead.value:+.0f} % ({100 * lead.low:+.0f} to {100 * lead.high:+.0f})",
            self.score_difference.format_difference(2),
        )


def compare_over_deals(wins: Floats, scores: Floats, level: float = 0.95) -> DealComparison:
    """Compare the shares won and the scores of two entrants; both arguments are (deals, 2)."""
    lead = estimate_share((1 + wins[:, 0] - wins[:, 1]) / 2, level)
    first, second = scores.mean(axis=0).tolist() if len(scores) else (np.nan, np.nan)
    return DealComparison(
        len(wins),
        (float(wins[:, 0].sum()), float(wins[:, 1].sum())),
        lead.map(lambda end: 2 * end - 1),
        (first, second),
        estimate_difference(scores[:, 0], scores[:, 1], level),
    )


def compare_entrants(
    results: Results, first: Ints, second: Ints, level: float = 0.95
) -> DealComparison:
    """Compare two entrants over the deals that both have played; each may have several indices."""
    deal = number_deals(results)
    n = int(deal.max(initial=-1)) + 1
    wins, scores = np.full((n, 2), np.nan), np.full((n, 2), np.nan)
    for column, indices in enumerate((first, second)):
        is_own = np.isin(results.seats, indices)
        which = np.broadcast_to(deal[:, None], is_own.shape)[is_own]
        matches = np.bincount(which, minlength=n)
        some = matches > 0
        for figures, value in (
            (wins, results.places[is_own] == 1),
            (scores, results.scores[is_own]),
        ):
            figures[some, column] = np.bincount(which, value, n)[some] / matches[some]
    both = np.isfinite(wins).all(axis=1)
    return compare_over_deals(wins[both], scores[both], level)
