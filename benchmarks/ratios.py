"""Figures are ratios of two things measured in turn in one run: machines are noisy."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import process_time

from attrs import frozen


@frozen
class Ratio:
    """One figure of one run."""

    what: str
    value: float


def rate(run: Callable[[int], None], games: int) -> float:
    """Return games for a second of this process."""
    start = process_time()
    run(games)
    return games / (process_time() - start)


def report(runs: list[list[Ratio]]) -> None:
    """Print the median of each figure, and between which it lay."""
    for figures in zip(*runs, strict=True):
        values = [figure.value for figure in figures]
        spread = f"{min(values):.3f} to {max(values):.3f}"
        print(f"{figures[0].what:58} {median(values):.3f}  ({spread})")
