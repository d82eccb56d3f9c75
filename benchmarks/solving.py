"""GOPS solved to win, beside GOPS solved for points, where the solver is installed."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

from benchmarks.ratios import Ratio

CARDS = {"win": 9, "points": 10}


def prepare(folder: Path) -> Callable[[], list[Ratio]]:
    """Return what measures one turn; it measures nothing without the solver."""
    if not importlib.util.find_spec("arena_gops_solver"):
        print("GOPS solved: not measured, the solver is not installed", file=sys.stderr)
        return list
    from arena_gops_solver import Parallelism, TableSpec, solve

    def measure_solve(objective: str) -> float:
        table = folder / objective
        began = process_time()
        solve(TableSpec(CARDS[objective], objective), table, Parallelism(threads=1))
        seconds = process_time() - began
        table.unlink()
        return seconds

    return lambda: [
        Ratio(
            "solving {win} cards to win / {points} cards for points".format(**CARDS),
            measure_solve("win") / measure_solve("points"),
        )
    ]
