"""Worker threads for database queries, so that pages do not wait for each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread
from attrs import define, field
from starlette.exceptions import HTTPException

T = TypeVar("T")
BUSY_MESSAGE = "this site is busy: try again in a second"
MAX_PARALLEL = 4  # questions that are worked on
MAX_WAITING = 200  # questions, more than one visitor may ask at once; the next one is sent away


@define(eq=False)
class WorkerThreads:
    """A pool of threads; create it anywhere, use it in an event loop."""

    _limiter: CapacityLimiter = field(init=False, factory=lambda: CapacityLimiter(MAX_PARALLEL))
    _line: CapacityLimiter = field(init=False, factory=lambda: CapacityLimiter(1))
    _waiting: int = field(init=False, default=0)

    async def ask_in_turn(self, question: Callable[[], T]) -> T:
        """Return the result of one of many functions, such as for a part of a download.

        Such questions have a thread of their own, and stand in line for it as long as it takes: so
        others do not wait behind them, and no file ends in the middle.
        """
        return await to_thread.run_sync(question, limiter=self._line)

    async def ask(self, question: Callable[[], T]) -> T:
        """Return the result of a function; raise 503 if too many wait."""
        if self._waiting >= MAX_WAITING:
            raise HTTPException(503, BUSY_MESSAGE, {"Retry-After": "1"})
        self._waiting += 1
        try:
            return await to_thread.run_sync(question, limiter=self._limiter)
        finally:
            self._waiting -= 1
