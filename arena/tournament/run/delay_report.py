"""The report of a problem of the host by which somebody has to wait."""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field

from arena.rules import describe_error


@define
class DelayReport:
    """Reports each problem of the host once, however often it comes again."""

    say: Callable[[str], None]
    _problem: str = field(default="", init=False)  # of the last attempt

    def report(self, consequence: str, problem: Exception) -> None:
        """Report a consequence and its problem, unless the last attempt failed by the same."""
        words = describe_error(problem)
        if words != self._problem:
            self.say(f"{consequence}: {words}")
        self._problem = words

    def clear(self) -> None:
        """Handle an attempt that succeeded."""
        self._problem = ""
