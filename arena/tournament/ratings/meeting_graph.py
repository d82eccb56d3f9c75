"""The graph of meetings: which entrants results connect, in groups and in cycles.

Each two seats of a match have met, unless they are partners. Entrants that results do not connect
cannot be compared, and no ranking can show a cycle of entrants that beat each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from attrs import frozen
from scipy.sparse import csr_array

from arena.tournament.entries import Id
from arena.tournament.ratings.means import number_deals
from arena.tournament.ratings.rating_input import Ints, Results

MAX_COMPARED_CYCLES = 1000  # entrants behind whom there are cycles; of more, any cycle is returned


@frozen(eq=False)
class PairMeetings:
    """All meetings of two entrants at a table; all arrays are (meetings,)."""

    deal: Ints  # numbered without gaps
    first: Ints  # the entrant with the lower index
    second: Ints  # the entrant with the higher index
    margin: Ints  # 1 where the first finished ahead, 0 level, -1 behind


def list_meetings(results: Results) -> PairMeetings:
    """Return all meetings, of every two seats that are no partners."""
    deal, nobody = number_deals(results), np.zeros(0, np.int64)
    parts = [(nobody, nobody, nobody, nobody)]
    for seat, other in combinations(range(results.seats.shape[1]), 2):
        if results.are_partners(seat, other):
            continue
        first, second = results.seats[:, seat], results.seats[:, other]
        both = (first >= 0) & (second >= 0) & (first != second)
        margin = np.sign(results.places[:, other] - results.places[:, seat])
        margin = np.where(first < second, margin, -margin)
        lower, upper = np.minimum(first, second), np.maximum(first, second)
        parts.append((deal[both], lower[both], upper[both], margin[both]))
    return PairMeetings(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def number_pairs(meetings: PairMeetings, n: int) -> tuple[Ints, Ints, Ints]:
    """Return both entrants of each pair that met, in order, and the pair of each meeting."""
    pairs, pair = np.unique(meetings.first * n + meetings.second, return_inverse=True)
    return *divmod(pairs, max(n, 1)), pair


def list_connected_groups(results: Results) -> tuple[tuple[Id, ...], ...]:
    """Return the groups of entrants that met, directly or through others, the largest first.

    With more than one, ratings can only be compared within a group. An entrant that met nobody is a
    group of its own. Each group is in the order of `results`.
    """
    return name_groups(results.entrants, find_groups(results))


def find_groups(results: Results) -> Ints:
    """Return the number of each entrant's group; (n,)."""
    n = len(results.entrants)
    if not n:
        return np.zeros(0, np.int64)
    meetings = list_meetings(results)
    return find_components(n, meetings.first, meetings.second)


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


def find_shortest_cycle(n: int, winner: Ints, loser: Ints) -> list[int]:
    """Return a shortest cycle of this relation, as indices, or an empty list."""
    members = find_cycle_members(n, winner, loser)
    if not len(members):
        return []
    position = locate_entrants(members.tolist(), n)
    inside = (position[winner] >= 0) & (position[loser] >= 0)
    edges = position[winner[inside]], position[loser[inside]]
    if len(members) > MAX_COMPARED_CYCLES:
        return [int(index) for index in members[walk_to_cycle(*edges)]]
    from scipy.sparse.csgraph import shortest_path  # slow to import, and seldom needed

    beats = np.zeros((len(members), len(members)), bool)
    beats[edges] = True
    length, before = shortest_path(csr_array(beats), unweighted=True, return_predecessors=True)
    round_trip = np.where(beats, length.T + 1, np.inf)
    first, second = divmod(int(round_trip.argmin()), len(beats))
    cycle = [first, *trace_path(before.astype(np.int64), second, first)]
    return [int(index) for index in members[cycle]]


def find_cycle_members(n: int, winner: Ints, loser: Ints) -> Ints:
    """Return the entrants that are left as those who beat nobody leave in turn.

    Nobody is left unless there is a cycle: each who is left beats another one who is.
    """
    order = np.argsort(loser, kind="stable")
    winner, start = winner[order], np.searchsorted(loser[order], np.arange(n + 1))
    victims = np.bincount(winner, minlength=n)  # the number of those left whom each beats
    queue = np.flatnonzero(victims == 0).tolist()
    is_member = np.ones(n, bool)
    while queue:
        entrant = queue.pop()
        is_member[entrant] = False
        winners = winner[start[entrant] : start[entrant + 1]]
        victims[winners] -= 1
        queue += winners[victims[winners] == 0].tolist()
    return np.flatnonzero(is_member)


def walk_to_cycle(winner: Ints, loser: Ints) -> list[int]:
    """Return the cycle to which a walk from winners to losers leads, where each beats another."""
    losers = dict(zip(winner.tolist(), loser.tolist(), strict=True))
    walk = [int(winner[0])]
    while losers[walk[-1]] not in walk:
        walk.append(losers[walk[-1]])
    return walk[walk.index(losers[walk[-1]]) :]


def trace_path(before: Ints, start: int, end: int) -> list[int]:
    """Return the path from start up to, but without, end, along the predecessors in `before`."""
    way: list[int] = []
    position = end
    while position != start:
        position = int(before[start, position])
        way.append(position)
    return way[::-1]


def locate_entrants(some: Sequence[int], n: int) -> Ints:
    """Return the position of each of n entrants among some, or -1; (n,)."""
    position = np.full(n, -1)
    position[np.asarray(some, np.int64)] = np.arange(len(some))
    return position
