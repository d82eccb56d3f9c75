"""Threads in which a database is asked, so that no page waits for another one's question."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread
from attrs import define, field
from starlette.exceptions import HTTPException

T = TypeVar("T")
AT_ONCE = 4  # questions that are worked on
WAITING = 50  # questions; the next one is sent away


@define(eq=False)
class Threads:
    """Some threads; make it anywhere, ask where an event loop runs."""

    _limiter: CapacityLimiter = field(init=False, factory=lambda: CapacityLimiter(AT_ONCE))
    _waiting: int = field(init=False, default=0)

    async def ask(self, question: Callable[[], T]) -> T:
        """Return what a question comes to; raise 503 where too many wait."""
        if self._waiting >= WAITING:
            raise HTTPException(503, headers={"Retry-After": "1"})
        self._waiting += 1
        try:
            return await to_thread.run_sync(question, limiter=self._limiter)
        finally:
            self._waiting -= 1
