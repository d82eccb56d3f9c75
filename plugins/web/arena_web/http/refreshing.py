"""What takes long to compute: kept, shown as it is, and computed anew beside that."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Generic, TypeVar

from attrs import define, field

T = TypeVar("T")

IMMUTABLE_CACHE_CONTROL = "public, max-age=3600"  # what is settled does not change
COMPUTE_RATIO = 20  # of the time, one part at most goes into computing
MAX_WAIT_SECONDS = 0.25  # seconds: what takes no longer is waited for


@define
class Refreshing(Generic[T]):
    """A value that grows old; only who asks first waits until it is there."""

    make: Callable[[], Awaitable[T]]
    now: Callable[[], float] = monotonic
    began: float = 0.0  # when the value that is kept was begun
    _value: T | None = None
    _next: float = 0.0
    _task: asyncio.Task[None] | None = field(default=None, init=False)

    async def get(self) -> T:
        """Return the value, at most a moment later; it is renewed if that is due."""
        if self._task is None and self.now() >= self._next:
            self._task = asyncio.create_task(self._renew())
        if self._task is not None:
            await asyncio.wait(
                {self._task}, timeout=None if self._value is None else MAX_WAIT_SECONDS
            )
            self._finish()
        if self._value is None:
            return await self.get()  # whoever asked first was sent away while it was made
        return self._value

    def _finish(self) -> None:
        """Take note of a computation that is over, and raise what it raised."""
        if self._task is not None and self._task.done():
            task, self._task = self._task, None
            if not task.cancelled():
                task.result()

    async def _renew(self) -> None:
        began = self.now()
        self._value = await self.make()
        self.began = began
        self._next = self.now() + COMPUTE_RATIO * (self.now() - began)
