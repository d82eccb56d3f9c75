"""What happens, as server-sent events: frames that are encoded once, for any number of followers.

A feed is a list of frames that never change. A follower holds only the number of its next frame,
which is also the id of the event, so that a lost connection goes on where it was, and a page that
is loaded again sees everything from frame 1. A follower that does not read costs nothing but its
place: no queue is kept for it.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from time import time
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from arena_web.http.client_addresses import find_client

FRAME_SECONDS = 0.1  # seconds between two frames
KEEPALIVE_SECONDS = 15.0  # seconds after which a comment says that the stream is alive
RETRY = b"retry: 3000\n\n"  # milliseconds until a browser connects again
ALIVE = b": still here\n\n"
BYE = b"event: bye\ndata: {}\n\n"
STEPS = "steps"
"""The event whose data are lists: what comes within a pause becomes one frame."""
MAX_FOLLOWERS, MAX_FOLLOWERS_PER_ADDRESS = (
    500,
    50,
)  # followers in all, and from one address, behind which a course may sit
RETRY_AFTER_SECONDS = "5"  # seconds after which who was turned away may come again


class Notifier:
    """Wakes all who wait for something new; make it anywhere, wait where an event loop runs.

    Nobody who waits has a lock to lose: each waits for an event of its own time, which is swapped.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._news: asyncio.Event | None = None

    async def wait(self) -> bool:
        """Wait until it rings; say that it did not where that takes too long for a stream."""
        self._loop = asyncio.get_running_loop()
        if self._news is None:
            self._news = asyncio.Event()
        try:
            await asyncio.wait_for(self._news.wait(), KEEPALIVE_SECONDS)
        except TimeoutError:
            return False
        return True

    def notify(self) -> None:
        """Wake all who wait now, from the loop."""
        news, self._news = self._news, None
        if news is not None:
            news.set()

    def notify_threadsafe(self) -> None:
        """Wake all who wait, from whatever thread."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended, and who waited with it
                self._loop.call_soon_threadsafe(self.notify)


class EventFeed:
    """The frames of something that goes on; make it where the event loop runs."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.followers = 0
        self.ended = False  # will nothing more come?
        self.closed = False  # has the server ended it?
        self._loop = asyncio.get_running_loop()
        self._bell = Notifier()
        self._waiting: list[tuple[str, Any]] = []  # events that are not in a frame yet
        self._due = 0.0  # the earliest moment of the next frame

    def put(self, event: str, data: Any) -> None:
        """Have an event follow, from whatever thread; its data are what `json` can write."""
        self._soon(self._take, event, data)

    def end(self) -> None:
        """Let the frames so far be all, from whatever thread."""
        self._soon(self._end)

    def close(self) -> None:
        """End all streams at once with a `bye`, from whatever thread: the server ends."""
        self._soon(self._close)

    def is_over(self, after: int) -> bool:
        """Whether nothing follows this frame."""
        return self.closed or (self.ended and after >= len(self.frames))

    async def follow(self, after: int = 0) -> AsyncIterator[bytes]:
        """Yield all frames behind this one, as they come; a number that cannot be is 0."""
        after = after if 0 < after <= len(self.frames) else 0
        yield RETRY + build_clock_frame()
        while not self.is_over(after):
            if after < len(self.frames):
                there, after = self.frames[after:], len(self.frames)
                yield b"".join(there)
            elif not await self._bell.wait():
                yield ALIVE
        if self.closed:
            yield BYE

    @contextmanager
    def count_follower(self) -> Iterator[None]:
        """Count a follower for a while."""
        self.followers += 1
        try:
            yield
        finally:
            self.followers -= 1

    def _soon(self, act: Any, *arguments: Any) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody follows any more
            self._loop.call_soon_threadsafe(act, *arguments)

    def _take(self, event: str, data: Any) -> None:
        if self.ended or self.closed:
            return
        if not self._waiting:
            self._loop.call_at(max(self._due, self._loop.time()), self._flush)
        if event == STEPS and self._waiting and self._waiting[-1][0] == STEPS:
            self._waiting[-1][1].extend(data)
        else:
            self._waiting.append((event, [*data] if event == STEPS else data))

    def _flush(self) -> None:
        """Make frames of what waits, and wake who follows."""
        for event, data in self._waiting:
            self.frames.append(build_frame(len(self.frames) + 1, event, data))
        self._waiting = []
        self._due = self._loop.time() + FRAME_SECONDS
        self._bell.notify()

    def _end(self) -> None:
        self._flush()
        self.ended = True
        self._bell.notify()

    def _close(self) -> None:
        self.closed = True
        self._bell.notify()


def build_frame(number: int, event: str, data: Any) -> bytes:
    """Return one event as it is sent; JSON in ASCII has no line that could end it early."""
    packed = json.dumps(data, separators=(",", ":"))
    return f"id: {number}\nevent: {event}\ndata: {packed}\n\n".encode("ascii")


def build_clock_frame() -> bytes:
    """Return an event without a number: the time here, by which a page knows how late it is."""
    return f"event: now\ndata: {json.dumps({'at': time()})}\n\n".encode("ascii")


class FollowerLimit:
    """Counts who follows any feed, so that nobody takes all the places."""

    def __init__(self, most: int = MAX_FOLLOWERS, each: int = MAX_FOLLOWERS_PER_ADDRESS) -> None:
        self._most, self._each = most, each
        self._by_address: Counter[str] = Counter()

    def is_full(self, address: str) -> bool:
        """Whether the limit of followers, in all or from this address, is reached."""
        counts = self._by_address
        return counts[address] >= self._each or counts.total() >= self._most

    @contextmanager
    def count(self, address: str) -> Iterator[None]:
        """Count one for a while."""
        self._by_address[address] += 1
        try:
            yield
        finally:
            self._by_address -= Counter([address])  # forgets who has none

    def stream(self, request: Request, feed: EventFeed | None) -> Response:
        """Return the stream of a feed from where the request has got to.

        A feed that is gone, or has no more, gives 204: then a browser does not come again.
        """
        after = read_last_frame(request)
        if feed is None or feed.is_over(after):
            return Response(status_code=204)
        return self.answer(request, feed.follow(after), feed.count_follower())

    def answer(
        self,
        request: Request,
        chunks: AsyncIterator[bytes],
        meanwhile: AbstractContextManager[object],
    ) -> Response:
        """Return a stream of these, which is counted and has `meanwhile` open as long as it lasts.

        Where too many follow, or this address follows too much, it is told when to come again.
        """
        address = find_client(request.scope)
        if self.is_full(address):
            headers = {"Retry-After": RETRY_AFTER_SECONDS}
            return PlainTextResponse("too many open streams\n", 503, headers)
        return _Stream(chunks, self.count(address), meanwhile)


def read_last_frame(request: Request) -> int:
    """Return the number of the browser's last frame, 0 for none, by its header or query."""
    given = request.headers.get("last-event-id") or request.query_params.get("after") or "0"
    return (
        int(given) if given.isascii() and given.isdigit() and len(given) < len("1000000000") else 0
    )


class _Stream(StreamingResponse):
    """A stream of events; what is open while it lasts is closed when the follower leaves."""

    def __init__(
        self, chunks: AsyncIterator[bytes], *open_: AbstractContextManager[object]
    ) -> None:
        headers: Mapping[str, str] = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(chunks, media_type="text/event-stream", headers=headers)
        self._open = open_

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the stream ends or the follower leaves."""
        with ExitStack() as stack:
            for manager in self._open:
                stack.enter_context(manager)
            await super().__call__(scope, receive, send)
