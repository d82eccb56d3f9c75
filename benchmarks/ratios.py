"""Figures are ratios of two things measured in turn in one run: machines are noisy."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from time import process_time

from attrs import frozen

ARENA = str(Path(sys.executable).parent / "arena")
BARE = (sys.executable, "-c", "pass")
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"  # with it all modules are compiled at every start


@frozen
class Ratio:
    """One ratio that was measured in one run."""

    name: str
    value: float


def measure_rate(run: Callable[[int], object], games: int) -> float:
    """Return the games per second of this process's processor time."""
    start = process_time()
    run(games)
    return games / (process_time() - start)


def measure_command(*words: str, status: int = 0, **variables: str) -> float:
    """Return the processor seconds of a command and its children, from its start to its end.

    Raises AssertionError if it does not end with this exit status.
    """
    environment = {name: value for name, value in os.environ.items() if name != NO_BYTECODE}
    before = measure_children()  # in microseconds, where os.times counts hundredths
    done = subprocess.run(
        words,
        env=environment | variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert done.returncode == status, (words, done)
    return measure_children() - before


def measure_children() -> float:
    """Return the processor seconds of all children that have ended."""
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compute_medians(runs: list[list[Ratio]]) -> dict[str, float]:
    """Return the median of each ratio by its name, over runs that measured the same ones."""
    return {
        ratios[0].name: median(ratio.value for ratio in ratios)
        for ratios in zip(*runs, strict=True)
    }


def print_medians(runs: list[list[Ratio]]) -> None:
    """Print the median, the smallest and the largest value of each ratio."""
    medians = compute_medians(runs)
    for ratios in zip(*runs, strict=True):
        name, values = ratios[0].name, [ratio.value for ratio in ratios]
        spread = f"{min(values):.3f} to {max(values):.3f}"
        print(f"{name:78} {medians[name]:.3f}  ({spread})", flush=True)
