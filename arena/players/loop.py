"""One poll over all descriptors of a match: nothing else here waits."""

from __future__ import annotations

import select
from collections.abc import Callable
from time import monotonic

LONGEST_WAIT = 86_400.0  # seconds; what is longer overflows, and is waited for again


class Loop:
    """Descriptors, each with what to do when it stirs.

    Forget a descriptor before it is closed: its number may be somebody else's at once.
    """

    def __init__(self) -> None:
        self._poll = select.poll()
        self._stirred: dict[int, Callable[[], None]] = {}
        self.woke = 0.0  # when the last wait was over

    def watch(self, descriptor: int, events: int, stirred: Callable[[], None]) -> None:
        """Call this whenever the descriptor can be read or written, or hangs up."""
        self._poll.register(descriptor, events)
        self._stirred[descriptor] = stirred

    def forget(self, descriptor: int) -> None:
        """Look at this descriptor no more; harmless when it was not looked at."""
        if self._stirred.pop(descriptor, None):
            self._poll.unregister(descriptor)

    def wait(self, until: float) -> None:
        """Wait until something stirs or this moment of the monotonic clock has come."""
        seconds = min(max(0.0, until - monotonic()), LONGEST_WAIT)
        stirring = self._poll.poll(seconds * 1000)
        self.woke = monotonic()
        for descriptor, _ in stirring:
            if stirred := self._stirred.get(descriptor):
                stirred()
