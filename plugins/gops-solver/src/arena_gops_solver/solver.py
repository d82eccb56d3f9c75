"""Solving a game layer by layer into a file, and the rest of a match in memory."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from math import comb
from pathlib import Path

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from arena import UserError
from arena_gops_solver import _native
from arena_gops_solver.positions import Solution, SolverPosition
from arena_gops_solver.value_table import (
    Cards,
    Layer,
    Numbers,
    Patterns,
    SolveScope,
    TableSpec,
    TableWriter,
    ValueTable,
    WinBounds,
    compute_pattern,
    compute_points_before,
    count_places,
    list_patterns,
    lock,
    measure_bounds,
    parse_layer,
    translate_errors,
)

MOST_CARDS: int = _native.MOST_CARDS
MOST_GAMES = {"points": 2_000_000_000, "win": 30_000_000}  # that take seconds on one core
MINE = np.uint32(0x55555555)  # the bits of my cards in a pattern


@frozen
class SolveProgress:
    """The progress of a solve: the share of the work done, and the estimated seconds left."""

    share: float
    seconds_left: float


Report = Callable[[SolveProgress], None]


def ignore_progress(progress: SolveProgress) -> None:
    """Do nothing with the progress."""


@frozen
class Parallelism:
    """The number of `threads` of a solve, and of numbers side by side (`lanes`, SIMD)."""

    threads: int = field(factory=lambda: len(os.sched_getaffinity(0)))
    lanes: int = field(factory=lambda: max(_native.lanes_supported()))


def solve(
    kind: TableSpec, out: Path, effort: Parallelism | None = None, report: Report = ignore_progress
) -> ValueTable:
    """Solve the game into the file `out`, or continue an earlier solve that was interrupted.

    On KeyboardInterrupt, or any exception of `report`, the threads stop within a second, and
    finished layers stay. Raises UserError if `out` is another file, or another process is solving
    into it.
    """
    effort = effort or Parallelism()
    if effort.lanes not in _native.lanes_supported():
        raise UserError(
            f"lanes: {effort.lanes} is not one of {_native.lanes_supported()}, which work here"
        )
    with translate_errors(out), out.open("ab") as file:
        lock(file)
        _go_on(TableWriter.start(out, kind), effort, report)
    return ValueTable.open(out)


def _go_on(draft: TableWriter, effort: Parallelism, report: Report) -> None:
    """Solve the missing layers; raise UserError if an existing one is damaged."""
    kind = draft.header.kind
    done = len(draft.header.sections)
    clock = SolveProgressMeter.start(kind, done, report)
    table = ValueTable.open_draft(draft.path)
    table.check()
    layer = _get_last_layer(table)
    for held in range(done + 1, kind.cards):
        layer = solve_layer(draft, held, layer, NativeCallOptions(effort, clock.tick(held)))


def _get_last_layer(table: ValueTable) -> Layer:
    """Return the last finished layer: of the file, or of empty hands."""
    done = len(table.header.sections)
    return table.layer(done) if done else build_empty_layer(table)


def solve_layer(draft: TableWriter, held: int, below: Layer, native: NativeCallOptions) -> Layer:
    """Solve one layer, add it to the file, and return it."""
    kind = draft.header.kind
    bounds = compute_bounds(kind, held, below.bounds, native) if below.bounds else None
    count = int(bounds.starts[-1]) if bounds else kind.places(held)
    room = draft.make_room(measure_bounds(kind, held) + count * kind.dtype.itemsize)
    if bounds:
        each = kind.places(held)
        np.frombuffer(room, "<i2", each)[:] = bounds.secured
        np.frombuffer(room, "<i2", each, 2 * each)[:] = bounds.held_to
    layer = Layer(parse_layer(kind, held, room).values, bounds)
    fill(kind, held, (below, layer), native)
    draft.add_layer(room)
    return layer


@frozen
class SolveProgressMeter:
    """Turns the progress of a layer into the progress of the solve."""

    weights: tuple[float, ...]  # of each layer, roughly in proportion to its time
    begun: float  # the share done by an earlier solve
    started: float
    report: Report

    @classmethod
    def start(cls, kind: TableSpec, done: int, report: Report) -> SolveProgressMeter:
        """Begin, with `done` layers solved before."""
        weights = [estimate_weight(kind, held) for held in range(1, kind.cards)]
        shares = tuple(cost / sum(weights) for cost in weights)
        return cls(shares, sum(shares[:done]), time.monotonic(), report)

    def tick(self, held: int) -> Callable[[float], None]:
        """Return the progress callback that the native solver calls at this layer."""
        before = sum(self.weights[: held - 1])

        def tell(share_of_layer: float) -> None:
            share = before + self.weights[held - 1] * share_of_layer
            spent = time.monotonic() - self.started
            fresh = max(share - self.begun, 1e-9)
            self.report(SolveProgress(share, spent * (1 - share) / fresh))

        return tell


def estimate_weight(kind: TableSpec, held: int) -> float:
    """Estimate the time of a layer: its number of games, times the cards squared."""
    games = len(list_patterns(kind.cards, held, kind.level)) * held * comb(kind.cards, held)
    return float(games * held**2)


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


@define(eq=False)
class Subgame:
    """The rest of a match from one position on, solved in memory.

    Its patterns are those of subsets of the two hands, its sets of prizes are subsets of the prizes
    left: for 9 cards a thousandth of a table of the whole game with 13 cards.
    """

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


@frozen
class NativeCallOptions:
    """Options for each call of the native solver."""

    effort: Parallelism
    tick: Callable[[float], None]


def build_empty_layer(ground: SolveScope) -> Layer:
    """Return the layer in which nothing is left to bid."""
    if ground.objective == "points":
        return Layer(np.zeros(0))
    nothing = np.zeros(1, dtype=np.int16)
    gone = compute_points_before(ground.prizes, ground.points_before, 0)
    return Layer(np.zeros(1), WinBounds(nothing, nothing, gone))


def compute_bounds(
    ground: SolveScope, held: int, below: WinBounds, native: NativeCallOptions
) -> WinBounds:
    """Return the bounds of a layer, from those of the one below."""
    secured, held_to = (np.empty(count_places(ground, held), dtype=np.int16) for _ in range(2))
    kept = ground.patterns(held), ground.patterns(held - 1)
    sides = (below.secured, below.held_to, secured, held_to)
    # The bounds are quick and not part of the progress, but Ctrl-C works here as well.
    _native.win_bounds(ground.prizes, held, *kept, *sides, native.effort.threads, lambda _: None)
    return WinBounds(
        secured, held_to, compute_points_before(ground.prizes, ground.points_before, held)
    )


def fill(
    ground: SolveScope, held: int, layers: tuple[Layer, Layer], native: NativeCallOptions
) -> None:
    """Compute the numbers of a layer, in double precision whatever the file's is."""
    below, here = layers
    out = here.values if here.values.dtype == np.float64 else np.empty(len(here.values))
    kept = ground.patterns(held), ground.patterns(held - 1)
    common = (native.effort.threads, native.effort.lanes, native.tick)
    if here.bounds and below.bounds:
        sides = (*_list_arrays(below.bounds), _widen(below.values), *_list_arrays(here.bounds), out)
        _native.solve_win(ground.prizes, ground.points_before, held, *kept, *sides, *common)  # type: ignore[arg-type]
    else:
        values = _widen(below.values), _widen(out)
        _native.solve_points(ground.prizes, held, *kept, *values, *common)  # type: ignore[arg-type]
    if out is not here.values:
        here.values[:] = out


def _widen(values: Numbers) -> NDArray[np.float64]:
    return values.astype(np.float64, copy=False)


def _list_arrays(
    bounds: WinBounds,
) -> tuple[NDArray[np.int16], NDArray[np.int16], NDArray[np.int64]]:
    return bounds.secured, bounds.held_to, bounds.starts
