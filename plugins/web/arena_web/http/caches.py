"""What spares time: caches of responses, and values that are refreshed or read for many."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable, Hashable
from hashlib import sha256
from time import monotonic
from typing import Generic, TypeVar

from attrs import define, field, frozen
from cachetools import LRUCache
from starlette.requests import Request
from starlette.responses import Response

T = TypeVar("T")

MAX_CACHE_BYTES = 64_000_000  # of all cached responses, compressed
COMPRESSION_LEVEL = 6  # 9 takes twice the time for one part in a hundred

IMMUTABLE_CACHE_CONTROL = "public, max-age=3600"  # what is settled does not change
COMPUTE_RATIO = 20  # of the time, one part at most goes into computing
MAX_WAIT_SECONDS = 0.25  # seconds: what takes no longer is waited for


@frozen
class CachedResponse:
    """A cached response, compressed."""

    packed: bytes
    kind: str
    cache_control: str  # what is said of caching it
    tag: str

    @classmethod
    def of(cls, response: Response) -> CachedResponse:
        """Create a cached response from a response."""
        body = bytes(response.body)
        tag = f'W/"{sha256(body).hexdigest()[:16]}"'
        headers = response.headers
        packed = gzip.compress(body, COMPRESSION_LEVEL, mtime=0)
        return cls(packed, headers["content-type"], headers.get("cache-control", "no-cache"), tag)

    def respond(self, request: Request) -> Response:
        """Return the response, compressed if the client accepts that, or 304."""
        headers = {"ETag": self.tag, "Cache-Control": self.cache_control}
        if self.tag in request.headers.get("if-none-match", "").split(", "):
            return Response(status_code=304, headers=headers)
        headers["Content-Type"] = self.kind
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(gzip.decompress(self.packed), headers=headers)
        return Response(self.packed, headers={**headers, "Content-Encoding": "gzip"})


class ResponseCache:
    """An LRU cache of responses, by what they depend on."""

    def __init__(self, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self._responses = LRUCache[Hashable, CachedResponse](max_bytes, measure_bytes)

    @property
    def size(self) -> int:
        """The size of all cached responses in bytes, compressed."""
        return int(self._responses.currsize)

    def get(self, key: Hashable) -> CachedResponse | None:
        """Return a cached response, or None."""
        return self._responses.get(key)

    def put(self, key: Hashable, body: CachedResponse) -> None:
        """Store a response, and evict others if there is no room; a too large one is not stored."""
        if measure_bytes(body) <= self._responses.maxsize:
            self._responses[key] = body


def measure_bytes(response: CachedResponse) -> int:
    """Return the size of a response in bytes, compressed."""
    return len(response.packed)


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
