"""One poll over all descriptors of a match: nothing else here waits."""

from __future__ import annotations

import select
from collections.abc import Callable
from time import monotonic

LONGEST_WAIT = 86_400.0  # seconds; what is longer overflows, and is waited for again


AT_ONCE = 0.0002  # seconds; what a look finds sooner was there before anybody looked


class Loop:
    """Descriptors, each with what to do when it stirs.

    Forget a descriptor before it is closed: its number may be somebody else's at once.
    """

    def __init__(self) -> None:
        self._poll = select.poll()
        self._stirred: dict[int, Callable[[], None]] = {}
        self.woke = monotonic()  # when the last look began
        self.blind = 0.0  # seconds by which what it found may have been there before

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
        before = monotonic()
        seconds = min(max(0.0, until - before), LONGEST_WAIT)
        stirring = self._poll.poll(seconds * 1000)
        found = monotonic()
        there = stirring and found - before < AT_ONCE
        self.blind, self.woke = before - self.woke if there else 0.0, found
        for descriptor, _ in stirring:
            if stirred := self._stirred.get(descriptor):
                stirred()
