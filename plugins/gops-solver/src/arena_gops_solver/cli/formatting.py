"""The number formats and tables of `arena gops analyse`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isfinite

from rich.table import Table
from rich.text import Text

from arena_gops_solver.cli.terminal_output import choose_sign
from arena_gops_solver.matches.estimates import MeanEstimate

DIGITS = {"points": 2, "win": 3}


def build_table(title: str, numbers: Iterable[str], *words: str) -> Table:
    """Build a table; columns of words come first, and may be folded."""
    table = Table(title=Text(title))
    for heading in words:
        table.add_column(heading, overflow="fold")
    for heading in numbers:
        table.add_column(Text(heading), justify="right", no_wrap=True)
    return table


def round_value(by: str, value: Fraction | float) -> float:
    """Round a value as it is shown, without the sign of a zero."""
    return round(float(value), DIGITS[by]) + 0.0


def format_plain(by: str, value: Fraction | float) -> str:
    """Format a value without a plus sign."""
    return f"{round_value(by, value):.{DIGITS[by]}f}"


def format_with_sign(by: str, value: Fraction | float) -> str:
    """Format a value with its sign, unless it is 0."""
    return (
        f"{round_value(by, value):+.{DIGITS[by]}f}"
        if round_value(by, value)
        else format_plain(by, 0)
    )


def format_interval(by: str, estimate: MeanEstimate) -> str:
    """Format a mean with the half-width of its interval."""
    away = format_plain(by, estimate.away) if isfinite(estimate.away) else "?"
    return f"{format_with_sign(by, estimate.mean)} {choose_sign('±', '+-')} {away}"


def round_parts(by: str, parts: Sequence[float], total: float) -> list[float]:
    """Round the parts of a total; the last takes what rounding left of the others."""
    some = [round_value(by, part) for part in parts[:-1]]
    return [*some, round_value(by, round_value(by, total) - sum(some))]
