"""A while in which nothing is begun, since the machine has no more processes or the like."""

from __future__ import annotations

from time import monotonic, sleep

from attrs import define

from arena.rules import UserError

SHORTEST, LONGEST = 0.5, 8.0  # seconds; each lull is twice as long as the one before
TOO_LONG = 30.0  # seconds of lulls without a match between them


@define
class Lull:
    """Lulls that follow upon each other without a match that was played."""

    _until: float = 0.0
    _next: float = SHORTEST
    _sum: float = 0.0

    @property
    def lasts(self) -> bool:
        """Is there one?"""
        return monotonic() < self._until

    def begin(self, lacking: str) -> None:
        """Begin nothing for a while; raise UserError where that has been of no use for long."""
        if self.lasts:  # what was under way meets the same limit
            return
        if self._sum >= TOO_LONG:
            raise UserError(f"{lacking}; what was not played is played when this is run again")
        self._until = monotonic() + self._next
        self._sum += self._next
        self._next = min(LONGEST, 2 * self._next)

    def wait(self, seconds: float) -> None:
        """Wait for its end, at most `seconds`."""
        sleep(max(0.0, min(seconds, self._until - monotonic())))
