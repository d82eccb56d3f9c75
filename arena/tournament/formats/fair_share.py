"""The number of upcoming deals for each entrant, so that all end with equal shares.

Each entrant plays in proportion to the matches that it lacks, so that all finish at the same time,
whenever they entered. If those that lack matches need others to fill a table, the others are chosen
by how rarely they have met them; for the last seats, by how little they have played.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
from attrs import define
from numpy.typing import NDArray

from arena.tournament.models.schedule import FormatTerms, Id, PastMatches, make_pair

Array = NDArray[np.float64]
MIN_BATCH_DEALS = 12  # of a batch, if the field is smaller


@define
class MissingMatches:
    """The matches that each entrant still lacks."""

    terms: FormatTerms
    plays: Array  # (n,) matches of each entrant
    met: Array  # (n, n) matches of each pair
    deals: NDArray[np.int64]  # (n,) deals missing from each entrant's share

    @classmethod
    def of(cls, field: Sequence[Id], past: PastMatches, terms: FormatTerms) -> MissingMatches:
        """Count the lacking matches of each entrant."""
        assert terms.share is not None
        plays = np.array([past.plays[entrant] for entrant in field], float)
        met = np.array(
            [[past.met[make_pair(entrant, other)] for other in field] for entrant in field], float
        )
        each = np.array([terms.count_rotations([entrant]) for entrant in field])
        lacking = np.maximum(0, terms.share - plays)
        return cls(terms, plays, met, np.ceil(lacking / each).astype(int))

    def count_deals(self) -> int:
        """Return the number of deals to plan at a time: about one for each entrant."""
        entrants, table = len(self.plays), self.terms.seats_per_match
        whole = entrants * -(-MIN_BATCH_DEALS // entrants)
        wanted = max(-(-int(self.deals.sum()) // table), int(self.deals.max()))
        return min(whole, wanted)

    def compute_weights(self) -> Array:
        """Return each entrant's claim on seats.

        The claim is the number of missing deals; or else a share of the opponents needed by
        entrants with missing deals, who want others in proportion to the missing meetings with
        them.
        """
        lacking = self.deals > 0
        assert self.terms.share is not None
        meetings = self.terms.share * (self.terms.seats_per_match - 1) / max(1, len(self.plays) - 1)
        unmet = np.maximum(0, meetings - self.met) * (1 - np.eye(len(self.met)))
        wanted = unmet / np.maximum(1e-9, unmet.sum(axis=0))  # columns sum to 1
        return np.where(lacking, self.deals, wanted @ self.deals)

    def compute_quotas(self, draw: Random) -> list[int]:
        """Return the number of upcoming deals for each entrant, filling all seats."""
        size, lacking = self.count_deals(), self.deals > 0
        most = np.where(lacking, np.minimum(self.deals, size), size)
        claims = share_out(self.compute_weights(), most, size * self.terms.seats_per_match)
        left, others = (
            size * self.terms.seats_per_match - claims[lacking].sum(),
            int((~lacking).sum()),
        )
        if 0 < left < others:  # the last deals go to those who played least
            claims[~lacking] = left / others
        return self._round_claims(claims, most, size, draw)

    def _round_claims(
        self, claims: Array, most: NDArray[np.int64], size: int, draw: Random
    ) -> list[int]:
        """Round claims so that they fill the seats: the largest open part first.

        When all claims are met, the remaining seats go to those who will have played least.
        """
        given = np.floor(claims + 1e-9).astype(int)
        lots = np.array([draw.random() for _ in claims])
        for _ in range(size * self.terms.seats_per_match - int(given.sum())):
            claim = np.where(given < most, np.round(claims - given, 6), -np.inf)
            played = np.where(given < size, self.plays + given, np.inf)
            given[np.lexsort((lots, played, -claim))[0]] += 1
        return [int(count) for count in given]


def share_out(weights: Array, most: NDArray[np.int64], total: float) -> Array:
    """Divide a total in proportion, giving no entry more than its maximum.

    >>> share_out(np.array([8.0, 1.0, 1.0]), np.array([2, 9, 9]), 8.0).tolist()
    [2.0, 3.0, 3.0]
    """
    given, open_ = np.zeros(len(weights)), weights > 0
    while open_.any():
        claims = weights * (total - given[~open_].sum()) / weights[open_].sum()
        full = open_ & (claims >= most)
        if not full.any():
            given[open_] = claims[open_]
            break
        given[full] = most[full]
        open_ &= ~full
    return given
