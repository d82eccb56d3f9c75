from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.float64]
Bounds: TypeAlias = NDArray[np.int16]
Starts: TypeAlias = NDArray[np.int64]
Tick: TypeAlias = Callable[[float], None]

MOST_CARDS: int

def lanes_supported() -> list[int]: ...
def kept_patterns(cards: int, held: int, level: bool) -> NDArray[np.uint32]: ...
def solve_points(
    cards: int,
    held: int,
    below: Numbers,
    out: Numbers,
    threads: int,
    lanes: int,
    tick: Tick,
) -> None: ...
def win_bounds(
    cards: int,
    held: int,
    secured_below: Bounds,
    held_to_below: Bounds,
    secured: Bounds,
    held_to: Bounds,
    threads: int,
    tick: Tick,
) -> None: ...
def solve_win(
    cards: int,
    held: int,
    secured_below: Bounds,
    held_to_below: Bounds,
    starts_below: Starts,
    below: Numbers,
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
    kept: NDArray[np.uint32],
    values: NDArray[np.floating[Any]],
) -> Numbers: ...
def win_stage(
    pattern: int,
    prize: int,
    set: int,  # noqa: A002
    sets: int,
    kept: NDArray[np.uint32],
    secured: Bounds,
    held_to: Bounds,
    starts: Starts,
    values: NDArray[np.floating[Any]],
    difference: int,
    gone: int,
) -> Numbers: ...
def widest(matrix: Numbers) -> tuple[float, Numbers]: ...
