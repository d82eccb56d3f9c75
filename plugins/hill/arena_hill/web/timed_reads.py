"""Reads that may hang for ever, of a disk on the network or from the server of a database.

Each has a thread of its own and a deadline, and is not begun again while it hangs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from anyio import CapacityLimiter, to_thread
from attrs import define, field

T = TypeVar("T")
DEADLINE_SECONDS = 7.0  # shorter than any wait for a database


@define(eq=False)
class TimedRead(Generic[T]):
    """A function that may hang: it is called in a thread of its own, one call at a time."""

    read: Callable[[], T]
    _limiter: CapacityLimiter = field(init=False, factory=lambda: CapacityLimiter(1))
    _task: asyncio.Task[T] | None = field(init=False, default=None)

    async def run(self) -> T:
        """Return the result; raise TimeoutError if that takes too long, and let it go on."""
        if self._task is None or self._task.done():
            work = to_thread.run_sync(self.read, limiter=self._limiter)
            self._task = asyncio.ensure_future(work)
        return await asyncio.wait_for(asyncio.shield(self._task), DEADLINE_SECONDS)
