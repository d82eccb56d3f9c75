from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.float64]
Bounds: TypeAlias = NDArray[np.int16]
Starts: TypeAlias = NDArray[np.int64]
Gone: TypeAlias = NDArray[np.int32]
Patterns: TypeAlias = NDArray[np.uint32]
Tick: TypeAlias = Callable[[float], None]

MOST_CARDS: int

def lanes_supported() -> list[int]: ...
def kept_patterns(cards: int, held: int, level: bool) -> Patterns: ...
def patterns_below(kept: Patterns) -> Patterns: ...
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
) -> None: ...
def win_bounds(
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
) -> None: ...
def row_starts(secured: Bounds, held_to: Bounds, gone: Gone) -> Starts: ...
def solve_win(
    prizes: Sequence[int],
    gone: int,
    held: int,
    kept: Patterns,
    kept_below: Patterns,
    secured_below: Bounds,
    held_to_below: Bounds,
    starts_below: Starts,
    below: NDArray[np.floating[Any]],
    secured: Bounds,
    held_to: Bounds,
    starts: Starts,
    out: Numbers,
    threads: int,
    lanes: int,
    tick: Tick,
) -> None: ...
def points_stage(
    pattern: int,
    prize: int,
    set: int,  # noqa: A002
    sets: int,
    kept: Patterns,
    values: NDArray[np.floating[Any] | np.signedinteger[Any]],
) -> Numbers: ...
def win_stage(
    pattern: int,
    prize: int,
    set: int,  # noqa: A002
    sets: int,
    kept: Patterns,
    secured: Bounds,
    held_to: Bounds,
    starts: Starts,
    values: NDArray[np.floating[Any] | np.signedinteger[Any]],
    difference: int,
    gone: Gone,
) -> Numbers: ...
def widest(matrix: Numbers) -> tuple[float, Numbers]: ...
