"""The native code of the solver: `cpp/library.cpp`, called by ctypes.

It is a C library and no extension of Python, so one wheel fits every version of Python.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_size_t, c_uint32, c_void_p
from importlib.resources import files
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.float64]
Values: TypeAlias = NDArray[np.floating[Any] | np.signedinteger[Any]]
Bounds: TypeAlias = NDArray[np.int16]
Starts: TypeAlias = NDArray[np.int64]
Gone: TypeAlias = NDArray[np.int32]
Patterns: TypeAlias = NDArray[np.uint32]
Tick: TypeAlias = Callable[[float], None]

MINE = 0x55555555  # the bits of my cards in a pattern
TICK_SECONDS = 0.1


class _Array(ctypes.Structure):
    """An array of numbers, whose type both sides know."""

    numbers: NDArray[Any]  # the same, so that they stay in memory
    _fields_ = (("first", c_void_p), ("count", c_size_t))


class _Values(ctypes.Structure):
    """An array of doubles, floats or 16-bit integers."""

    numbers: NDArray[Any]
    _fields_ = (("first", c_void_p), ("count", c_size_t), ("bytes", c_size_t))


class _Progress(ctypes.Structure):
    """What the two sides tell each other while native code solves a layer."""

    _fields_ = (("share", c_double), ("stop", c_int))


_FUNCTIONS = {
    "lanes_supported": (_Array, POINTER(c_size_t)),
    "kept_patterns": (c_int, c_int, c_int, POINTER(_Array)),
    "patterns_below": (_Array, POINTER(_Array)),
    "release_patterns": (_Array,),
    "solve_points": (_Array, c_int, *(_Array,) * 4, c_int, c_int, POINTER(_Progress)),
    "win_bounds": (_Array, c_int, *(_Array,) * 6, c_int, POINTER(_Progress)),
    "row_starts": (_Array,) * 4,
    "solve_win": (_Array, c_int, c_int, *(_Array,) * 5, _Values, *(_Array,) * 4, c_int, c_int,
                  POINTER(_Progress)),
    "points_stage": (c_uint32, c_int, c_size_t, c_size_t, _Array, _Values, _Array),
    "win_stage": (c_uint32, c_int, c_size_t, c_size_t, *(_Array,) * 4, _Values, c_int, _Array,
                  _Array),
    "widest": (_Array, _Array, POINTER(c_double)),
}  # fmt: skip
"""The types of the parameters of each function."""


def _load() -> ctypes.CDLL:
    library = ctypes.CDLL(str(files("arena_gops_solver") / "libgops.so"))
    for name, types in _FUNCTIONS.items():
        function = getattr(library, name)
        function.argtypes = types
        function.restype = c_char_p
        function.errcheck = _raise_problem
    return library


def _raise_problem(problem: bytes | None, *_: object) -> None:
    if problem == b"std::bad_alloc":
        raise MemoryError
    if problem:
        raise ValueError(problem.decode())


_library = _load()
MOST_CARDS = c_int.in_dll(_library, "MOST_CARDS").value


def _pass(numbers: NDArray[Any], dtype: type[np.generic]) -> _Array:
    """Pass an array as it stands in memory, which stays there as long as what is returned."""
    if numbers.dtype != dtype or not numbers.flags.c_contiguous:
        raise TypeError(f"not a contiguous array of {dtype.__name__}: {numbers.dtype}")
    array = _Array(numbers.ctypes.data, numbers.size)
    array.numbers = numbers  # for a thread that works on after an interrupt of its caller
    return array


def _pass_values(values: Values) -> _Values:
    """Pass an array of any of the types of stored values."""
    if values.dtype not in {np.dtype(np.float64), np.dtype(np.float32), np.dtype(np.int16)}:
        raise TypeError(f"values: {values.dtype}")
    array = _pass(values, values.dtype.type)
    passed = _Values(array.first, array.count, values.itemsize)
    passed.numbers = values
    return passed


def list_lanes() -> list[int]:
    """Return the numbers of lanes that this processor can run, ascending."""
    lanes, count = np.empty(8, dtype=np.int32), c_size_t()
    _library.lanes_supported(_pass(lanes, np.int32), byref(count))
    return [int(number) for number in lanes[: count.value]]


def _take_patterns(array: _Array) -> Patterns:
    """Copy patterns that the library has made, and release them there."""
    try:
        pointer = ctypes.cast(array.first, POINTER(c_uint32))
        return np.ctypeslib.as_array(pointer, (array.count,)).copy()
    finally:
        _library.release_patterns(array)


def list_kept_patterns(cards: int, held: int, level: bool) -> Patterns:
    """Return one of each mirrored pair of patterns with `held` of so many cards, ascending."""
    array = _Array()
    _library.kept_patterns(cards, held, level, byref(array))
    return _take_patterns(array)


def list_patterns_below(kept: Patterns) -> Patterns:
    """Return the patterns that may be left after both have bid a card."""
    array = _Array()
    _library.patterns_below(_pass(kept, np.uint32), byref(array))
    return _take_patterns(array)


def _run(function: Callable[..., None], tick: Tick, *arguments: object) -> None:
    """Run a long function in another thread; meanwhile, call `tick(share)` in this one.

    On KeyboardInterrupt, or any exception of `tick`, the function stops.
    """
    progress, executor = _Progress(), ThreadPoolExecutor(1)
    try:
        future = executor.submit(function, *arguments, byref(progress))
        while True:
            try:
                return future.result(TICK_SECONDS)
            except TimeoutError:
                tick(progress.share)
    except BaseException:
        progress.stop = 1  # also where it comes while the thread starts, and nobody waits for that
        raise
    finally:
        executor.shutdown()


def solve_points(
    prizes: Sequence[int],
    held: int,
    kept: Patterns,
    kept_below: Patterns,
    below: Numbers,
    out: Numbers,
    threads: int,
    lanes: int,
    tick: Tick,
) -> None:
    """Solve rows of a layer of the points objective into `out`."""
    ranks = np.array(prizes, dtype=np.int32)
    _run(
        _library.solve_points, tick,
        _pass(ranks, np.int32), held, _pass(kept, np.uint32), _pass(kept_below, np.uint32),
        _pass(below, np.float64), _pass(out, np.float64), threads, lanes,
    )  # fmt: skip


def compute_win_bounds(
    prizes: Sequence[int],
    held: int,
    kept: Patterns,
    kept_below: Patterns,
    secured_below: Bounds,
    held_to_below: Bounds,
    secured: Bounds,
    held_to: Bounds,
    threads: int,
    tick: Tick,
) -> None:
    """Compute the bounds of a layer of the win objective into `secured` and `held_to`."""
    ranks = np.array(prizes, dtype=np.int32)
    bounds = (_pass(side, np.int16) for side in (secured_below, held_to_below, secured, held_to))
    _run(
        _library.win_bounds, tick,
        _pass(ranks, np.int32), held, _pass(kept, np.uint32), _pass(kept_below, np.uint32),
        *bounds, threads,
    )  # fmt: skip


def compute_row_starts(secured: Bounds, held_to: Bounds, gone: Gone) -> Starts:
    """Return the places at which the values of each row begin, and the last end."""
    starts = np.empty(secured.size // max(gone.size, 1) + 1, dtype=np.int64)
    _library.row_starts(
        _pass(secured, np.int16), _pass(held_to, np.int16), _pass(gone, np.int32),
        _pass(starts, np.int64),
    )  # fmt: skip
    return starts


def solve_win(
    prizes: Sequence[int],
    gone: int,
    held: int,
    kept: Patterns,
    kept_below: Patterns,
    secured_below: Bounds,
    held_to_below: Bounds,
    starts_below: Starts,
    below: Values,
    secured: Bounds,
    held_to: Bounds,
    starts: Starts,
    out: Numbers,
    threads: int,
    lanes: int,
    tick: Tick,
) -> None:
    """Solve rows of a layer of the win objective into `out`."""
    ranks = np.array(prizes, dtype=np.int32)
    _run(
        _library.solve_win, tick,
        _pass(ranks, np.int32), gone, held, _pass(kept, np.uint32), _pass(kept_below, np.uint32),
        _pass(secured_below, np.int16), _pass(held_to_below, np.int16),
        _pass(starts_below, np.int64), _pass_values(below),
        _pass(secured, np.int16), _pass(held_to, np.int16), _pass(starts, np.int64),
        _pass(out, np.float64), threads, lanes,
    )  # fmt: skip


def _allocate_stage(pattern: int) -> Numbers:
    held = (pattern & MINE).bit_count()
    return np.empty((held, held))


def build_points_stage(
    pattern: int, prize: int, rank: int, sets: int, kept: Patterns, values: Values
) -> Numbers:
    """Return the game for a prize and the set of the others, which has this rank; in points."""
    stage = _allocate_stage(pattern)
    _library.points_stage(
        pattern, prize, rank, sets, _pass(kept, np.uint32), _pass_values(values),
        _pass(stage, np.float64),
    )  # fmt: skip
    return stage


def build_win_stage(
    pattern: int,
    prize: int,
    rank: int,
    sets: int,
    kept: Patterns,
    secured: Bounds,
    held_to: Bounds,
    starts: Starts,
    values: Values,
    difference: int,
    gone: Gone,
) -> Numbers:
    """Return the game for a prize and the set of the others; in chances to win."""
    stage = _allocate_stage(pattern)
    _library.win_stage(
        pattern, prize, rank, sets, _pass(kept, np.uint32), _pass(secured, np.int16),
        _pass(held_to, np.int16), _pass(starts, np.int64), _pass_values(values), difference,
        _pass(gone, np.int32), _pass(stage, np.float64),
    )  # fmt: skip
    return stage


def find_widest_equilibrium(matrix: Numbers) -> tuple[float, Numbers]:
    """Return a matrix game's value, and the row player's equilibrium with the largest support."""
    weights, value = np.empty(len(matrix)), c_double()
    _library.widest(_pass(matrix, np.float64), _pass(weights, np.float64), byref(value))
    return value.value, weights
