"""Who can be compared at all."""

from __future__ import annotations

import numpy as np
from attrs import frozen
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from arena.tournament.plan import Id
from arena.tournament.ratings.duels import meetings
from arena.tournament.results import Ints, Results


@frozen
class Connectivity:
    """Which entrants results join."""

    groups: tuple[tuple[Id, ...], ...]
    """Those who met, directly or through others; the largest group first.

    With more than one, ratings can only be compared within a group. Who met nobody is a
    group alone.
    """

    chains: tuple[tuple[Id, ...], ...]
    """Within these, everybody finished ahead of or level with everybody else, if not in one
    match then by a chain of them; the largest first.

    More of them than groups means that some never once lost to, nor were level with, those
    below: then no finite ratings make the results most probable (Ford, 'Solution of a
    ranking problem from binary comparisons', 1957), and how far the two are apart is the
    penalty's word.
    """

    @property
    def comparable(self) -> bool:
        """Can all ratings be compared?"""
        return len(self.groups) <= 1

    @property
    def finite(self) -> bool:
        """Do the results alone keep all ratings finite?"""
        return len(self.chains) == len(self.groups)


def connectivity(results: Results) -> Connectivity:
    """Say whom results join; entrants of a group stand in the order of `results`."""
    names = results.entrants
    return Connectivity(
        named(names, joined(results, strong=False)), named(names, joined(results, strong=True))
    )


def joined(results: Results, *, strong: bool) -> Ints:
    """Give the number of each entrant's group or, if `strong`, chain; (n,)."""
    n = len(results.entrants)
    if not n:
        return np.zeros(0, np.int64)
    met = meetings(results)
    over, under = met.margin >= 0, met.margin <= 0
    above = np.concatenate([met.first[over], met.second[under]])
    below = np.concatenate([met.second[over], met.first[under]])
    pairs = np.flatnonzero(np.bincount(above * n + below))
    edges = coo_array((np.ones(len(pairs)), (pairs // n, pairs % n)), shape=(n, n))
    found = connected_components(edges, directed=strong, connection="strong")
    return np.asarray(found[1], np.int64)


def named(names: tuple[Id, ...], group: Ints) -> tuple[tuple[Id, ...], ...]:
    """Give the groups by their entrants' names, the largest first."""
    groups = [
        tuple(names[index] for index in np.flatnonzero(group == one).tolist())
        for one in range(int(group.max(initial=-1)) + 1)
    ]
    return tuple(sorted(groups, key=lambda one: (-len(one), names.index(one[0]))))
