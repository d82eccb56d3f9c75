"""Worker threads for slow calls, such as database queries: pages do not wait for each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread
from attrs import define, field
from starlette.exceptions import HTTPException

T = TypeVar("T")

BUSY_MESSAGE = "this site is busy: try again in a second"
MAX_PARALLEL = 4  # questions that are worked on
RETRY_SECONDS = 1  # after which a refused request may come again
MAX_WAITING = 200  # questions, more than one visitor may ask at once; the next one is sent away


@define(eq=False)
class LimitedThreads:
    """Threads for `parallel` calls at once; a limited number of others wait."""

    parallel: int
    _limiter: CapacityLimiter = field(init=False)
    _waiting: int = field(init=False, default=0)

    @_limiter.default
    def _create_limiter(self) -> CapacityLimiter:
        return CapacityLimiter(self.parallel)

    async def run(
        self,
        call: Callable[[], T],
        max_waiting: int,
        retry_seconds: int,
        message: str | None = None,
    ) -> T:
        """Return the result of a call; raise 503 with this message if too many wait."""
        if self._waiting >= max_waiting:
            raise HTTPException(503, message, {"Retry-After": f"{retry_seconds}"})
        self._waiting += 1
        try:
            return await to_thread.run_sync(call, limiter=self._limiter)
        finally:
            self._waiting -= 1


@define(eq=False)
class WorkerThreads:
    """A pool of threads; create it anywhere, use it in an event loop."""

    _threads: LimitedThreads = field(init=False, factory=lambda: LimitedThreads(MAX_PARALLEL))
    _line: CapacityLimiter = field(init=False, factory=lambda: CapacityLimiter(1))

    async def ask_in_turn(self, question: Callable[[], T]) -> T:
        """Return the result of one of many functions, such as for a part of a download.

        Such questions have a thread of their own, and stand in line for it as long as it takes: so
        others do not wait behind them, and no file ends in the middle.
        """
        return await to_thread.run_sync(question, limiter=self._line)

    async def ask(self, question: Callable[[], T]) -> T:
        """Return the result of a function; raise 503 if too many wait."""
        return await self._threads.run(question, MAX_WAITING, RETRY_SECONDS, BUSY_MESSAGE)
