"""The figures that every ratio had when it was last accepted, and what became dearer since."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

FIGURES = Path(__file__).with_name("figures.toml")
TOLERANCE = 4 / 3
HEAD = """\
# How many times as much one thing costs as another, as `./run bench --update` measured it.
# `./run bench --check` compares with it; benchmarks/README.md says when to write it anew.

"""

Figures = Mapping[str, float]
"""Ratios by name."""


@frozen
class Comparison:
    """What was measured now, beside the figures."""

    figures: Figures
    now: Figures

    @property
    def dearer(self) -> list[str]:
        """The names of what costs more than a third more than its figure."""
        return [
            name
            for name, value in self.now.items()
            if name in self.figures and value > TOLERANCE * self.figures[name]
        ]

    def format_row(self, name: str) -> str:
        """Return a line of the table: the figure, what it is now, and the ratio of both."""
        value, figure = self.now.get(name), self.figures.get(name)
        cells = [f"{number:10.3f}" if number is not None else f"{'-':>10}"
                 for number in (figure, value)]  # fmt: skip
        if value is None or figure is None:
            change = "not measured" if value is None else "no figure"
        else:
            change = f"x {value / figure:.2f}" + ("  DEARER" if name in self.dearer else "")
        return f"{name:78} {' '.join(cells)}  {change}"

    def format_table(self) -> str:
        """Return a line for each name."""
        names = [*self.now, *(name for name in self.figures if name not in self.now)]
        head = f"{'':78} {'figure':>10} {'now':>10}"
        return "\n".join([head, *map(self.format_row, names)])


def load_figures() -> Figures:
    """Return the figures by name; none where they were never written."""
    if not FIGURES.exists():
        return {}
    return {name: float(value) for name, value in tomllib.loads(FIGURES.read_text()).items()}


def format_figures(figures: Figures) -> str:
    """Return the text of the file, with three significant digits."""
    return HEAD + "".join(
        f'"{name}" = {float(f"{value:.3g}")}\n' for name, value in figures.items()
    )
