"""An estimate: a value with its interval, whatever was estimated."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, isnan

from attrs import frozen

from arena.tournament.ratings.rating_input import Floats


@frozen
class Estimate:
    """A value with its interval."""

    value: float  #: the value
    low: float  #: the lower end of the interval
    high: float  #: the upper end of the interval

    @classmethod
    def at(cls, value: Floats, low: Floats, high: Floats, index: int) -> Estimate:
        """Return the estimate of one entrant from arrays."""
        return cls(float(value[index]), float(low[index]), float(high[index]))

    @property
    def reach(self) -> float:
        """How far the farther end of the interval is from the value, for people."""
        return max(self.high - self.value, self.value - self.low)

    def map(self, function: Callable[[float], float]) -> Estimate:
        """Return the estimate of an increasing function of the value."""
        return Estimate(function(self.value), function(self.low), function(self.high))

    def pack(self, digits: int = 4) -> dict[str, float | None]:
        """Return the estimate as JSON, with so many decimals.

        >>> Estimate(1.23456, -2.0, float("inf")).pack()
        {'value': 1.2346, 'low': -2.0, 'high': None}
        """
        return {
            "value": round_value(self.value, digits),
            "low": round_value(self.low, digits),
            "high": round_value(self.high, digits),
        }

    def format_difference(self, digits: int) -> str:
        """Format a difference with its interval; a `?` stands for what is not known.

        >>> Estimate(1.5, -2.0, float("inf")).format_difference(1)
        '+1.5 (-2.0 to ?)'
        """
        value, low, high = (
            f"{end:+.{digits}f}" if isfinite(end) else "?"
            for end in (self.value, self.low, self.high)
        )
        return f"{value} ({low} to {high})"

    def __str__(self) -> str:
        """Format the value with its interval, such as `225 ±229`."""
        if isnan(self.value):
            return "unknown"
        half = self.reach
        largest = max(abs(self.value), half if isfinite(half) else 0)
        digits = sum(largest < bound for bound in (100, 10))
        return f"{self.value:z.{digits}f} ±{half:.{digits}f}"


def round_value(value: float, digits: int = 4) -> float | None:
    """Return a rounded number for JSON, or None if it is not finite."""
    return round(value, digits) if isfinite(value) else None
