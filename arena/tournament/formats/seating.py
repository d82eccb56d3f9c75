"""Seating, and what else formats share: checks of the field, and the score of a match.

Every entrant gets every seat and every neighbour about equally often. For one deal after the other,
the least frequent order is chosen, counting the seats of each entrant and its neighbours. If a deal
is played in all rotations, everybody gets every seat, so only neighbours count. Ties are broken at
random.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import permutations
from random import Random
from typing import Any

import numpy as np
from attrs import Factory, define, evolve
from numpy.typing import NDArray

from arena.rules import UserError, compute_beaten_share
from arena.tournament.deals import Deal, PastMatches, PlayedMatch
from arena.tournament.entries import Id
from arena.tournament.format_protocol import FormatTerms

ALL_ORDERS = 6  # the most seats for which every order is compared; else as many are drawn

Orders = NDArray[np.int64]  # (orders, table) indices into a group


@define
class SeatingPlanner:
    """Assigns seats to groups and counts them as planned deals."""

    past: PastMatches  # a copy
    terms: FormatTerms
    draw: Random
    deals: list[Deal] = Factory(list)
    _own: Counter[Id] = Factory(Counter)  # where each plays alone: the deals of each in this plan

    @classmethod
    def after(cls, past: PastMatches, terms: FormatTerms, draw: Random) -> SeatingPlanner:
        """Return a planner that continues from a past, which it does not change."""
        return cls(copy_past(past), terms, draw)

    def add(self, seats: Sequence[Id], stage: str = "", state: tuple[Any, ...] = ()) -> None:
        """Plan a deal with these seats; for one entrant, a match of a deal that others share."""
        if len(seats) == 1:
            self._add_alone(seats[0], stage, state)
            return
        rotations = self.terms.count_rotations(seats)
        deal = Deal(self.past.deals, tuple(seats), rotations, stage, state)
        self.past.count_deal(deal)
        self.deals.append(deal)

    def _add_alone(self, entrant: Id, stage: str, state: tuple[Any, ...]) -> None:
        """Let an entrant play the first deal of this plan that it has not played yet.

        An entrant that keeps a folder may remember deals, so that it plays deals of its own.
        """
        keeps = entrant in self.terms.folder_keepers
        number = len(self.deals) if keeps else self._own[entrant]
        while number < len(self.deals) and not self.terms.folder_keepers.isdisjoint(
            self.deals[number].seats
        ):
            number += 1
        self._own[entrant] = number + 1
        if number == len(self.deals):
            first = self.deals[0].number if self.deals else self.past.deals
            self.deals.append(Deal(first + number, (), 0, stage, state, alone=True))
            self.past.deals += 1
        deal = self.deals[number]
        seats = (*deal.seats, entrant)
        self.deals[number] = evolve(deal, seats=seats, rotations=len(seats))
        self.past.count_alone(entrant)

    def seat(self, group: Sequence[Id], stage: str = "") -> None:
        """Plan a deal with these entrants in their least frequent order."""
        self.add(self.choose_order(group), stage)

    def choose_order(self, group: Sequence[Id]) -> tuple[Id, ...]:
        """Return the least frequent order of these entrants."""
        orders = self._list_orders(len(group))
        costs = self._count_neighbours(group, orders)
        if self.terms.count_rotations(group) == 1:
            costs = costs + self._count_seats(group, orders)
        best = np.flatnonzero(costs == costs.min())
        order = orders[best[self.draw.randrange(len(best))]]
        return tuple(group[index] for index in order)

    def _list_orders(self, size: int) -> Orders:
        if size <= ALL_ORDERS:
            return list_orders(size)
        count = len(list_orders(ALL_ORDERS))
        return np.array([self.draw.sample(range(size), size) for _ in range(count)])

    def _count_seats(self, group: Sequence[Id], orders: Orders) -> NDArray[np.int64]:
        """Count how often the members of each order have had these seats before."""
        seatings, seats = self.past.seatings, range(len(group))
        counts = np.array([[seatings[entrant, seat] for seat in seats] for entrant in group])
        total: NDArray[np.int64] = counts[orders, np.arange(len(group))].sum(axis=1)
        return total

    def _count_neighbours(self, group: Sequence[Id], orders: Orders) -> NDArray[np.int64]:
        """Count how often the members of each order have been neighbours before."""
        neighbours = self.past.neighbours
        counts = np.array([[neighbours[entrant, other] for other in group] for entrant in group])
        total: NDArray[np.int64] = counts[orders, np.roll(orders, -1, axis=1)].sum(axis=1)
        return total


def copy_past(past: PastMatches) -> PastMatches:
    """Return an independent copy of the past."""
    return evolve(
        past,
        plays=past.plays.copy(),
        meetings=past.meetings.copy(),
        groups=past.groups.copy(),
        seatings=past.seatings.copy(),
        neighbours=past.neighbours.copy(),
    )


@cache
def list_orders(size: int) -> Orders:
    """Return all orders of `size` seats."""
    return np.array([*permutations(range(size))], dtype=np.int64)


def check_field(field: Sequence[Id], terms: FormatTerms) -> None:
    """Raise UserError if a field is too small for a match; an empty one checks the terms alone."""
    needed = terms.entrants_per_match
    if field and len(field) < needed:
        raise UserError(f"a match needs {needed} entrants, not {len(field)}")


def score_match(match: PlayedMatch) -> tuple[float, ...]:
    """Return each seat's score: the share of the other seats that it finished ahead of.

    So for two a win is 1 and a draw 1/2; for more, places are spread evenly from 1 to 0, and a seat
    that shares a place gets half for each other one there. A void match counts 1/2 for all.

    >>> score_match(PlayedMatch(Deal(0, ("a", "b", "c"), 1), 0, (1, 2, 2)))
    (1.0, 0.25, 0.25)
    """
    places, seats = match.places, range(len(match.seats))
    if places is None or len(seats) == 1:
        return (0.5,) * len(seats)
    return tuple(compute_beaten_share(places, seat) for seat in seats)
