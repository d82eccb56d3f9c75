"""Parameters that are tuned: real numbers, whole numbers, and choices."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, log, log10

from attrs import field, frozen

REAL, INTEGER, CHOICE = "real", "integer", "choice"
RESOLUTION = 1e-4  # of a range: reals are rounded to decimals that are at least as fine
LOG_DIGITS = 5  # of a real number on a log scale
BOUND_SHARE = 0.01  # of a range: a real number that is this near to its end is at its bound

Value = bool | int | float | str
Settings = Mapping[str, Value]
"""A value for each parameter, by name."""


@frozen
class Parameter:
    """A parameter with its range or its choices, and the value that it has in the bot now."""

    name: str
    kind: str  #: `real`, `integer` or `choice`
    default: Value
    low: float = field(default=0.0, converter=float)  #: of numbers
    high: float = field(default=1.0, converter=float)  #: of numbers
    choices: tuple[Value, ...] = ()  #: of choices
    log: bool = False  #: whether equal ratios, not equal differences, are equally far apart

    @property
    def levels(self) -> int:
        """The number of values that an integer or a choice can have; 0 for a real number."""
        if self.kind == CHOICE:
            return len(self.choices)
        return int(self.high - self.low) + 1 if self.kind == INTEGER else 0

    def scale(self, value: Value) -> float:
        """Return the position of a number within its range, from 0 to 1.

        On a log scale this is that of its logarithm.

        >>> Parameter("w", "integer", 3, 1, 9).scale(5)
        0.5
        """
        assert not isinstance(value, str)
        if self.log:
            return log(value / self.low) / log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def unscale(self, position: float) -> Value:
        """Return the number at a position, which is moved into the range and rounded.

        >>> Parameter("w", "real", 0.0, -2, 2).unscale(0.123456)
        -1.5062
        >>> Parameter("rate", "real", 0.1, 0.01, 1, log=True).unscale(0.5)
        0.1
        """
        share = min(1.0, max(0.0, position))
        number: float
        if self.log:
            number = self.low * (self.high / self.low) ** share
        else:
            number = self.low + share * (self.high - self.low)
        if self.kind == INTEGER:
            return round(number)
        if self.log:
            return min(max(float(f"{number:.{LOG_DIGITS}g}"), self.low), self.high)
        decimals = max(0, ceil(-log10(RESOLUTION * (self.high - self.low))))
        return min(max(round(number, decimals), float(self.low)), float(self.high))

    def find_bound(self, value: Value) -> str | None:
        """Return `low` or `high` where a number is at the end of its range, else None."""
        if self.kind == CHOICE:
            return None
        position, margin = self.scale(value), BOUND_SHARE if self.kind == REAL else 0.0
        return "low" if position <= margin else "high" if position >= 1 - margin else None


def get_defaults(parameters: tuple[Parameter, ...]) -> Settings:
    """Return the settings of the bot as it is."""
    return {parameter.name: parameter.default for parameter in parameters}
