"""The evenness of a field's seating: how far matches, opponents, seats and neighbours differ."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations, permutations

from attrs import frozen

from arena.tournament.deals import PastMatches, make_pair
from arena.tournament.entries import Id


@frozen
class CountRange:
    """The minimum and maximum of some counts, and their ideal value."""

    least: int
    most: int
    ideal: float

    @classmethod
    def of(cls, counts: Collection[int]) -> CountRange:
        """Summarize some counts; all figures are 0 if there are none."""
        if not counts:
            return cls(0, 0, 0.0)
        return cls(min(counts), max(counts), sum(counts) / len(counts))


@frozen
class Evenness:
    """The spread of matches per entrant, per pair, per seat and per neighbour."""

    plays: CountRange
    meetings: CountRange
    seats: CountRange
    neighbours: CountRange


def compute_evenness(past: PastMatches, field: Sequence[Id]) -> Evenness:
    """Return the evenness of this field's seating, from the planned deals.

    Neighbours are counted round the table, so the last seat is before the first; at a table of two,
    each is before the other.
    """
    seats = range(1 + max((seat for _, seat in past.seatings), default=-1))
    return Evenness(
        plays=CountRange.of([past.plays[entrant] for entrant in field]),
        meetings=CountRange.of([past.meetings[make_pair(*two)] for two in combinations(field, 2)]),
        seats=CountRange.of([past.seatings[entrant, seat] for entrant in field for seat in seats]),
        neighbours=CountRange.of([past.neighbours[two] for two in permutations(field, 2)]),
    )
