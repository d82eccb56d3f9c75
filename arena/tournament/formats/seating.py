"""Seating: every entrant gets every seat and every neighbour about equally often.

For one deal after the other, the least frequent order is chosen, counting the seats of each entrant
and its neighbours. If a deal is played in all rotations, everybody gets every seat, so only
neighbours count. Ties are broken at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import permutations
from random import Random

import numpy as np
from attrs import Factory, define, evolve
from numpy.typing import NDArray

from arena.tournament.models.schedule import FormatTerms, Id, PastMatches, Seating

ALL_ORDERS = 6  # the most seats for which every order is compared; else as many are drawn

Orders = NDArray[np.int64]  # (orders, table) indices into a group


def copy_past(past: PastMatches) -> PastMatches:
    """Return an independent copy of the past."""
    return evolve(
        past,
        plays=past.plays.copy(),
        met=past.met.copy(),
        groups=past.groups.copy(),
        sat=past.sat.copy(),
        beside=past.beside.copy(),
        stages=past.stages.copy(),
    )


@define
class SeatingPlanner:
    """Assigns seats to groups and counts them as planned deals."""

    past: PastMatches  # a copy
    terms: FormatTerms
    draw: Random
    seatings: list[Seating] = Factory(list)

    @classmethod
    def after(cls, past: PastMatches, terms: FormatTerms, draw: Random) -> SeatingPlanner:
        """Return a planner that continues from a past, which it does not change."""
        return cls(copy_past(past), terms, draw)

    def add(self, seats: Sequence[Id], stage: str = "") -> None:
        """Plan a deal with these seats."""
        seating = Seating(tuple(seats), stage)
        self.past.add(seating, self.terms.count_rotations(seats))
        self.seatings.append(seating)

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
        chosen = orders[best[self.draw.randrange(len(best))]]
        return tuple(group[index] for index in chosen)

    def _list_orders(self, size: int) -> Orders:
        if size <= ALL_ORDERS:
            return list_orders(size)
        wanted = len(list_orders(ALL_ORDERS))
        return np.array([self.draw.sample(range(size), size) for _ in range(wanted)])

    def _count_seats(self, group: Sequence[Id], orders: Orders) -> NDArray[np.int64]:
        """Count how often the members of each order have had these seats before."""
        sat, seats = self.past.sat, range(len(group))
        counts = np.array([[sat[entrant, seat] for seat in seats] for entrant in group])
        total: NDArray[np.int64] = counts[orders, np.arange(len(group))].sum(axis=1)
        return total

    def _count_neighbours(self, group: Sequence[Id], orders: Orders) -> NDArray[np.int64]:
        """Count how often the members of each order have been neighbours before."""
        beside = self.past.beside
        counts = np.array([[beside[entrant, other] for other in group] for entrant in group])
        total: NDArray[np.int64] = counts[orders, np.roll(orders, -1, axis=1)].sum(axis=1)
        return total


@cache
def list_orders(size: int) -> Orders:
    """Return all orders of `size` seats."""
    return np.array([*permutations(range(size))], dtype=np.int64)
