"""Server-sent events: frames that are encoded once for any number of followers.

A feed is a list of frames that never change. A follower holds only the number of its next frame,
which is also the id of the event, so that a lost connection goes on where it was, and a page that
is loaded again sees everything from frame 1. A follower that does not read costs nothing but its
place: no queue is kept for it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from secrets import token_hex
from time import time
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from arena_web.http.clients import ClientCounter, compute_share, find_client
from arena_web.protocol.json_format import to_json
from arena_web.protocol.messages import Arrival, Message, ServerStops, Steps

FRAME_SECONDS = 0.1  # seconds between two frames
KEEPALIVE_SECONDS = 15.0  # seconds after which a comment says that the stream is alive
RETRY = b"retry: 1000\n\n"  # milliseconds until a browser connects again
ALIVE = b": still here\n\n"
MAX_FOLLOWERS = 500  # followers of the pages in all
MAX_FOLLOWERS_PER_ADDRESS = 50  # of these from one address, behind which a course may sit
RETRY_AFTER_SECONDS = "5"  # seconds after which who was turned away may come again


class WakeUpSignal:
    """Wakes all waiting coroutines; create it anywhere, wait in an event loop.

    Each notification sets an event, and drops it: who waits afterwards waits for another event. So
    no waiting coroutine holds a lock, which it would keep where it is cancelled.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._news: asyncio.Event | None = None

    async def wait(self) -> bool:
        """Wait for a notification; return whether there was one before the timeout."""
        self._loop = asyncio.get_running_loop()
        if self._news is None:
            self._news = asyncio.Event()
        try:
            await asyncio.wait_for(self._news.wait(), KEEPALIVE_SECONDS)
        except TimeoutError:
            return False
        return True

    def notify(self) -> None:
        """Wake all waiting coroutines, from the loop."""
        news, self._news = self._news, None
        if news is not None:
            news.set()

    def notify_threadsafe(self) -> None:
        """Wake all waiting coroutines, from any thread."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended, and who waited with it
                self._loop.call_soon_threadsafe(self.notify)


class EventBroadcast:
    """Frames that any number of followers read and resume; create it in an event loop."""

    def __init__(self) -> None:
        self.key = token_hex(4)  # whose frames these numbers are
        self.frames: list[bytes] = []
        self.messages: list[Message] = []  # of the frames
        self.followers = 0
        self.on_followers: Callable[[], object] = lambda: None  # called when one has come or gone
        self.ended = False  #: whether nothing more will come
        self.closed = False  #: whether the server has ended it
        self._loop = asyncio.get_running_loop()
        self._bell = WakeUpSignal()
        self._states: dict[str, bytes] = {}  # the last chunk of each event that has no number
        self._waiting: list[Message] = []  # that are not in a frame yet
        self._due = 0.0  # the earliest moment of the next frame
        self._waiters = 0  # who waits for the next frame, and not for a pause

    def put(self, message: Message) -> None:
        """Append a message, from any thread; steps of one pause are merged."""
        self._soon(self._take, message)

    def tell(self, message: Message) -> None:
        """Tell a state that replaces the one before, from any thread: it is in no frame."""
        self._soon(self._tell, message)

    def end(self) -> None:
        """End the feed after its present frames, from any thread."""
        self._soon(self._end)

    def close(self) -> None:
        """End all streams with a `bye`, from any thread, when the server stops."""
        self._soon(self._close)

    def settle(self) -> None:
        """Put all messages so far into frames, from any thread: no news to a page that comes."""
        self._soon(self._flush)

    def is_over(self, after: int) -> bool:
        """Whether the feed has ended with this frame."""
        return self.closed or (self.ended and after >= len(self.frames))

    async def follow(self, after: int = 0) -> AsyncGenerator[bytes]:
        """Yield all frames after this one as they arrive; an invalid number counts as 0."""
        after = after if 0 < after <= len(self.frames) else 0
        yield RETRY + build_state(Arrival(time(), len(self.frames), self.key))
        earlier: dict[str, bytes] = {}
        while not self.is_over(after):
            if self._states != earlier:
                news = [
                    chunk for event, chunk in self._states.items() if earlier.get(event) != chunk
                ]
                earlier = {**self._states}
                yield b"".join(news)
            elif after < len(self.frames):
                there, after = self.frames[after:], len(self.frames)
                yield b"".join(there)
            elif not await self._bell.wait():
                yield ALIVE
        if self.closed:
            yield BYE

    async def wait(self, after: int) -> None:
        """Wait until there is a frame after this one, or the feed has ended.

        States, which have no number, are no news to who waits so. Meanwhile there are no pauses
        between frames: who reads by calls does not see several of them anyway.
        """
        self._waiters += 1
        if self._waiting:
            self._flush()
        try:
            while after >= len(self.frames) and not (self.ended or self.closed):
                await self._bell.wait()
        finally:
            self._waiters -= 1

    @contextmanager
    def count_follower(self) -> Iterator[None]:
        """Count a follower within the context."""
        self._change_followers(1)
        try:
            yield
        finally:
            self._change_followers(-1)

    def _change_followers(self, by: int) -> None:
        self.followers += by
        self.on_followers()

    def _soon(self, act: Any, *arguments: Any) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody follows any more
            self._loop.call_soon_threadsafe(act, *arguments)

    def _take(self, message: Message) -> None:
        if self.ended or self.closed:
            return
        if not self._waiting:
            due = 0.0 if self._waiters else self._due
            self._loop.call_at(max(due, self._loop.time()), self._flush)
        match message, self._waiting:
            case Steps(steps), [*_, Steps(earlier)]:
                self._waiting[-1] = Steps([*earlier, *steps])
            case _:
                self._waiting.append(message)

    def _flush(self) -> None:
        """Encode waiting messages into frames and wake the followers."""
        for message in self._waiting:
            self.messages.append(message)
            self.frames.append(build_frame(len(self.frames) + 1, message))
        self._waiting = []
        self._due = self._loop.time() + FRAME_SECONDS
        self._bell.notify()

    def _tell(self, message: Message) -> None:
        self._states[message.event] = build_state(message)
        self._bell.notify()

    def _end(self) -> None:
        self._flush()
        self.ended = True
        self._bell.notify()

    def _close(self) -> None:
        self.closed = True
        self._bell.notify()


def build_frame(number: int, message: Message) -> bytes:
    """Encode a message; ASCII JSON contains no line breaks that could end it early."""
    text = json.dumps(to_json(message), separators=(",", ":"))
    return f"id: {number}\nevent: {message.event}\ndata: {text}\n\n".encode("ascii")


def build_state(message: Message) -> bytes:
    r"""Encode a message as an event without a number.

    >>> build_state(ServerStops())
    b'event: bye\ndata: {}\n\n'
    """
    return f"event: {message.event}\ndata: {json.dumps(to_json(message))}\n\n".encode("ascii")


BYE = build_state(ServerStops())
"""The last event of a stream that the server ends because it stops."""


async def merge_streams(*streams: AsyncGenerator[bytes]) -> AsyncIterator[bytes]:
    """Yield the chunks of several streams as they arrive, until all have ended."""
    pending = {_start_next(stream): stream for stream in streams}
    try:
        while pending:
            done, _ = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                stream = pending.pop(task)
                with suppress(StopAsyncIteration):
                    chunk = task.result()
                    pending[_start_next(stream)] = stream
                    yield chunk
    finally:  # the follower has left
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        for stream in streams:
            await stream.aclose()


def _start_next(stream: AsyncGenerator[bytes]) -> asyncio.Task[bytes]:
    async def read() -> bytes:
        return await anext(stream)

    return asyncio.create_task(read())


class FollowerLimit:
    """Limits followers of all feeds, in total and per client."""

    def __init__(
        self, in_all: int = MAX_FOLLOWERS, per_client: int = MAX_FOLLOWERS_PER_ADDRESS
    ) -> None:
        self._in_all, self._per_client = in_all, per_client
        self._clients = ClientCounter()

    def is_full(self, client: str) -> bool:
        """Whether a client, known by its address or otherwise, may follow nothing more."""
        free = self._in_all - self._clients.total
        return free <= 0 or self._clients.has_reached(client, compute_share(free, self._per_client))

    def count(self, client: str) -> AbstractContextManager[None]:
        """Count a follower within the context."""
        return self._clients.count(client)

    def stream(self, request: Request, feed: EventBroadcast | None) -> Response:
        """Return the stream of a feed, after the last frame that the client has.

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
        client: str | None = None,
    ) -> Response:
        """Return a counted stream of frames, with the context `meanwhile` open while it lasts.

        The client counts by its address unless it is known otherwise. Where too many follow, or
        this client follows too much, it is told when to come again.
        """
        client = find_client(request.scope) if client is None else client
        if self.is_full(client):
            headers = {"Retry-After": RETRY_AFTER_SECONDS}
            return PlainTextResponse("too many open streams\n", 503, headers)
        return _Stream(chunks, self.count(client), meanwhile)


def read_last_frame(request: Request) -> int:
    """Return the number of the client's last frame by header or query; 0 for none."""
    number = request.headers.get("last-event-id") or request.query_params.get("after") or "0"
    is_number = number.isascii() and number.isdigit() and len(number) < len("1000000000")
    return int(number) if is_number else 0


class _Stream(StreamingResponse):
    """A stream of events that closes its context when the follower leaves."""

    def __init__(
        self, chunks: AsyncIterator[bytes], *open_: AbstractContextManager[object]
    ) -> None:
        headers: Mapping[str, str] = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(chunks, media_type="text/event-stream", headers=headers)
        self._open = open_

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send frames until the stream ends or the follower leaves."""
        with ExitStack() as stack:
            for manager in self._open:
                stack.enter_context(manager)
            await super().__call__(scope, receive, send)
