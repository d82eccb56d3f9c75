"""Figures of `arena gops analyse` as people see them, and the tables that they stand in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isfinite

from rich.table import Table
from rich.text import Text

from arena_gops_solver.cli.screen import sign
from arena_gops_solver.matches.estimates import Estimate

DIGITS = {"points": 2, "win": 3}


def table_of(title: str, numbers: Iterable[str], *words: str) -> Table:
    """Make a table; columns of words come first, and may be folded."""
    table = Table(title=Text(title))
    for heading in words:
        table.add_column(heading, overflow="fold")
    for heading in numbers:
        table.add_column(Text(heading), justify="right", no_wrap=True)
    return table


def rounded(by: str, value: Fraction | float) -> float:
    """Round as it is shown, without the sign of a zero."""
    return round(float(value), DIGITS[by]) + 0.0


def plain(by: str, value: Fraction | float) -> str:
    """Write it without a sign, if it is 0 or more."""
    return f"{rounded(by, value):.{DIGITS[by]}f}"


def signed(by: str, value: Fraction | float) -> str:
    """Write it with its sign, if it is not 0."""
    return f"{rounded(by, value):+.{DIGITS[by]}f}" if rounded(by, value) else plain(by, 0)


def interval(by: str, one: Estimate) -> str:
    """Write a mean, and how far its interval reaches."""
    away = plain(by, one.away) if isfinite(one.away) else "?"
    return f"{signed(by, one.mean)} {sign('±', '+-')} {away}"


def adding_up(by: str, parts: Sequence[float], total: float) -> list[float]:
    """Round the parts of a total; the last takes what rounding left of the others."""
    some = [rounded(by, part) for part in parts[:-1]]
    return [*some, rounded(by, rounded(by, total) - sum(some))]
