"""Rounds in which all meet: the circle method for two, and its like for larger tables.

For two, everybody stands in a circle, and in each round those are paired whose numbers
have the same sum, so that a round is a set of pairs without anybody in common and every
two meet once (Reiss, Journal fuer die reine und angewandte Mathematik 56, 1859; Lucas,
Recreations mathematiques 2, 1883). For more, a round is one pattern, such as {0, 1, 4},
turned round the circle: each comes as often as the table has seats, and every group is
there in exactly one round.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from random import Random

Group = tuple[int, ...]
Round = tuple[Group, ...]


def rounds(entrants: int, table: int, draw: Random) -> list[Round]:
    """Return all groups of `table` entrants, in rounds; those of larger tables in drawn order."""
    if table == 2:  # noqa: PLR2004
        return [pairs(entrants, number) for number in range(entrants - 1 + entrants % 2)]
    return draw.sample(found := patterned(entrants, table), len(found))


def pairs(entrants: int, number: int) -> Round:
    """Return the pairs of a round by the circle method, the earlier of each first.

    >>> pairs(4, 0), pairs(4, 1), pairs(4, 2)
    (((1, 2), (0, 3)), ((0, 1), (2, 3)), ((0, 2), (1, 3)))
    """
    circle = entrants - 1 + entrants % 2
    found = [(one, (number - one) % circle) for one in range(circle)]
    alone = number * (circle + 1) // 2 % circle  # who would be paired with itself
    centre = [(alone, entrants - 1)] if circle < entrants else []
    return (*((one, other) for one, other in found if one < other), *centre)


@lru_cache(maxsize=4)
def patterned(entrants: int, table: int) -> tuple[Round, ...]:
    """Return all groups, those together that are one pattern turned round the circle."""
    return tuple(
        tuple(sorted({_turned(pattern, by, entrants) for by in range(entrants)}))
        for pattern in _patterns(entrants, table)
    )


def _patterns(entrants: int, table: int) -> Iterator[Group]:
    """Return each pattern once: as the first in order of its turns that have a 0."""
    for rest in combinations(range(1, entrants), table - 1):
        pattern = (0, *rest)
        if all(pattern <= _turned(pattern, -one, entrants) for one in rest):
            yield pattern


def _turned(pattern: Group, by: int, entrants: int) -> Group:
    return tuple(sorted((one + by) % entrants for one in pattern))
