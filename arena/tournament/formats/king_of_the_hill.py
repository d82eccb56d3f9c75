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
from arena.tournament.deals import Deal, PastMatches, make_pair
from arena.tournament.entries import Id
from arena.tournament.format_protocol import FormatTerms
from arena.tournament.formats.seating import SeatingPlanner, check_field

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
    have played least fill them. `compute_evenness` measures all this.
    """

    adaptive: ClassVar[bool] = False
    open: ClassVar[bool] = True
    needs_opponents: ClassVar[bool] = False

    def check(self, field: Sequence[Id], terms: FormatTerms) -> None:
        """Raise UserError if the number of matches is not set."""
        check_field(field, terms)
        if terms.share is None:
            raise UserError("king-of-the-hill has no end of its own: set `matches`")

    def next(
        self, field: Sequence[Id], past: PastMatches, terms: FormatTerms, draw: Random
    ) -> Sequence[Deal]:
        """Return deals for about as many tables as there are entrants."""
        if len(field) < terms.entrants_per_match:
            return ()
        need = MissingMatches.of(field, past, terms)
        if not need.deals.any():
            return ()
        step = 1 if terms.folder_keepers.intersection(field) else terms.count_rotations(())
        planner = SeatingPlanner.after(past, terms, draw)
        for group in build_groups(
            need.compute_quotas(draw), terms.entrants_per_match, need.meetings, step, draw
        ):
            planner.seat([field[index] for index in group])
        return planner.deals


@define
class MissingMatches:
    """The matches that each entrant still lacks."""

    terms: FormatTerms
    plays: Array  # (n,) matches of each entrant
    meetings: Array  # (n, n) matches of each pair
    deals: NDArray[np.int64]  # (n,) deals missing from each entrant's share

    @classmethod
    def of(cls, field: Sequence[Id], past: PastMatches, terms: FormatTerms) -> MissingMatches:
        """Count the lacking matches of each entrant."""
        assert terms.share is not None
        plays = np.array([past.plays[entrant] for entrant in field], float)
        meetings = np.array(
            [[past.meetings[make_pair(entrant, other)] for other in field] for entrant in field],
            float,
        )
        each = np.array([terms.count_rotations([entrant]) for entrant in field])
        lacking = np.maximum(0, terms.share - plays)
        return cls(terms, plays, meetings, np.ceil(lacking / each).astype(int))

    def count_deals(self) -> int:
        """Return the number of deals to plan at a time: about one for each entrant."""
        entrants, table = len(self.plays), self.terms.entrants_per_match
        whole = entrants * -(-MIN_BATCH_DEALS // entrants)
        need = max(-(-int(self.deals.sum()) // table), int(self.deals.max()))
        return min(whole, need)

    def compute_weights(self) -> Array:
        """Return each entrant's claim on seats.

        The claim is the number of missing deals; or else a share of the opponents needed by
        entrants with missing deals, which want others in proportion to the missing meetings with
        them.
        """
        lacking = self.deals > 0
        assert self.terms.share is not None
        opponents, entrants = self.terms.entrants_per_match - 1, len(self.plays)
        even = self.terms.share * opponents / max(1, entrants - 1)  # meetings of each pair
        missing = np.maximum(0, even - self.meetings) * (1 - np.eye(entrants))
        demand = missing / np.maximum(1e-9, missing.sum(axis=0))  # columns sum to 1
        return np.where(lacking, self.deals, demand @ self.deals)

    def compute_quotas(self, draw: Random) -> list[int]:
        """Return the number of upcoming deals for each entrant, filling all seats."""
        size, lacking = self.count_deals(), self.deals > 0
        most = np.where(lacking, np.minimum(self.deals, size), size)
        seats = size * self.terms.entrants_per_match
        claims = share_out(self.compute_weights(), most, seats)
        free_seats, others = seats - claims[lacking].sum(), int((~lacking).sum())
        if 0 < free_seats < others:  # the last deals go to those who played least
            claims[~lacking] = free_seats / others
        return self._round_claims(claims, most, size, draw)

    def _round_claims(
        self, claims: Array, most: NDArray[np.int64], size: int, draw: Random
    ) -> list[int]:
        """Round claims so that they fill the seats: the largest open part first.

        When all claims are met, the remaining seats go to those who will have played least.
        """
        quotas = np.floor(claims + 1e-9).astype(int)
        lots = np.array([draw.random() for _ in claims])
        for _ in range(size * self.terms.entrants_per_match - int(quotas.sum())):
            claim = np.where(quotas < most, np.round(claims - quotas, 6), -np.inf)
            totals = np.where(quotas < size, self.plays + quotas, np.inf)
            quotas[np.lexsort((lots, totals, -claim))[0]] += 1
        return [int(count) for count in quotas]


def share_out(weights: Array, most: NDArray[np.int64], total: float) -> Array:
    """Divide a total in proportion, giving no entry more than its maximum.

    >>> share_out(np.array([8.0, 1.0, 1.0]), np.array([2, 9, 9]), 8.0).tolist()
    [2.0, 3.0, 3.0]
    """
    shares, open_ = np.zeros(len(weights)), weights > 0
    while open_.any():
        claims = weights * (total - shares[~open_].sum()) / weights[open_].sum()
        full = open_ & (claims >= most)
        if not full.any():
            shares[open_] = claims[open_]
            break
        shares[full] = most[full]
        open_ &= ~full
    return shares


def build_groups(
    quotas: Sequence[int], table: int, meetings: NDArray[np.float64], step: float, draw: Random
) -> list[Group]:
    """Return groups in which each entrant appears as often as its quota, once per group at most.

    `meetings` is how often each two have met, and `step` how much one group adds. The quotas fill
    the groups, and none is more than there are groups.
    """
    meetings = meetings.copy()
    groups = _fill_groups(quotas, table, meetings, step, draw)
    _Exchanges(groups, meetings.tolist(), step).improve(draw)
    return groups


def _fill_groups(
    quotas: Sequence[int], table: int, meetings: NDArray[np.float64], step: float, draw: Random
) -> list[Group]:
    """Fill groups one after the other; count the meetings in `meetings`."""
    remainder, groups = np.array(quotas), []
    for size in range(sum(quotas) // table, 0, -1):
        group = [int(member) for member in np.flatnonzero(remainder == size)]  # must be in each one
        while len(group) < table:
            group.append(_choose_member(group, remainder, meetings, draw))
        remainder[group] -= 1
        meetings[np.ix_(group, group)] += step
        groups.append(group)
    return groups


def _choose_member(
    group: Group, remainder: NDArray[np.int64], meetings: NDArray[np.float64], draw: Random
) -> int:
    """Return the member that has met these least; among equals, the one with most left to play."""
    lots = np.array([draw.random() for _ in remainder])
    open_ = remainder > 0
    open_[group] = False
    with_group = np.where(open_, meetings[group].sum(axis=0), np.inf)
    return int(np.lexsort((lots, -remainder, with_group))[0])


@define
class _Exchanges:
    """Groups that are improved by exchanging members."""

    groups: list[Group]
    meetings: Meetings  # including these groups
    step: float

    def improve(self, draw: Random) -> None:
        """Try to exchange each member with a few random ones."""
        seats = [
            (number, seat) for number, group in enumerate(self.groups) for seat in range(len(group))
        ]
        for index, seat in seats * TRIES_PER_SEAT:
            other, other_seat = seats[int(draw.random() * len(seats))]
            left, right = self.groups[index], self.groups[other]
            if left[seat] not in right and right[other_seat] not in left:
                self._try_exchange(left, seat, right, other_seat)

    def _try_exchange(self, left: Group, seat: int, right: Group, other_seat: int) -> None:
        """Exchange two members unless that makes the meetings less even."""
        mover, partner = left[seat], right[other_seat]
        left_group = [x for x in left if x not in right and x != mover]
        right_group = [x for x in right if x not in left and x != partner]
        own, other = self.meetings[mover], self.meetings[partner]
        gain = sum(own[x] - other[x] for x in left_group) + sum(
            other[x] - own[x] for x in right_group
        )
        if gain >= self.step * (len(left_group) + len(right_group)):
            left[seat], right[other_seat] = partner, mover
            self._count_exchange(mover, left_group, right_group)
            self._count_exchange(partner, right_group, left_group)

    def _count_exchange(
        self, member: int, old_group: Sequence[int], new_group: Sequence[int]
    ) -> None:
        """Count the meetings of a member that has left one group for another."""
        for change, group in ((-self.step, old_group), (self.step, new_group)):
            for other in group:
                self.meetings[member][other] += change
                self.meetings[other][member] += change
