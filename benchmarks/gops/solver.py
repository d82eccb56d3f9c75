"""What it takes to solve GOPS: `python -m benchmarks.gops.solver`.

Every solve has a process of its own, so the peak memory is its own: the pages of the file that it
writes, and some 40 MB of Python. A value is the mean of as many stages (matrix games) as cards are
held; the values of win that bounds decide are not kept, and not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import ParamSpec, TypeVar

import click
from attrs import frozen

from arena_gops_solver import Parallelism, TableSpec, solve
from arena_gops_solver._native import list_lanes

UNITS = {2: "portable", 4: "AVX2", 8: "AVX-512"}
LEAST = {"points": (9, 10, 11, 13), "win": (8, 9, 10)}
MORE = {"points": (9, 10, 11, 13), "win": (8, 9, 10, 11)}
ALL = {"points": (9, 10, 11, 13, 14), "win": (8, 9, 10, 11, 12)}
HEAD = """| game | values | stages | seconds | ns a stage | peak, MB | file, MB |
| --- | --- | --- | --- | --- | --- | --- |"""

Plan = Mapping[str, Sequence[int]]
"""Which numbers of cards to solve for each objective."""

Given = ParamSpec("Given")
T = TypeVar("T")


@frozen
class SolveCost:
    """The cost of a solve. Memory and file are in bytes."""

    values: int
    stages: int
    seconds: float
    peak: int
    size: int

    @property
    def cells(self) -> list[str]:
        """The figures as a row of the table has them."""
        pace = f"{1e9 * self.seconds / self.stages:.0f}"
        counts = [f"{self.values:,}", f"{self.stages:,}", f"{self.seconds:.3g}", pace]
        return [*counts, f"{self.peak / 1e6:.0f}", f"{self.size / 1e6:.1f}"]


def run_in_process(run: Callable[Given, T], *args: Given.args, **kwargs: Given.kwargs) -> T:
    """Run a function in a new process, and return its result."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(run, *args, **kwargs).result()


def measure_solve(kind: TableSpec, effort: Parallelism) -> SolveCost:
    """Solve a game once, and return the cost."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table"
        began = perf_counter()
        table = solve(kind, path, effort)
        seconds = perf_counter() - began
        most = 1024 * getrusage(RUSAGE_SELF).ru_maxrss
        kept = [len(table.layer(held).values) for held in range(1, kind.cards)]
        stages = sum(held * count for held, count in enumerate(kept, 1))
        return SolveCost(sum(kept), stages, seconds, most, path.stat().st_size)


def format_game(kind: TableSpec) -> str:
    """Return the name of a game, as `points, 9 cards`."""
    return f"{kind.objective}, {kind.cards} cards"


def format_row(cells: Sequence[str]) -> str:
    """Format a row of a table in Markdown."""
    return f"| {' | '.join(cells)} |"


def render_table(plan: Plan, effort: Parallelism) -> Iterator[str]:
    """Yield the lines of the table, each as soon as it is measured."""
    unit = f"{effort.lanes} numbers side by side ({UNITS[effort.lanes]})"
    yield f"{effort.threads} threads, {unit}\n\n{HEAD}"
    for kind in (TableSpec(cards, goal) for goal, sizes in plan.items() for cards in sizes):
        yield format_row([format_game(kind), *run_in_process(measure_solve, kind, effort).cells])


@click.command()
@click.option("--lanes", type=click.Choice(list_lanes()), help="Numbers side by side.")
@click.option("--more", "plan", flag_value=MORE, type=click.UNPROCESSED, help="Win, 11 cards, too.")
@click.option(
    "--all", "plan", flag_value=ALL, type=click.UNPROCESSED, help="Points 14, win 12, too."
)
def main(lanes: int | None, plan: Plan | None) -> None:
    """Solve everything, and print the table."""
    effort = Parallelism(lanes=lanes) if lanes else Parallelism()
    for line in render_table(plan or LEAST, effort):
        print(line, flush=True)


if __name__ == "__main__":
    main()
