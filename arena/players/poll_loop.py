"""The poll loop: the only place where a match waits for descriptors."""

from __future__ import annotations

import select
from collections.abc import Callable

from arena.players.host_clock import CLOCK, now

# Seconds; what is longer is waited for again. An interrupt that comes in the last moment before
# the poll does not end it: its handler runs after this time.
MAX_WAIT_SECONDS = 1.0


class PollLoop:
    """Descriptors with the functions to call when they are ready.

    Forget a descriptor before it is closed: its number may be somebody else's at once.
    """

    def __init__(self) -> None:
        self._poll = select.poll()
        self._callbacks: dict[int, Callable[[], object]] = {}
        self.woke_at = 0.0  # when the last wait was over
        CLOCK.start()

    def watch(self, descriptor: int, events: int, on_ready: Callable[[], object]) -> None:
        """Call a function whenever the descriptor is readable, writable or hung up."""
        self._poll.register(descriptor, events)
        self._callbacks[descriptor] = on_ready

    def forget(self, descriptor: int) -> None:
        """Stop watching a descriptor; do nothing if it was not watched."""
        if self._callbacks.pop(descriptor, None):
            self._poll.unregister(descriptor)

    def wait(self, until: float) -> None:
        """Wait until a descriptor is ready or a moment of the host's own time has come.

        It may be over before that: after MAX_WAIT_SECONDS, and where the host has stood still.
        """
        seconds = min(max(0.0, until - now()), MAX_WAIT_SECONDS)
        ready = self._poll.poll(seconds * 1000)
        self.woke_at = now()
        for descriptor, _ in ready:
            if stirred := self._callbacks.get(descriptor):
                stirred()
