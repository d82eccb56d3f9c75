"""The layers of a table: one for each number of cards a hand.

A layer has a row for each kept pattern (see `cpp/patterns.hpp`), and in it a place for each set of
prizes left. For `points` a place holds one number. For `win` it holds one number for each undecided
difference so far; two bounds give their range.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache
from itertools import combinations
from math import comb
from typing import Any, Protocol

import numpy as np
from attrs import field, frozen, validators
from numpy.typing import NDArray

from arena_gops_solver import _native

OBJECTIVES = ("points", "win")
PRECISIONS = ("float64", "float32")

Numbers = NDArray[np.floating[Any]]
Bounds = NDArray[np.int16]
Starts = NDArray[np.int64]
Patterns = NDArray[np.uint32]
Cards = tuple[int, ...]


class SolveScope(Protocol):
    """The scope of a solve: the prizes, and the patterns that occur."""

    @property
    def objective(self) -> str:
        """The objective, `points` or `win`."""

    @property
    def prizes(self) -> Cards:
        """The prizes, ascending."""

    @property
    def points_before(self) -> int:
        """The points played for before these prizes."""

    def patterns(self, held: int) -> Patterns:
        """Return the patterns with so many cards a hand that have a row, ascending."""


@frozen
class TableKind:
    """The game that a table solves, and the precision of its numbers."""

    cards: int = field(
        validator=[validators.instance_of(int), validators.ge(2), validators.le(_native.MOST_CARDS)]
    )
    objective: str = field(default="points", validator=validators.in_(OBJECTIVES))
    precision: str = field(default="float64", validator=validators.in_(PRECISIONS))

    @property
    def level(self) -> bool:
        """Whether equal hands have rows; in points, they are worth 0."""
        return self.objective == "win"

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        """The type of a number in the file, little-endian."""
        return np.dtype("<f8") if self.precision == "float64" else np.dtype("<f4")

    @property
    def prizes(self) -> Cards:
        """All prizes."""
        return tuple(range(1, self.cards + 1))

    @property
    def points_before(self) -> int:
        """The points played for before the first prize: 0."""
        return 0

    def patterns(self, held: int) -> Patterns:
        """Return the patterns with so many cards a hand that have a row, ascending."""
        return list_patterns(self.cards, held, self.level)

    def places(self, held: int) -> int:
        """Count the pairs of a kept pattern and a set of prizes."""
        return count_places(self, held)


def count_places(ground: SolveScope, held: int) -> int:
    """Count the pairs of a kept pattern and a set of prizes."""
    return len(ground.patterns(held)) * comb(len(ground.prizes), held)


@lru_cache(maxsize=64)
def list_patterns(cards: int, held: int, level: bool) -> Patterns:
    """Return the patterns that have a row, ascending."""
    return _native.kept_patterns(cards, held, level)


@lru_cache(maxsize=64)
def compute_points_before(prizes: Cards, points_before: int, held: int) -> NDArray[np.int64]:
    """Return the points played for before each set of prizes left, by the rank of the set.

    `points_before` are the points played for before all these prizes.
    """
    every = points_before + sum(prizes)
    sets = sorted(combinations(prizes, held), key=lambda s: s[::-1])
    return np.array([every - sum(left) for left in sets], dtype=np.int64)


@frozen(eq=False)
class WinBounds:
    """The differences stored at each place of a layer; all arrays are by place.

    With the prizes left I can raise the difference by `secured` against anything, and they can hold
    me to a rise of `held_to`: the game is won from 1 - secured on, and lost up to -1 - held_to. The
    differences between are stored, if the prizes before can have led to them.
    """

    secured: Bounds
    held_to: Bounds
    points_before: NDArray[np.int64]  # points, by rank of the prize set

    def _rows(self, bounds: Bounds) -> NDArray[np.int64]:
        return bounds.reshape(-1, len(self.points_before)).astype(np.int64)

    @cached_property
    def starts(self) -> Starts:
        """The offset of each place's numbers, and at the end their total."""
        first = np.maximum(-self._rows(self.held_to), -self.points_before)
        last = np.minimum(-self._rows(self.secured), self.points_before)
        counts = np.maximum(0, last - first + 1).ravel()
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def compute_pattern(mine: Iterable[int], theirs: Iterable[int]) -> int:
    """Return the pattern of two hands: two bits for each card that one of them holds."""
    mine, theirs = set(mine), set(theirs)
    pattern = 0
    for rank, card in enumerate(sorted(mine | theirs)):
        pattern |= ((card in mine) + 2 * (card in theirs)) << 2 * rank
    return pattern


def compute_rank(prizes: Iterable[int]) -> int:
    """Return the place of a set of prizes among those of its size."""
    return sum(comb(prize - 1, at) for at, prize in enumerate(sorted(prizes), 1))


def find_row(patterns: Patterns, mine: Iterable[int], theirs: Iterable[int]) -> int | None:
    """Return the row of two hands; None if only the mirrored pattern has one, or neither."""
    pattern = compute_pattern(mine, theirs)
    at = int(np.searchsorted(patterns, np.uint32(pattern)))
    return at if at < len(patterns) and int(patterns[at]) == pattern else None
