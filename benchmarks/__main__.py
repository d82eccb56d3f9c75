"""Measure everything in turns, and compare with the figures: `./run bench --check`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from benchmarks import growing, hosting, in_process, lines, solving, starting
from benchmarks.figures import FIGURES, Comparison, format_figures, load_figures
from benchmarks.ratios import Ratio, compute_medians, print_medians

TURNS = 5

Prepare = Callable[[Path], Callable[[], list[Ratio]]]
"""Given a folder of its own, returns what measures the ratios of one turn."""

BENCHMARKS: tuple[Prepare, ...] = (
    in_process.prepare, lines.prepare, hosting.prepare, starting.prepare, growing.prepare,
    solving.prepare,
)  # fmt: skip


@click.command()
@click.option("--check", is_flag=True, help="Compare with figures.toml; fail if dearer by a third.")
@click.option("--update", is_flag=True, help="Write what was measured to figures.toml.")
def main(check: bool, update: bool) -> None:
    """Print the ratios of all benchmarks: the median, the smallest and the largest."""
    now: dict[str, float] = {}
    for prepare in BENCHMARKS:
        with TemporaryDirectory() as folder:
            measure = prepare(Path(folder))
            runs = [measure() for _ in range(TURNS)]
        print_medians(runs)
        now |= compute_medians(runs)
    figures = load_figures()
    if update:
        FIGURES.write_text(format_figures({**figures, **now}))
    if check:
        comparison = Comparison(figures, now)
        print(f"\n{comparison.format_table()}")
        if comparison.dearer:
            raise click.ClickException(
                "dearer by more than a third: " + "; ".join(comparison.dearer)
            )


if __name__ == "__main__":
    main()
