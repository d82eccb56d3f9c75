"""Rounds of a round robin: the circle method for pairs, and its analogue for larger tables.

For pairs, the entrants are numbered round a circle, and each round pairs those whose numbers have
the same sum, so that a round consists of disjoint pairs and every two meet once (Reiss, Journal
fuer die reine und angewandte Mathematik 56, 1859; Lucas, Recreations mathematiques 2, 1883). For
larger tables, a round is one pattern, such as {0, 1, 4}, rotated round the circle: each entrant
appears as often as the table has seats, and every group is in exactly one round.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from random import Random

Group = tuple[int, ...]
Round = tuple[Group, ...]


def build_rounds(entrants: int, table: int, draw: Random) -> list[Round]:
    """Return all groups of `table` entrants, in rounds; those of larger tables in drawn order."""
    if table == 2:  # noqa: PLR2004
        return [build_pairs(entrants, number) for number in range(entrants - 1 + entrants % 2)]
    return draw.sample(found := build_patterns(entrants, table), len(found))


def build_pairs(entrants: int, number: int) -> Round:
    """Return the pairs of a round by the circle method, the earlier of each first.

    >>> build_pairs(4, 0), build_pairs(4, 1), build_pairs(4, 2)
    (((1, 2), (0, 3)), ((0, 1), (2, 3)), ((0, 2), (1, 3)))
    """
    circle = entrants - 1 + entrants % 2
    found = [(first, (number - first) % circle) for first in range(circle)]
    alone = number * (circle + 1) // 2 % circle  # the entrant that would be paired with itself
    centre = [(alone, entrants - 1)] if circle < entrants else []
    return (*((first, second) for first, second in found if first < second), *centre)


@lru_cache(maxsize=4)
def build_patterns(entrants: int, table: int) -> tuple[Round, ...]:
    """Return all groups, ordered so that the rotations of one pattern are together."""
    return tuple(
        tuple(sorted({_rotate(pattern, by, entrants) for by in range(entrants)}))
        for pattern in _find_patterns(entrants, table)
    )


def _find_patterns(entrants: int, table: int) -> Iterator[Group]:
    """Return each pattern once, as the first of its rotations that contain 0."""
    for rest in combinations(range(1, entrants), table - 1):
        pattern = (0, *rest)
        if all(pattern <= _rotate(pattern, -offset, entrants) for offset in rest):
            yield pattern


def _rotate(pattern: Group, by: int, entrants: int) -> Group:
    return tuple(sorted((place + by) % entrants for place in pattern))
