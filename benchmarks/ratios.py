"""Figures are ratios of two things measured in turn in one run: machines are noisy."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import process_time

from attrs import frozen


@frozen
class Ratio:
    """One ratio that was measured in one run."""

    name: str
    value: float


def measure_rate(run: Callable[[int], None], games: int) -> float:
    """Return the games per second of this process's processor time."""
    start = process_time()
    run(games)
    return games / (process_time() - start)


def print_medians(runs: list[list[Ratio]]) -> None:
    """Print the median, the smallest and the largest value of each ratio."""
    for figures in zip(*runs, strict=True):
        values = [figure.value for figure in figures]
        spread = f"{min(values):.3f} to {max(values):.3f}"
        print(f"{figures[0].name:58} {median(values):.3f}  ({spread})")
