"""Versions that have left: who they are, and how long their results count for ratings.

A hill that stays open for a year has seen thousands of versions. What one of them tells about those
who are present is how they fared against it: that gets less from version to version, as those who
met it leave, too, and those who stay meet others. The time and the memory that ratings take grow
with the square of the versions that they rate, and more.

So of those who have left only the ones count that played last, LEAST_COUNTED of them or as many as
are present, if these are more. Seats of the others are empty: what their opponents did against each
other counts. Where the present ones would be comparable only through somebody who counts no more,
everybody counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
from attrs import evolve
from numpy.typing import NDArray

from arena.tournament.entries import Entry, Id, State
from arena.tournament.ratings.meeting_graph import find_groups
from arena.tournament.ratings.rating_input import Ints, Results

LEAST_COUNTED = 200
"""The number of versions that have left whose results count, if no more are present.

In simulated hills of 20 to 50 places and 400 versions, ratings moved by at most 5 % of half their
interval on average when the older versions were left out, with 50 in place of 200 by 2 to 13 %. The
intervals of those who are present from the beginning get wider by a fifth to a half: they have
played thousands of matches, and of these a part counts no more.
"""


def find_departed(entries: Iterable[Entry]) -> frozenset[Id]:
    """Return the versions that have left.

    These are replaced or withdrawn, or failed and were followed by another version of their name.
    A version that failed last stays in sight.
    """
    entries = [*entries]
    latest = {entry.name: entry.id for entry in entries}
    final_states = (State.REPLACED, State.WITHDRAWN, State.ARCHIVED)
    return frozenset(
        entry.id
        for entry in entries
        if not entry.state.is_current
        and (entry.state in final_states or latest[entry.name] != entry.id)
    )


def select_counted_results(results: Results, departed: Collection[Id]) -> Results:
    """Return the results that count for ratings, of the entrants that count."""
    is_gone = np.array([entrant in departed for entrant in results.entrants], bool)
    count = max(LEAST_COUNTED, int((~is_gone).sum()))
    if is_gone.sum() <= count:
        return results
    last = find_last_deals(results)
    order = np.flatnonzero(is_gone)[np.argsort(last[is_gone], kind="stable")]
    mask = ~is_gone
    mask[order[-count:]] = True
    some = choose_entrants(results, mask)
    if count_groups(some, ~is_gone[mask]) > count_groups(results, ~is_gone):
        return results
    return some


def find_last_deals(results: Results) -> Ints:
    """Return the number of the last deal of each entrant, -1 without any; (n,)."""
    last = np.full(len(results.entrants), -1, np.int64)
    for column in results.seats.T:
        is_seat = column >= 0
        np.maximum.at(last, column[is_seat], results.deal[is_seat])
    return last


def choose_entrants(results: Results, mask: NDArray[np.bool_]) -> Results:
    """Return the matches of some entrants; the seats of the others are empty."""
    if mask.all():
        return results
    index = np.where(mask, np.cumsum(mask) - 1, -1)
    seats = np.where(results.seats >= 0, index[results.seats], -1)
    is_seat = seats >= 0
    fewest = min(2, results.seats.shape[1])  # to meet somebody, where there are opponents
    is_match = is_seat.sum(axis=1) >= fewest
    return evolve(
        results,
        entrants=tuple(results.entrants[at] for at in np.flatnonzero(mask)),
        deal=results.deal[is_match],
        seats=seats[is_match],
        places=np.where(is_seat, results.places, 0)[is_match],
        scores=np.where(is_seat, results.scores, np.nan)[is_match],
    )


def count_groups(results: Results, mask: NDArray[np.bool_]) -> int:
    """Return in how many groups some of the entrants fall that results connect."""
    return len(np.unique(find_groups(results)[mask]))
