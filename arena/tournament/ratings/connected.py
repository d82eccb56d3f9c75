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


def connectivity(results: Results) -> Connectivity:
    """Say whom results join; entrants of a group stand in the order of `results`."""
    names = results.entrants
    return Connectivity(named(names, joined(results)))


def joined(results: Results) -> Ints:
    """Return the number of each entrant's group; (n,)."""
    n = len(results.entrants)
    if not n:
        return np.zeros(0, np.int64)
    met = meetings(results)
    pairs = np.flatnonzero(np.bincount(met.first * n + met.second))
    edges = coo_array((np.ones(len(pairs)), (pairs // n, pairs % n)), shape=(n, n))
    found = connected_components(edges, directed=False)
    return np.asarray(found[1], np.int64)


def named(names: tuple[Id, ...], group: Ints) -> tuple[tuple[Id, ...], ...]:
    """Return the groups by their entrants' names, the largest first."""
    groups = [
        tuple(names[index] for index in np.flatnonzero(group == one).tolist())
        for one in range(int(group.max(initial=-1)) + 1)
    ]
    return tuple(sorted(groups, key=lambda one: (-len(one), names.index(one[0]))))
