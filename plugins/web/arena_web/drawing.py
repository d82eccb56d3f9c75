"""Pictures in pages: geometry, which the templates draw as SVG with attributes alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, isfinite, log10

import numpy as np
from attrs import evolve, frozen

from arena.tournament import Curves, Estimate, Floats

BAR = 160  # units of an interval's picture
INSET = 5  # units beside it
WIDE, HIGH = 760, 380  # units of the curves
LEFT, RIGHT, TOP, BOTTOM = 52, 118, 14, 42  # units around them
TICKS = 6  # about
COLOURS = 8  # curves that have one of their own
NEAR = 13  # units between two names at the right


@frozen
class Bar:
    """An interval with its value."""

    low: float
    value: float
    high: float
    middle: float | None  # where 0 is
    words: str


def bar(estimate: Estimate, span: tuple[float, float]) -> Bar | None:
    """Return the picture of an interval within the span of all."""
    low, high = span
    if not high > low:
        return None

    def at(value: float) -> float:
        share = (min(max(value, low), high) - low) / (high - low)
        return round(INSET + share * (BAR - 2 * INSET), 1)

    known = isfinite(estimate.low) and isfinite(estimate.high)
    words = f"from {estimate.low:.0f} to {estimate.high:.0f}" if known else "wider than the scale"
    zero = at(0.0) if low < 0 < high else None
    return Bar(at(estimate.low), at(estimate.value), at(estimate.high), zero, words)


@frozen
class Tick:
    """A mark of a scale."""

    at: float
    text: str


@frozen
class Curve:
    """One entrant's line."""

    id: str
    label: str
    kind: str  # a class of the style sheet
    points: str
    band: str  # the outline of its interval, for who is chosen
    end: float  # where its name stands
    last: tuple[float, float]
    words: str


@frozen
class Chart:
    """All curves."""

    curves: Sequence[Curve]
    across: Sequence[Tick]
    up: Sequence[Tick]
    wide = WIDE
    high = HIGH
    left = LEFT
    right = WIDE - RIGHT
    top = TOP
    bottom = HIGH - BOTTOM


@frozen
class Scale:
    """From figures to units."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return where a figure is."""
        share = (value - self.low) / ((self.high - self.low) or 1.0)
        return round(self.start + share * (self.end - self.start), 1)


def chart(curves: Curves, who: Sequence[tuple[int, str, str]], chosen: Sequence[str]) -> Chart:
    """Draw the curves of these: index, id and what each is called, the best first."""
    x = Scale(0, float(curves.deals.max(initial=1)), LEFT, WIDE - RIGHT)
    values = curves.rating[:, [index for index, _, _ in who]]
    banded = [index for index, one, _ in who if one in chosen]
    bands = np.concatenate([curves.low[:, banded].ravel(), curves.high[:, banded].ravel()])
    y = _upwards(values, bands)
    lines = [
        _curve(curves, one, x, y, number, chosen=one[1] in chosen)
        for number, one in enumerate(who)
        if np.isfinite(curves.rating[:, one[0]]).any()
    ]
    across = [Tick(x(value), f"{value:,.0f}") for value in ticks(x.low, x.high)]
    up = [Tick(y(value), f"{value:.0f}") for value in ticks(y.low, y.high)]
    return Chart(_apart(lines), across, up)


def _upwards(values: Floats, bands: Floats) -> Scale:
    """Return the scale of ratings: all that is known, and a band as far as it leaves room."""
    known = values[np.isfinite(values)]
    low, high = float(known.min(initial=0)), float(known.max(initial=0))
    room = max(high - low, 50.0)
    near = bands[np.isfinite(bands)]
    near = near[(near > low - room / 2) & (near < high + room / 2)]
    low, high = min(low, float(near.min(initial=low))), max(high, float(near.max(initial=high)))
    return Scale(low - room / 20, high + room / 20, HIGH - BOTTOM, TOP)


def _curve(
    curves: Curves,
    who: tuple[int, str, str],
    x: Scale,
    y: Scale,
    number: int,
    *,
    chosen: bool,
) -> Curve:
    index, id_, label = who
    known = [row for row in range(len(curves.deals)) if isfinite(curves.rating[row, index])]
    spots = [(x(float(curves.deals[row])), y(float(curves.rating[row, index]))) for row in known]
    words = f"{label}: {curves.rating[known[-1], index]:.0f}"
    kind = "chosen" if chosen else f"curve{number}" if number < COLOURS else "curve"
    band = _joined(_band(curves, index, known, x, y)) if chosen else ""
    return Curve(id_, label, kind, _joined(spots), band, spots[-1][1], spots[-1], words)


def _band(
    curves: Curves, index: int, known: Sequence[int], x: Scale, y: Scale
) -> Iterator[tuple[float, float]]:
    """Return the outline of an interval, there and back."""
    whole = [row for row in known if isfinite(curves.high[row, index] - curves.low[row, index])]
    for part, rows in ((curves.high, whole), (curves.low, whole[::-1])):
        for row in rows:
            value = min(max(float(part[row, index]), y.low), y.high)
            yield x(float(curves.deals[row])), y(value)


def _joined(spots: Sequence[tuple[float, float]] | Iterator[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in spots)


def _apart(lines: Sequence[Curve]) -> list[Curve]:
    """Move the names at the right so far apart that each can be read."""
    found: list[Curve] = []
    lowest = float(TOP)
    for line in sorted(lines, key=lambda one: one.end):
        lowest = max(line.end, lowest + NEAR if found else lowest)
        found.append(evolve(line, end=lowest))
    over = lowest - (HIGH - BOTTOM)
    return [evolve(one, end=one.end - max(0.0, over)) for one in found] if over > 0 else found


def ticks(low: float, high: float) -> list[float]:
    """Return round figures between these.

    >>> ticks(-90, 260)
    [-50.0, 0.0, 50.0, 100.0, 150.0, 200.0, 250.0]
    """
    if not high > low:
        return [low]
    rough = (high - low) / TICKS
    power = 10.0 ** floor(log10(rough))
    step = next(power * one for one in (1, 2, 5, 10) if power * one >= rough * 0.85)
    return [step * one for one in range(ceil(low / step), floor(high / step) + 1)]
