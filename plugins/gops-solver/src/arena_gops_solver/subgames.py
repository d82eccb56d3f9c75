"""Subgames: the rest of a match from one position on, solved in memory.

The patterns are those of subsets of the two hands, the sets of prizes are subsets of the prizes
left: for 9 cards a thousandth of a table of the whole game with 13 cards.
"""

from __future__ import annotations

from math import comb

import numpy as np
from attrs import define, field

from arena_gops_solver import _native
from arena_gops_solver.layers import Cards, Patterns, compute_pattern, count_places
from arena_gops_solver.positions import Solution, SolverPosition
from arena_gops_solver.solver import (
    MOST_CARDS,
    NativeCallOptions,
    Parallelism,
    build_empty_layer,
    compute_bounds,
    fill,
)
from arena_gops_solver.value_table import Layer

MINE = np.uint32(0x55555555)  # the bits of my cards in a pattern
MOST_GAMES = {"points": 2_000_000_000, "win": 30_000_000}  # that take seconds on one core


@define(eq=False)
class Subgame:
    """The rest of a match from one position on."""

    place: SolverPosition
    objective: str
    points_before: int  # points, before this place
    _patterns: tuple[Patterns, ...]  # by cards held
    layers: list[Layer] = field(factory=list)

    @property
    def prizes(self) -> Cards:
        """The prizes left, ascending."""
        return self.place.prizes

    @property
    def hands(self) -> tuple[Cards, Cards]:
        """The hands at the start of the subgame."""
        return self.place.mine, self.place.theirs

    def patterns(self, held: int) -> Patterns:
        """Return the patterns with so many cards a hand that have a row, ascending."""
        return self._patterns[held]

    def layer(self, held: int) -> Layer:
        """Return the layer for this number of cards a hand."""
        return self.layers[held]

    def grow(self, native: NativeCallOptions) -> None:
        """Solve the next layer."""
        held = len(self.layers)
        below = self.layers[-1]
        bounds = compute_bounds(self, held, below.bounds, native) if below.bounds else None
        count = int(bounds.starts[-1]) if bounds else count_places(self, held)
        layer = Layer(np.empty(count), bounds)
        fill(self, held, (below, layer), native)
        self.layers.append(layer)


def solve_from(
    place: SolverPosition, objective: str, points_before: int, effort: Parallelism | None = None
) -> Solution:
    """Solve the game from a position on; `points_before` have been played for before it."""
    game = Subgame(place, objective, points_before, _list_patterns(place, objective))
    native = NativeCallOptions(effort or Parallelism(), lambda _: None)
    game.layers.append(build_empty_layer(game))
    for _ in place.prizes:
        game.grow(native)
    return Solution(game)


def choose_subgame_size(objective: str, matches: int) -> int:
    """Choose the largest subgame (in cards left) that solves so many matches within seconds."""
    most = MOST_GAMES[objective] // matches
    return max((cards for cards in range(1, MOST_CARDS) if count_games(cards) <= most), default=1)


def count_games(cards: int) -> int:
    """Return an upper bound on the matrix games below a position with so many cards a hand."""
    return sum(held * comb(cards, held) ** 3 for held in range(1, cards + 1))


def _list_patterns(place: SolverPosition, objective: str) -> tuple[Patterns, ...]:
    """Return the possible patterns by cards held; in points, without equal hands (worth 0)."""
    sides = (place.mine, place.theirs), (place.theirs, place.mine)
    whole = min(compute_pattern(*hands) for hands in sides)
    found = [np.array([whole], dtype=np.uint32)]
    for _ in place.prizes:
        found.append(_native.patterns_below(found[-1]))
    if objective == "points":
        found = [some[some != _mirror(some)] for some in found]
    return tuple(reversed(found))


def _mirror(patterns: Patterns) -> Patterns:
    """Return the patterns, seen by the other player."""
    return (patterns & MINE) << np.uint32(1) | patterns >> np.uint32(1) & MINE
