"""King of the hill: all entrants meet at changing tables, equally often and in all seats.

Each entrant plays in proportion to the matches that it lacks, so that all finish at the same
time, whenever they entered. If those that lack matches need others to fill a table, the others
are chosen by how rarely they have met them; for the last seats, by how little they have played.

Tables are filled one after the other with entrants who have met each other least, and then
improved: two members of different tables change places if that lowers the sum of squared meetings
over all pairs, which is least when all pairs have met equally often.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import ClassVar

import numpy as np
from attrs import define, frozen
from numpy.typing import NDArray

from arena.rules import UserError
from arena.tournament.formats.seating import SeatingPlanner, check_field
from arena.tournament.models import Deal, FormatTerms, Id, PastMatches, make_pair

MIN_BATCH_DEALS = 12  # of a batch, if the field is smaller
TRIES_PER_SEAT = 20  # exchanges tried for each seat

Array = NDArray[np.float64]
Group = list[int]
Meetings = list[list[float]]


@frozen
class KingOfTheHill:
    """All entrants meet at changing tables, and each plays its share of matches.

    All entrants play equally often, meet each other about equally often, and sit about equally
    often in every seat and behind every other entrant. A late entrant plays more often, so that all
    finish together, or alone up to its share. If the shares do not fill the last tables, those who
    have played least fill them. `evenness` measures all this.
    """

    adaptive: ClassVar[bool] = False
    open: ClassVar[bool] = True

    def check(self, field: Sequence[Id], terms: FormatTerms) -> None:
        """Raise UserError if the number of matches is not set."""
        check_field(field, terms)
        if terms.share is None:
            raise UserError("king-of-the-hill has no end of its own: set `matches`")

    def next(
        self, field: Sequence[Id], past: PastMatches, terms: FormatTerms, draw: Random
    ) -> Sequence[Deal]:
        """Return deals for about as many tables as there are entrants."""
        if len(field) < terms.seats_per_match:
            return ()
        need = MissingMatches.of(field, past, terms)
        if not need.deals.any():
            return ()
        step = 1 if terms.keepers.intersection(field) else terms.count_rotations(())
        planner = SeatingPlanner.after(past, terms, draw)
        for group in build_groups(
            need.compute_quotas(draw), terms.seats_per_match, need.met, step, draw
        ):
            planner.seat([field[index] for index in group])
        return planner.deals


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


def build_groups(
    quotas: Sequence[int], table: int, met: NDArray[np.float64], step: float, draw: Random
) -> list[Group]:
    """Return groups in which each entrant appears as often as its quota, once per group at most.

    `met` is how often each two have met, and `step` how much one group adds. The quotas fill the
    groups, and none is more than there are groups.
    """
    met = met.copy()
    groups = _fill_groups(quotas, table, met, step, draw)
    _Exchanges(groups, met.tolist(), step).improve(draw)
    return groups


def _fill_groups(
    quotas: Sequence[int], table: int, met: NDArray[np.float64], step: float, draw: Random
) -> list[Group]:
    """Fill groups one after the other; count the meetings in `met`."""
    left, groups = np.array(quotas), []
    for size in range(sum(quotas) // table, 0, -1):
        group = [int(member) for member in np.flatnonzero(left == size)]  # must be in each one
        while len(group) < table:
            group.append(_choose_member(group, left, met, draw))
        left[group] -= 1
        met[np.ix_(group, group)] += step
        groups.append(group)
    return groups


def _choose_member(
    group: Group, left: NDArray[np.int64], met: NDArray[np.float64], draw: Random
) -> int:
    """Return the member that has met these least; among equals, the one with most left to play."""
    lots = np.array([draw.random() for _ in left])
    open_ = left > 0
    open_[group] = False
    meetings = np.where(open_, met[group].sum(axis=0), np.inf)
    return int(np.lexsort((lots, -left, meetings))[0])


@define
class _Exchanges:
    """Groups that are improved by exchanging members."""

    groups: list[Group]
    met: Meetings  # including these groups
    step: float

    def improve(self, draw: Random) -> None:
        """Try to exchange each member with a few random ones."""
        seats = [
            (number, seat) for number, group in enumerate(self.groups) for seat in range(len(group))
        ]
        for index, here in seats * TRIES_PER_SEAT:
            other, there = seats[int(draw.random() * len(seats))]
            left, right = self.groups[index], self.groups[other]
            if left[here] not in right and right[there] not in left:
                self._try_exchange(left, here, right, there)

    def _try_exchange(self, left: Group, here: int, right: Group, there: int) -> None:
        """Exchange two members unless that makes the meetings less even."""
        mover, partner = left[here], right[there]
        olds = [x for x in left if x not in right and x != mover]
        news = [x for x in right if x not in left and x != partner]
        mine, yours = self.met[mover], self.met[partner]
        gain = sum(mine[x] - yours[x] for x in olds) + sum(yours[x] - mine[x] for x in news)
        if gain >= self.step * (len(olds) + len(news)):
            left[here], right[there] = partner, mover
            self._count_exchange(mover, olds, news)
            self._count_exchange(partner, news, olds)

    def _count_exchange(self, member: int, olds: Sequence[int], news: Sequence[int]) -> None:
        """Count the meetings of a member with a group."""
        for change, those in ((-self.step, olds), (self.step, news)):
            for other in those:
                self.met[member][other] += change
                self.met[other][member] += change
