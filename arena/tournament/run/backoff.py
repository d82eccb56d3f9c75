"""A while in which nothing is begun, since the machine has no more processes or the like."""

from __future__ import annotations

from time import monotonic, sleep

from attrs import define

from arena.rules import UserError

MIN_SECONDS, MAX_SECONDS = 0.5, 8.0  # seconds; each lull is twice as long as the one before
GIVE_UP_SECONDS = 30.0  # seconds of lulls without a match between them


@define
class Backoff:
    """Lulls that follow upon each other without a match that was played."""

    _until: float = 0.0
    _next: float = MIN_SECONDS
    _sum: float = 0.0

    @property
    def is_active(self) -> bool:
        """Return whether the backoff has not ended yet."""
        return monotonic() < self._until

    def begin(self, lacking: str) -> None:
        """Begin nothing for a while; raise UserError where that has been of no use for long."""
        if self.is_active:  # what was under way meets the same limit
            return
        if self._sum >= GIVE_UP_SECONDS:
            raise UserError(f"{lacking}; what was not played is played when this is run again")
        self._until = monotonic() + self._next
        self._sum += self._next
        self._next = min(MAX_SECONDS, 2 * self._next)

    def wait(self, seconds: float) -> None:
        """Wait for its end, at most `seconds`."""
        sleep(max(0.0, min(seconds, self._until - monotonic())))
