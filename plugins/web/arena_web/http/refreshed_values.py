"""Values that take time: refreshed in the background, or read once for all who ask together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Generic, TypeVar

from attrs import define, field

T = TypeVar("T")

COMPUTE_RATIO = 20  # a value lasts for so many times the seconds that it took
MAX_WAIT_SECONDS = 0.25  # for which a caller waits for a refresh; then the old value will do


@define
class RefreshedValue(Generic[T]):
    """A value that is refreshed when somebody asks for it and it is old.

    All wait for the first one. While a later one is computed, the old one is returned to whoever
    does not get the new one soon.
    """

    make: Callable[[], Awaitable[T]]
    now: Callable[[], float] = monotonic
    began: float = 0.0  #: when the value that is kept was begun
    _value: T | None = None
    _next: float = 0.0
    _task: asyncio.Task[T] | None = field(default=None, init=False)

    @property
    def value(self) -> T | None:
        """The value that is kept, however old; None before the first one."""
        return self._value

    async def get(self) -> T:
        """Return the value, and refresh it in the background if it is too old.

        Raises:
            Exception: that of the computation, to all who waited for its end.
        """
        self._clear_finished()
        if self._value is not None and self._task is None and self.now() < self._next:
            return self._value
        task = self._begin()
        if self._value is not None:
            await asyncio.wait({task}, timeout=MAX_WAIT_SECONDS)
            if not task.done() and self._value is not None:  # nobody has forgotten it meanwhile
                return self._value
        await asyncio.wait({task})
        return self._take(task)

    async def get_soon(self) -> T | None:
        """Return the value, or None while it is computed for the first time and takes long."""
        if self._value is not None:
            return await self.get()
        self._clear_finished()
        task = self._begin()
        await asyncio.wait({task}, timeout=MAX_WAIT_SECONDS)
        return self._take(task) if task.done() else None

    def forget(self) -> None:
        """Drop the value, which is wrong and not merely old; the next caller waits for another."""
        self._value, self._next = None, 0.0

    def _begin(self) -> asyncio.Task[T]:
        """Return the computation that is under way, or a new one."""
        if self._task is None:
            self._task = asyncio.create_task(self._renew())
        return self._task

    def _take(self, task: asyncio.Task[T]) -> T:
        """Return the result of a computation, or raise its exception, to each who waited for it."""
        if self._task is task:
            self._task = None
        return task.result()

    def _clear_finished(self) -> None:
        """Forget a computation that has ended when nobody waited for it any more.

        Its failure is logged where a value is kept, which is refreshed again at once. Otherwise it
        is raised: a page that asks again and again would never hear of it.
        """
        task = self._task
        if task is None or not task.done():
            return
        self._task = None
        if task.cancelled() or (error := task.exception()) is None:
            return
        if self._value is None:
            raise error
        failure = {"message": "a page could not be refreshed", "exception": error}
        asyncio.get_running_loop().call_exception_handler(failure)

    async def _renew(self) -> T:
        began = self.now()
        self._value = value = await self.make()
        self.began = began
        self._next = self.now() + COMPUTE_RATIO * (self.now() - began)
        return value


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
