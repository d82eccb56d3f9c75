"""Groups of entrants that can be compared, since results connect them."""

from __future__ import annotations

import numpy as np
from attrs import frozen

from arena.tournament.models.result_columns import Ints, Results
from arena.tournament.models.schedule import Id
from arena.tournament.ratings.head_to_head import list_meetings


@frozen
class Connectivity:
    """The groups of entrants that results connect."""

    groups: tuple[tuple[Id, ...], ...]
    """Groups of entrants that met, directly or through others; the largest group first.

    With more than one, ratings can only be compared within a group. An entrant that met nobody is a
    group of its own.
    """


def find_connectivity(results: Results) -> Connectivity:
    """Return the groups of entrants that results connect, each in the order of `results`."""
    names = results.entrants
    return Connectivity(name_groups(names, find_groups(results)))


def find_groups(results: Results) -> Ints:
    """Return the number of each entrant's group; (n,)."""
    n = len(results.entrants)
    if not n:
        return np.zeros(0, np.int64)
    met = list_meetings(results)
    pairs = np.flatnonzero(np.bincount(met.first * n + met.second))
    return find_components(n, *divmod(pairs, n))


def find_components(n: int, first: Ints, second: Ints) -> Ints:
    """Return the number of each entrant's group, given the pairs that are connected; (n,).

    Each entrant takes the lowest number among its neighbours until nothing changes. (The function
    of scipy takes a fifth of a second to import, and every run and ranking needs this.)
    """
    lowest = np.arange(n)
    while True:
        before = lowest.copy()
        np.minimum.at(lowest, first, before[second])
        np.minimum.at(lowest, second, before[first])
        lowest = lowest[lowest]  # halves the number of steps along a chain
        if np.array_equal(lowest, before):
            return np.asarray(np.unique(lowest, return_inverse=True)[1], np.int64)


def name_groups(names: tuple[Id, ...], group: Ints) -> tuple[tuple[Id, ...], ...]:
    """Return the groups by their entrants' names, the largest first."""
    groups = [
        tuple(names[index] for index in np.flatnonzero(group == component).tolist())
        for component in range(int(group.max(initial=-1)) + 1)
    ]
    return tuple(sorted(groups, key=lambda members: (-len(members), names.index(members[0]))))
