"""The plots of a playing style, as bars and heat maps that templates draw without inline styles."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from arena.tournament import StyleEntry, StylePoint

SHADES = 5  # of a heat map, beside none
BAR_UNITS = 100  # of the longest bar
MAX_BARS = 40  # of a plot; more cannot be read


@frozen
class StyleBar:
    """A bar of a plot."""

    label: str
    words: str  #: the value with its unit
    start: float  #: where it begins, in units of `BAR_UNITS`
    width: float
    zero: float  #: where 0 is
    count: int


@frozen
class ShadedTable:
    """A table whose cells are shaded."""

    across: Sequence[str]
    rows: Sequence[tuple[str, Sequence[tuple[str, str]]]]  #: a label, and texts with shades


def build_bars(entry: StyleEntry, beside: StyleEntry | None = None) -> list[StyleBar]:
    """Return the bars of a plot, on one scale that has 0 in it, and that fits one `beside` it."""
    points = entry.points[:MAX_BARS]
    others = beside.points[:MAX_BARS] if beside else ()
    values = [point.value for point in (*points, *others)]
    low, high = min(0.0, *values), max(0.0, *values)
    room = (high - low) or 1.0

    def at(value: float) -> float:
        return round(BAR_UNITS * (value - low) / room, 2)

    return [_build_bar(entry, point, at(0.0), at(point.value)) for point in points]


def _build_bar(entry: StyleEntry, point: StylePoint, zero: float, end: float) -> StyleBar:
    words = point.format(entry.statistic.unit)
    start, width = min(zero, end), round(abs(end - zero), 2)
    return StyleBar(entry.statistic.describe_label(point.x), words, start, width, zero, point.count)


def build_heat_map(entry: StyleEntry) -> ShadedTable:
    """Return a heat map with the largest label of the second axis on top."""
    across = [*dict.fromkeys(point.x for point in entry.points)]
    cells = {(point.x, point.y): point for point in entry.points}
    up = sorted({point.y for point in entry.points}, key=_sort_key, reverse=True)
    rows = [(str(y), [_build_cell(cells.get((x, y))) for x in across]) for y in up]
    return ShadedTable([str(x) for x in across], rows)


def _sort_key(label: str | int) -> tuple[int, str]:
    return (label, "") if isinstance(label, int) else (-1, label)


def _build_cell(point: StylePoint | None) -> tuple[str, str]:
    """Return the text and the shade of a cell, in per cent."""
    if point is None:
        return "", "heat0"
    return f"{100 * point.value:.0f}", f"heat{min(SHADES, round(point.value * 2 * SHADES))}"
