"""How evenly everybody has sat, in figures to be shown."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations, permutations

from attrs import frozen

from arena.tournament.models.deals import Id, Past, make_pair


@frozen
class Spread:
    """The least and the most of some counts, and what each were if all were equal."""

    least: int
    most: int
    ideal: float

    @classmethod
    def of(cls, counts: Collection[int]) -> Spread:
        """Sum up some counts; of none, it is all 0."""
        if not counts:
            return cls(0, 0, 0.0)
        return cls(min(counts), max(counts), sum(counts) / len(counts))


@frozen
class Evenness:
    """Matches of each, of each two together, of each in each seat, of each behind each."""

    plays: Spread
    meetings: Spread
    seats: Spread
    neighbours: Spread


def compute_evenness(past: Past, field: Sequence[Id]) -> Evenness:
    """Return the evenness of this field's seatings, from the deals that were planned.

    Neighbours are counted round the table, the last sitting before the first; two who are
    alone at a table are so both ways.
    """
    seats = range(1 + max((seat for _, seat in past.sat), default=-1))
    return Evenness(
        plays=Spread.of([past.plays[entrant] for entrant in field]),
        meetings=Spread.of([past.met[make_pair(*two)] for two in combinations(field, 2)]),
        seats=Spread.of([past.sat[entrant, seat] for entrant in field for seat in seats]),
        neighbours=Spread.of([past.beside[two] for two in permutations(field, 2)]),
    )
