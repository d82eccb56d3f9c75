"""The share of games won, for games in which nobody plays against anybody.

There is no Elo without opponents: who plays together wins or loses together, against the game. The
figure of an entrant is its share of won games in per cent, with the interval of `estimate_share`,
each deal one observation. Entrants play the same deals, so their shares vary together: where both
were dealt good cards, both win. The covariance of two shares is that of the deals that both have
played, and the difference over its standard error is taken as normal.
"""

from __future__ import annotations

from math import isfinite
from typing import Any, ClassVar

import numpy as np
from attrs import frozen
from scipy.special import ndtri

from arena.tournament.rating_input import Floats, Ints, Results
from arena.tournament.ratings.intervals import PRIOR_DEALS, PRIOR_VARIANCE, estimate_share
from arena.tournament.ratings.means import estimate_difference, number_deals
from arena.tournament.ratings.ratings import DenseCovariance, Ratings


@frozen
class GamesWon:
    """The share of games that were won, in per cent."""

    name: ClassVar = "games-won"
    summary: ClassVar = "the share of games won, where nobody plays against anybody"

    def fit(self, results: Results, level: float = 0.95) -> Ratings:
        """Return the share of each entrant; raise UserError for an impossible level."""
        n, deal = len(results.entrants), number_deals(results)
        won = np.full((n, int(deal.max(initial=-1)) + 1), np.nan)  # each entrant's share of a deal
        rating, low, high = np.zeros(n), np.full(n, -np.inf), np.full(n, np.inf)
        deals = np.zeros(n, np.int64)
        for entrant in range(n):
            there = results.seats == entrant
            which, place = deal[there.any(axis=1)], results.places[there]
            played = np.bincount(which)
            shares = np.bincount(which, place == 1)[played > 0] / played[played > 0]
            won[entrant, np.flatnonzero(played)] = shares
            deals[entrant] = len(shares)
            found = estimate_share(shares, level)
            if len(shares):
                rating[entrant] = 100 * found.share
            if len(shares) > 1:
                low[entrant], high[entrant] = 100 * found.low, 100 * found.high
        error = (high - low) / 2 / ndtri((1 + level) / 2)
        known = np.isfinite(error)
        finite = np.where(known, error, 0)
        covariance = correlate(won) * np.outer(finite, finite)
        freedom = np.where(known, np.inf, 0)  # as of a normal distribution
        return Ratings(
            results.entrants, level, rating, low, high, DenseCovariance(covariance), freedom,
            np.zeros(n, np.int64), deals, measure="won (%)",
        )  # fmt: skip


def correlate(won: Floats) -> Floats:
    """Return the correlation of the mean shares of each two entrants; (n, n).

    `won` (n, deals) is nan where an entrant did not play. As if there had been PRIOR_DEALS more
    deals, in which shares do not depend on each other, it is never quite 1.
    """
    played = np.isfinite(won)
    mean = np.where(played, won, 0).sum(axis=1) / np.maximum(played.sum(axis=1), 1)
    centred = np.where(played, won - mean[:, None], 0)
    squares = (centred**2).sum(axis=1) + PRIOR_DEALS * PRIOR_VARIANCE
    found: Floats = centred @ centred.T / np.sqrt(np.outer(squares, squares))
    np.fill_diagonal(found, 1)
    return found


@frozen(eq=False)
class DealComparison:
    """Two entrants that have played the same deals, each alone; differences are first less second.

    Each of the two differences is a value with the ends of its interval.
    """

    deals: int
    won: tuple[float, float]  # deals, or shares of them where a deal was played more than once
    won_difference: tuple[float, float, float]  # of the shares of games won
    mean_scores: tuple[float, float]  # nan without deals
    score_difference: tuple[float, float, float]

    def pack(self) -> dict[str, Any]:
        """Return it as JSON; what is not known is None."""
        ends = ("value", "low", "high")
        return {
            "deals": self.deals,
            "won": [round(won, 4) for won in self.won],
            "won_difference": dict(zip(ends, map(_round, self.won_difference), strict=True)),
            "mean_scores": [*map(_round, self.mean_scores)],
            "score_difference": dict(zip(ends, map(_round, self.score_difference), strict=True)),
        }

    def format(self) -> tuple[str, str]:
        """Return both differences with their intervals, that of games won in per cent."""
        won, low, high = (100 * end for end in self.won_difference)
        more, least, most = self.score_difference
        return (
            f"{won:+.0f} % ({low:+.0f} to {high:+.0f})",
            f"{more:+.2f} ({format_end(least)} to {format_end(most)})",
        )


def format_end(score: float) -> str:
    """Format the end of the interval of a score; `?` if it is infinite."""
    return f"{score:+.2f}" if isfinite(score) else "?"


def _round(value: float) -> float | None:
    return round(value, 4) if isfinite(value) else None


def compare_over_deals(won: Floats, scores: Floats, level: float = 0.95) -> DealComparison:
    """Compare the shares won and the scores of two entrants; both arguments are (deals, 2)."""
    lead = estimate_share((1 + won[:, 0] - won[:, 1]) / 2, level)
    first, second = scores.mean(axis=0).tolist() if len(scores) else (np.nan, np.nan)
    ends = [2 * end - 1 for end in (lead.share, lead.low, lead.high)]
    return DealComparison(
        len(won),
        (float(won[:, 0].sum()), float(won[:, 1].sum())),
        (ends[0], ends[1], ends[2]),
        (first, second),
        estimate_difference(scores[:, 0], scores[:, 1], level),
    )


def compare_entrants(
    results: Results, first: Ints, second: Ints, level: float = 0.95
) -> DealComparison:
    """Compare two entrants over the deals that both have played; each may have several indices."""
    deal = number_deals(results)
    n = int(deal.max(initial=-1)) + 1
    won, scores = np.full((n, 2), np.nan), np.full((n, 2), np.nan)
    for column, indices in enumerate((first, second)):
        there = np.isin(results.seats, indices)
        which = np.broadcast_to(deal[:, None], there.shape)[there]
        played = np.bincount(which, minlength=n)
        some = played > 0
        for found, value in ((won, results.places[there] == 1), (scores, results.scores[there])):
            found[some, column] = np.bincount(which, value, n)[some] / played[some]
    both = np.isfinite(won).all(axis=1)
    return compare_over_deals(won[both], scores[both], level)
