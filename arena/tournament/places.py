"""Places: equals share one, wherever entrants are ranked."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isnan

from arena.tournament.entries import Id

ROUNDING = 1e-6
"""The largest difference between equals, whose sums were added up in different orders."""


def rank_entrants(keys: Mapping[Id, tuple[float, ...]]) -> list[tuple[int, Id]]:
    """Return the places of entrants, the largest keys first, and equals by name.

    1 is the best, and equals share the better place.

    >>> rank_entrants({"d": (0,), "c": (1,), "b": (2,), "a": (1,)})
    [(1, 'b'), (2, 'a'), (2, 'c'), (4, 'd')]
    """
    columns = zip(*keys.values(), strict=True)
    levels = zip(*map(_number_levels, columns), strict=True)
    order = sorted(zip(levels, keys, strict=True))
    first: dict[tuple[int, ...], int] = {}
    return [
        (first.setdefault(level, number), entrant)
        for number, (level, entrant) in enumerate(order, 1)
    ]


def _number_levels(values: tuple[float, ...]) -> list[int]:
    """Return a number for each value, 0 for the largest, and the same for equals."""
    numbers = [-inf if isnan(value) else value for value in values]
    levels: dict[float, int] = {}
    level, last = -1, inf
    for value in sorted(set(numbers), reverse=True):
        level += last - value > ROUNDING
        levels[value] = level
        last = value
    return [levels[value] for value in numbers]
