"""Values that take time: refreshed in the background, or read once for all who ask together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Generic, TypeVar

from attrs import define, field

T = TypeVar("T")

COMPUTE_RATIO = 20  # of the time, one part at most goes into computing
MAX_WAIT_SECONDS = 0.25  # seconds: what takes no longer is waited for


@define
class RefreshedValue(Generic[T]):
    """A value with a maximum age; only the first caller waits for it."""

    make: Callable[[], Awaitable[T]]
    now: Callable[[], float] = monotonic
    began: float = 0.0  #: when the value that is kept was begun
    _value: T | None = None
    _next: float = 0.0
    _task: asyncio.Task[None] | None = field(default=None, init=False)

    @property
    def value(self) -> T | None:
        """The value that is kept, however old; None before the first one."""
        return self._value

    async def get(self) -> T:
        """Return the value, and refresh it in the background if it is too old."""
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

    async def get_soon(self) -> T | None:
        """Return the value, or None while it is computed for the first time and takes long."""
        if self._value is not None:
            return await self.get()
        if self._task is None:
            self._task = asyncio.create_task(self._renew())
        await asyncio.wait({self._task}, timeout=MAX_WAIT_SECONDS)
        self._finish()
        return self._value

    def forget(self) -> None:
        """Drop the value, which is wrong and not merely old; the next caller waits for another."""
        self._value, self._next = None, 0.0

    def _finish(self) -> None:
        """Store the result of a computation, or raise its exception."""
        if self._task is not None and self._task.done():
            task, self._task = self._task, None
            if not task.cancelled():
                task.result()

    async def _renew(self) -> None:
        began = self.now()
        self._value = await self.make()
        self.began = began
        self._next = self.now() + COMPUTE_RATIO * (self.now() - began)


@define(eq=False)
class SharedRead(Generic[T]):
    """A value that is read after each call has begun; calls that come together share one read."""

    read: Callable[[], Awaitable[T]]
    _running: asyncio.Task[T] | None = field(default=None, init=False)
    _next: asyncio.Task[T] | None = field(default=None, init=False)

    async def get(self) -> T:
        """Return the value as it is now, or newer; a read that has begun already is too old."""
        if self._next is None or self._next.done():  # who asked for it was cancelled
            self._next = asyncio.create_task(self._read_after(self._running))
        return await asyncio.shield(self._next)

    async def _read_after(self, before: asyncio.Task[T] | None) -> T:
        if before is not None and not before.done():
            await asyncio.wait({before})
        self._running, self._next = self._next, None
        return await self.read()
