"""The chart of rating curves: its geometry, which a template draws as SVG without inline styles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite

import numpy as np
from attrs import evolve, frozen

from arena.tournament import RatingHistory
from arena.tournament.ratings.rating_input import Floats
from arena.tournament.results.charts import choose_ticks

CHART_WIDTH, CHART_HEIGHT = 760, 380  # units of the curves
MARGIN_LEFT, MARGIN_RIGHT, MARGIN_TOP, MARGIN_BOTTOM = 52, 118, 14, 42  # units around them
COLOUR_COUNT = 8  # curves that have one of their own
LABEL_SPACING = 13  # units between two names at the right


@frozen
class AxisTick:
    """A tick of an axis."""

    at: float
    text: str


@frozen
class RatingCurve:
    """The rating curve of one entrant."""

    id: str
    label: str
    kind: str  #: a class of the style sheet
    points: str
    band: str  #: the outline of its interval, for who is chosen
    end: float  #: where its name stands
    last: tuple[float, float]
    words: str


@frozen
class RatingChart:
    """The chart of all rating curves."""

    curves: Sequence[RatingCurve]
    across: Sequence[AxisTick]
    up: Sequence[AxisTick]
    wide = CHART_WIDTH
    high = CHART_HEIGHT
    left = MARGIN_LEFT
    right = CHART_WIDTH - MARGIN_RIGHT
    top = MARGIN_TOP
    bottom = CHART_HEIGHT - MARGIN_BOTTOM


@frozen
class LinearScale:
    """A linear scale from values to coordinates."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the coordinate of a value."""
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return round(self.start + share * (self.end - self.start), 1)


@frozen
class ChartEntrant:
    """An entrant of whom a chart has a curve."""

    column: int  #: of its ratings in the history
    id: str
    label: str  #: what people call it


def build_chart(
    curves: RatingHistory, entrants: Sequence[ChartEntrant], chosen: Sequence[str]
) -> RatingChart:
    """Build the chart of these entrants, the best first; those that are `chosen` have a band."""
    x = LinearScale(0, float(curves.deals.max(initial=1)), MARGIN_LEFT, CHART_WIDTH - MARGIN_RIGHT)
    values = curves.rating[:, [entrant.column for entrant in entrants]]
    columns = [entrant.column for entrant in entrants if entrant.id in chosen]
    bands = np.concatenate([curves.low[:, columns].ravel(), curves.high[:, columns].ravel()])
    y = _build_rating_scale(values, bands)
    lines = [
        _build_curve(curves, entrant, x, y, number, chosen=entrant.id in chosen)
        for number, entrant in enumerate(entrants)
        if np.isfinite(curves.rating[:, entrant.column]).any()
    ]
    across = [AxisTick(x(value), f"{value:,.0f}") for value in choose_ticks(x.low, x.high)]
    up = [AxisTick(y(value), f"{value:.0f}") for value in choose_ticks(y.low, y.high)]
    return RatingChart(_space_labels(lines), across, up)


def _build_rating_scale(values: Floats, bands: Floats) -> LinearScale:
    """Return the scale of ratings: all values, and as much of the band as fits."""
    ratings = values[np.isfinite(values)]
    low, high = float(ratings.min(initial=0)), float(ratings.max(initial=0))
    room = max(high - low, 50.0)
    near = bands[np.isfinite(bands)]
    near = near[(near > low - room / 2) & (near < high + room / 2)]
    low, high = min(low, float(near.min(initial=low))), max(high, float(near.max(initial=high)))
    return LinearScale(low - room / 20, high + room / 20, CHART_HEIGHT - MARGIN_BOTTOM, MARGIN_TOP)


def _build_curve(
    curves: RatingHistory,
    entrant: ChartEntrant,
    x: LinearScale,
    y: LinearScale,
    number: int,
    *,
    chosen: bool,
) -> RatingCurve:
    index, label = entrant.column, entrant.label
    rows = [row for row in range(len(curves.deals)) if isfinite(curves.rating[row, index])]
    spots = [(x(float(curves.deals[row])), y(float(curves.rating[row, index]))) for row in rows]
    words = f"{label}: {curves.rating[rows[-1], index]:.0f}"
    kind = "chosen" if chosen else f"curve{number}" if number < COLOUR_COUNT else "curve"
    band = _join_points(_outline_band(curves, index, rows, x, y)) if chosen else ""
    return RatingCurve(
        entrant.id, label, kind, _join_points(spots), band, spots[-1][1], spots[-1], words
    )


def _outline_band(
    curves: RatingHistory, index: int, rows: Sequence[int], x: LinearScale, y: LinearScale
) -> Iterator[tuple[float, float]]:
    """Return the outline of a band: along its top, and back along its bottom."""
    whole = [row for row in rows if isfinite(curves.high[row, index] - curves.low[row, index])]
    for part, order in ((curves.high, whole), (curves.low, whole[::-1])):
        for row in order:
            value = min(max(float(part[row, index]), y.low), y.high)
            yield x(float(curves.deals[row])), y(value)


def _join_points(spots: Sequence[tuple[float, float]] | Iterator[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in spots)


def _space_labels(lines: Sequence[RatingCurve]) -> list[RatingCurve]:
    """Move the labels at the right apart, so that they do not overlap."""
    curves: list[RatingCurve] = []
    lowest = float(MARGIN_TOP)
    for line in sorted(lines, key=lambda curve: curve.end):
        lowest = max(line.end, lowest + LABEL_SPACING if curves else lowest)
        curves.append(evolve(line, end=lowest))
    over = lowest - (CHART_HEIGHT - MARGIN_BOTTOM)
    return (
        [evolve(curve, end=curve.end - max(0.0, over)) for curve in curves] if over > 0 else curves
    )
