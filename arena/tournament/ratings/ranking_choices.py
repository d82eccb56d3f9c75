"""Rankings as sequences of choices: the first of all, the first of the rest, and so on.

Each choice of a ranking has its candidates, and the one chosen, or several that share a place. The
last remaining entrant is no choice. Equal choices are counted together, so that the cost of a fit
depends on the number of different choices.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from arena.tournament.models.result_columns import Ints, Results

Bools = NDArray[np.bool_]

DENSE = 4  # a table up to this many times the keys is faster than sorting
WIDEST = np.iinfo(np.int64).max // 2


@frozen(eq=False)
class RankingChoices:
    """All choices among the same number of entrants."""

    members: Ints  # (different, size) the indices of the candidates, ascending
    chosen: Ints  # (different,) a bit for each candidate, the first the lowest
    count: Ints  # (different,) the count of each choice
    which: Ints  # (choices,) the index of the different choice
    deal: Ints  # (choices,) the deal of each choice, numbered without gaps

    @property
    def size(self) -> int:
        """The number of candidates of each choice."""
        return int(self.members.shape[1])


def list_choices(results: Results, deal: Ints) -> list[RankingChoices]:
    """Return all choices of all matches, one item for each number to choose among, ascending.

    `deal` (matches,) numbers the matches' deals without gaps. Tables of one give no choice.
    """
    found: defaultdict[int, list[tuple[Ints, Ints, Ints]]] = defaultdict(list)
    seats, places = sort_by_entrant(results)
    left = seats >= 0
    while left.size:
        best = np.where(left, places, WIDEST).min(axis=1, initial=WIDEST)
        taken = left & (places == best[:, None])
        sizes = left.sum(axis=1)
        for size in np.unique(sizes[sizes > 1]).tolist():
            found[size].append(collect_choices(size, sizes == size, (seats, left, taken), deal))
        more = sizes > 2  # noqa: PLR2004  # of two at most one is left
        seats, places, deal = seats[more], places[more], deal[more]
        left = left[more] & ~taken[more]
    return [merge_choices(found[size]) for size in sorted(found)]


def sort_by_entrant(results: Results) -> tuple[Ints, Ints]:
    """Return seats and places with each row sorted by entrant, so that equals look equal."""
    order = np.argsort(results.seats, axis=1)
    seats, places = (
        np.take_along_axis(array, order, axis=1) for array in (results.seats, results.places)
    )
    return seats, places


def collect_choices(
    size: int, rows: Bools, tables: tuple[Ints, Bools, Bools], deal: Ints
) -> tuple[Ints, Ints, Ints]:
    """Return members, chosen and deal of the choices among `size` candidates in these rows."""
    seats, left, taken = tables
    here = left & rows[:, None]
    bits: Ints = taken[here].reshape(-1, size) @ (1 << np.arange(size))
    return seats[here].reshape(-1, size), bits, deal[rows]


def merge_choices(parts: list[tuple[Ints, Ints, Ints]]) -> RankingChoices:
    """Count equal choices together."""
    members, chosen, deal = (np.concatenate(column) for column in zip(*parts, strict=True))
    first, which, count = count_distinct([chosen, *members.T])
    return RankingChoices(members[first], chosen[first], count, which, deal)


def count_distinct(columns: Sequence[Ints]) -> tuple[Ints, Ints, Ints]:
    """Count equal rows, given as columns of natural numbers.

    Returns the index of one row of each kind, the kind of each row, and the count of each kind.
    """
    keys, bound = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        width = int(column.max(initial=0)) + 1
        if bound > WIDEST // width:
            keys = np.unique(keys, return_inverse=True)[1]
            bound = len(keys)
        keys, bound = keys * width + column, bound * width
    return count_small_keys(keys) if bound <= DENSE * len(keys) else count_large_keys(keys)


def count_large_keys(keys: Ints) -> tuple[Ints, Ints, Ints]:
    """Do the same as `count_distinct` for keys too far apart to have an array of all between."""
    _, first, which, count = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    return first, which, count


def count_small_keys(keys: Ints) -> tuple[Ints, Ints, Ints]:
    """Do the same as `count_distinct` for small keys, without sorting."""
    count = np.bincount(keys)
    used = np.flatnonzero(count)
    number = np.empty(len(count), np.int64)
    number[used] = np.arange(len(used))
    which = number[keys]
    first = np.empty(len(used), np.int64)
    first[which] = np.arange(len(keys))
    return first, which, count[used]
