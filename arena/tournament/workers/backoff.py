"""Pauses in a run while the machine lacks a resource, each longer than the last.

If a worker dies before it has begun a match, the host is at fault, as it is if the machine lacks
processes or another resource: no match starts for a while, and if pauses do not help the run ends.
"""

from __future__ import annotations

from time import monotonic, sleep

from attrs import define, field

from arena.rules import UserError

MIN_SECONDS, MAX_SECONDS = 0.5, 8.0  # each pause is twice as long as the last
GIVE_UP_SECONDS = 30.0  # in pauses without a match between them


@define
class Backoff:
    """Consecutive pauses without a finished match between them."""

    _until: float = 0.0
    _next: float = field(factory=lambda: MIN_SECONDS)
    _sum: float = 0.0

    @property
    def is_active(self) -> bool:
        """Whether a pause is in progress."""
        return monotonic() < self._until

    def begin(self, lacking: str) -> None:
        """Begin a pause; raise UserError if pauses have not helped for too long."""
        if self.is_active:  # running matches meet the same limit
            return
        if self._sum >= GIVE_UP_SECONDS:
            raise UserError(f"{lacking}; run this again to play the remaining matches")
        self._until = monotonic() + self._next
        self._sum += self._next
        self._next = min(MAX_SECONDS, 2 * self._next)

    def wait(self, seconds: float) -> None:
        """Wait for the end of the pause, at most `seconds`."""
        sleep(max(0.0, min(seconds, self._until - monotonic())))
