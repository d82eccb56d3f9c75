"""Pauses: the time from one attempt at something to the next."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from attrs import define, field


@define
class Pause:
    """A pause, which is over until it is begun."""

    clock: Callable[[], float] = monotonic  #: seconds
    _end: float = field(default=0.0, init=False)

    def begin(self, seconds: float) -> None:
        """Begin the pause, which lasts this long from now."""
        self._end = self.clock() + seconds

    @property
    def is_over(self) -> bool:
        """Whether the pause has ended."""
        return self.clock() >= self._end
