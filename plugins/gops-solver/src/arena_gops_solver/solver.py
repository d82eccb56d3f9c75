"""Solving a game layer by layer into a file, and the rest of a match in memory."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Sequence
from math import comb
from pathlib import Path

import numpy as np
from attrs import define, field, frozen
from numpy.typing import NDArray

from arena import UserError
from arena_gops_solver import _native
from arena_gops_solver.positions import Solution, SolverPosition
from arena_gops_solver.value_table import (
    Bounds,
    Cards,
    Layer,
    Patterns,
    SolveScope,
    Starts,
    TableSpec,
    TableWriter,
    ValueTable,
    WinBounds,
    compute_pattern,
    compute_points_before,
    compute_row_starts,
    count_places,
    lock,
    measure_bounds,
    translate_errors,
)

MOST_CARDS = _native.MOST_CARDS
MOST_GAMES = {"points": 2_000_000_000, "win": 30_000_000}  # that take seconds on one core
CHUNK = 1 << 24  # numbers that are solved and written at a time: 128 MB, which take seconds
MOST_RESTS = 4  # subgames kept beside a table without small layers: 50 MB each
FRESH = 0.01  # the share of a solve after which the time left can be told
MINE = np.uint32(_native.MINE)


@frozen
class SolveProgress:
    """The progress of a solve."""

    share: float  # of the work done
    seconds_left: float | None  # None while too little is done to tell
    layer: int  # that is solved now, in cards a hand
    numbers: int  # in that layer
    finished: bool = False  # whether that layer is finished


Report = Callable[[SolveProgress], None]


def ignore_progress(progress: SolveProgress) -> None:
    """Do nothing with the progress."""


@frozen
class Parallelism:
    """The number of `threads` of a solve, and of numbers side by side (`lanes`, SIMD)."""

    threads: int = field(factory=lambda: len(os.sched_getaffinity(0)))
    lanes: int = field(factory=lambda: max(_native.list_lanes()))


def solve(
    kind: TableSpec, out: Path, effort: Parallelism | None = None, report: Report = ignore_progress
) -> ValueTable:
    """Solve the game into the file `out`, or continue an earlier solve that was interrupted.

    On KeyboardInterrupt, or any exception of `report`, the threads stop within a second, and
    finished chunks of layers stay. Raises UserError if `out` is another file, its disk is too
    small, or another process is solving into it.
    """
    effort = effort or Parallelism()
    if effort.lanes not in _native.list_lanes():
        raise UserError(
            f"lanes: {effort.lanes} is not one of {_native.list_lanes()}, which work here"
        )
    with translate_errors(out), out.open("ab") as file:
        lock(file)
        writer = TableWriter.start(out, kind)
        if writer.header.sections:
            ValueTable.open_draft(out).compare_checksums()
        if kind == kind.draft:
            _add_layers(writer, effort)
            _check_space(out.parent, writer)
            _solve_layers(writer, effort, report)
        else:
            draft = out.with_name(f"{out.name}.draft")
            if not writer.header.is_complete:
                _solve_by_draft(writer, draft, effort, report)
            draft.unlink(missing_ok=True)
    return ValueTable.open(out)


def _solve_by_draft(writer: TableWriter, path: Path, effort: Parallelism, report: Report) -> None:
    """Solve the game into a larger file, `path`, and copy what is kept of it."""
    path.touch()
    draft = TableWriter.start(path, writer.header.kind.draft)
    if draft.header.sections:
        ValueTable.open_draft(path).compare_checksums()
    _add_layers(draft, effort)
    table = ValueTable.open_draft(path)
    for held in range(writer.header.layers.stop, writer.header.kind.cards):
        writer.add_layer(table.read_layer(held).bounds)
    _check_space(path.parent, draft, writer)
    _solve_layers(draft, effort, report)
    for held in writer.header.layers:
        values = table.read_layer(held).values
        for first in range(writer.count_numbers(held), len(values), CHUNK):
            writer.add_numbers(held, values[first : first + CHUNK])


def _check_space(folder: Path, *writers: TableWriter) -> None:
    """Raise UserError if the disk has no room for what the files lack."""
    needed, free = sum(writer.header.missing for writer in writers), shutil.disk_usage(folder).free
    if free < needed:
        raise UserError(f"{folder}: {needed:,} more bytes are needed, and {free:,} are free there")


def _add_layers(writer: TableWriter, effort: Parallelism) -> None:
    """Add all layers without their numbers, so that it is known how many there will be."""
    kind, native = writer.header.kind, NativeCallOptions(effort, lambda _: None)
    done = len(writer.header.sections)
    bounds = _get_layer(ValueTable.open_draft(writer.path), done).bounds
    for held in range(done + 1, kind.cards):
        bounds = compute_bounds(kind, held, bounds, native) if bounds else None
        writer.add_layer(bounds)


def _get_layer(table: ValueTable, held: int) -> Layer:
    """Return a layer of an unfinished table, or that of empty hands."""
    return table.read_layer(held) if held else build_empty_layer(table)


def _solve_layers(writer: TableWriter, effort: Parallelism, report: Report) -> None:
    """Solve the numbers that are missing."""
    table = ValueTable.open_draft(writer.path)
    layers = LayerSolver(writer, table, effort, SolveProgressMeter.start(table, report))
    for held in table.kind.layers:
        if not writer.header.get_section(held).is_complete:
            layers.solve(held)


@frozen
class SolveProgressMeter:
    """Turns the progress of a layer into the progress of the solve."""

    counts: Sequence[int]  # the numbers of each layer, from 1 card a hand
    weights: Sequence[float]  # the share of each layer in the time of the solve, roughly
    begun: float  # the share done by an earlier solve
    started: float
    report: Report

    @classmethod
    def start(cls, table: ValueTable, report: Report) -> SolveProgressMeter:
        """Begin with what an earlier solve has done."""
        layers = [*enumerate(table.header.sections, 1)]
        size, kind = table.kind.dtype.itemsize, table.kind
        counts = [(each.size - measure_bounds(kind, held)) // size for held, each in layers]
        times = [count * held**4 for held, count in enumerate(counts, 1)]
        weights = [each / sum(times) for each in times]
        begun = sum(
            weight * (1 - (each.size - each.done) / max(size * count, 1))
            for weight, count, each in zip(weights, counts, table.header.sections, strict=True)
        )
        return cls(counts, weights, begun, time.monotonic(), report)

    def tick(self, held: int, begin: int, end: int) -> Callable[[float], None]:
        """Return the callback of the native solver for the numbers from `begin` to `end`."""
        return lambda share: self.tell(
            held, (begin + share * (end - begin)) / self.counts[held - 1]
        )

    def tell(self, held: int, share_of_layer: float, *, finished: bool = False) -> None:
        """Report how far a layer is."""
        share = sum(self.weights[: held - 1]) + self.weights[held - 1] * share_of_layer
        spent = time.monotonic() - self.started
        fresh = share - self.begun
        left = spent * (1 - share) / fresh if fresh > FRESH else None
        self.report(SolveProgress(share, left, held, self.counts[held - 1], finished))


@frozen
class LayerSolver:
    """Solves the missing numbers of layers into a file."""

    writer: TableWriter
    table: ValueTable  # the same file
    effort: Parallelism
    meter: SolveProgressMeter

    def solve(self, held: int) -> None:
        """Solve a layer chunk by chunk, so that little is lost when the process ends."""
        below, here = _get_layer(self.table, held - 1), self.table.read_layer(held)
        if below.bounds is None:
            below = Layer(below.values.astype(np.float64, copy=False))
        starts = compute_row_starts(self.table, held, here.bounds)
        first = int(np.searchsorted(starts, self.writer.count_numbers(held)))
        while first < len(starts) - 1:
            last = int(np.searchsorted(starts, starts[first] + CHUNK, "right")) - 1
            rows = slice(first, max(first + 1, last))
            begin, end = int(starts[rows.start]), int(starts[rows.stop])
            chunk = Layer(np.empty(end - begin), here.bounds and here.bounds.select(rows))
            native = NativeCallOptions(self.effort, self.meter.tick(held, begin, end))
            fill(self.table, held, (below, chunk), native, rows)
            self.writer.add_numbers(held, chunk.values)
            first = rows.stop
        self.meter.tell(held, 1, finished=True)


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


@frozen
class SolvedGame(Solution):
    """A whole game, solved into a table.

    Where the table has only the layers for larger hands, the rest of the game is solved from the
    position on, within seconds, and kept for the next ones.
    """

    table: ValueTable

    def compute_value(self, place: SolverPosition) -> float:
        """Return the expected payoff, see `Solution`."""
        if 0 < len(place.prizes) < self.table.kind.lowest:
            self._check(place)
            return self._solve_rest(place).compute_value(place)
        return super().compute_value(place)

    def build_stage(self, place: SolverPosition, prize: int) -> NDArray[np.float64]:
        """Return the game for a prize turned up, see `Solution`."""
        if 1 < len(place.prizes) <= self.table.kind.lowest and self.table.kind.lowest > 1:
            self._check(place)
            return self._solve_rest(place).build_stage(place, prize)
        return super().build_stage(place, prize)

    def _solve_rest(self, place: SolverPosition) -> Solution:
        """Return the solution of a subgame with this position."""
        rests = self.table.rests
        for rest in rests:
            if rest.has(place):
                return rest  # type: ignore[no-any-return]
        before = sum(self.table.prizes) - sum(place.prizes)
        rests.insert(0, solve_from(place, self.table.objective, before))
        del rests[MOST_RESTS:]
        return rests[0]  # type: ignore[no-any-return]


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
        layer = Layer(np.empty(compute_row_starts(self, held, bounds)[-1]), bounds)
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
        found.append(_native.list_patterns_below(found[-1]))
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
    _native.compute_win_bounds(
        ground.prizes, held, *kept, *sides, native.effort.threads, lambda _: None
    )
    return WinBounds(
        secured, held_to, compute_points_before(ground.prizes, ground.points_before, held)
    )


def fill(
    ground: SolveScope,
    held: int,
    layers: tuple[Layer, Layer],
    native: NativeCallOptions,
    rows: slice = slice(None),
) -> None:
    """Compute the numbers of a layer, or of some of its rows, from those of the layer below."""
    below, here = layers
    kept = ground.patterns(held)[rows], ground.patterns(held - 1)
    common = (native.effort.threads, native.effort.lanes, native.tick)
    if here.bounds and below.bounds:
        sides = (*_list_arrays(below.bounds), below.values, *_list_arrays(here.bounds), here.values)
        _native.solve_win(ground.prizes, ground.points_before, held, *kept, *sides, *common)  # type: ignore[arg-type]
    else:
        _native.solve_points(ground.prizes, held, *kept, below.values, here.values, *common)  # type: ignore[arg-type]


def _list_arrays(bounds: WinBounds) -> tuple[Bounds, Bounds, Starts]:
    return bounds.secured, bounds.held_to, bounds.row_starts
