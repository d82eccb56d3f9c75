"""Rankings as choices: who comes first of all, who of the rest, and so on.

A ranking says of each round of choosing among whom the choice was made, and who was chosen:
one, or several who are level. The last one left is no choice. Equal choices are counted
together, so that a fit costs what differs and not what was played.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from arena.tournament.models.result_columns import Ints, Results

Bools = NDArray[np.bool_]

DENSE = 4  # a table this many times the keys is quicker than sorting them
WIDEST = np.iinfo(np.int64).max // 2


@frozen(eq=False)
class RankingChoices:
    """All choices among the same number of entrants."""

    members: Ints  # (different, size) the indices of those who could be chosen, ascending
    chosen: Ints  # (different,) a bit for each member, the first the lowest
    count: Ints  # (different,) how often this came up
    which: Ints  # (choices,) the one of the different choices that each was
    deal: Ints  # (choices,) the deal that each was made in, numbered without gaps

    @property
    def size(self) -> int:
        """Return among how many each choice was."""
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
    """Return members, chosen and deal of the choices in these rows, which are among `size`."""
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

    Gives an index to each of the different rows, which of these each row is, and how often
    each comes up.
    """
    keys, bound = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        width = int(column.max(initial=0)) + 1
        if bound > WIDEST // width:
            keys = np.unique(keys, return_inverse=True)[1]
            bound = len(keys)
        keys, bound = keys * width + column, bound * width
    if bound > DENSE * len(keys):
        _, first, which, count = np.unique(
            keys, return_index=True, return_inverse=True, return_counts=True
        )
        return first, which, count
    return count_small_keys(keys)


def count_small_keys(keys: Ints) -> tuple[Ints, Ints, Ints]:
    """Do as `distinct`, for keys that are small: without sorting."""
    count = np.bincount(keys)
    used = np.flatnonzero(count)
    number = np.empty(len(count), np.int64)
    number[used] = np.arange(len(used))
    which = number[keys]
    first = np.empty(len(used), np.int64)
    first[which] = np.arange(len(keys))
    return first, which, count[used]
