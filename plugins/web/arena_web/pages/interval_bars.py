"""Confidence intervals as bars: their geometry, which a template draws as SVG."""

from __future__ import annotations

from math import isfinite

from attrs import frozen

from arena.tournament import Estimate

BAR_WIDTH = 160  # units of an interval's picture
BAR_INSET = 5  # units beside it


@frozen
class IntervalBar:
    """A confidence interval with its value, for a bar."""

    low: float
    value: float
    high: float
    middle: float | None  #: where 0 is
    words: str


def build_bar(estimate: Estimate, span: tuple[float, float]) -> IntervalBar | None:
    """Return the bar of an interval, scaled to the span of all intervals."""
    low, high = span
    if not high > low:
        return None

    def at(value: float) -> float:
        share = (min(max(value, low), high) - low) / (high - low)
        return round(BAR_INSET + share * (BAR_WIDTH - 2 * BAR_INSET), 1)

    words = "wider than the scale"
    if isfinite(estimate.low) and isfinite(estimate.high):
        words = f"from {estimate.low:.0f} to {estimate.high:.0f}"
    zero = at(0.0) if low < 0 < high else None
    return IntervalBar(at(estimate.low), at(estimate.value), at(estimate.high), zero, words)
