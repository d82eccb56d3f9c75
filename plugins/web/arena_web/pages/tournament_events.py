"""Event streams of tournaments: browsers reload parts when something has changed.

What is new is seen by asking the store, four times a second, while anybody listens.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from secrets import token_hex

from attrs import define, field
from starlette.requests import Request
from starlette.responses import Response

from arena import UserError
from arena.extend import Store
from arena_web.http.sse import (
    ALIVE,
    BYE,
    RETRY,
    EventBroadcast,
    FollowerLimit,
    WakeUpSignal,
    merge_streams,
    read_last_frame,
)
from arena_web.sources.tournament import TournamentSnapshot, TournamentSource

POLL_SECONDS = 0.25  # seconds between two looks at the store
MIN_MESSAGE_SECONDS = 1.0  # seconds at least between two messages
SERVER_ID = token_hex(8)  # another one after each start: then pages are loaded anew


def build_message(event: str, **data: object) -> bytes:
    r"""Encode an event.

    >>> build_message("changed", matches=3)
    b'event: changed\ndata: {"matches": 3}\n\n'
    """
    return f"event: {event}\ndata: {json.dumps(data)}\n\n".encode("ascii")


@define(eq=False)
class TournamentStream:
    """The followers of one tournament."""

    tournament: TournamentSource
    followers: FollowerLimit  #: of this and of all others
    latest: bytes = b""
    _closed: bool = False
    _following: int = 0
    _watching: asyncio.Task[None] | None = None
    _bell: WakeUpSignal = field(init=False, factory=WakeUpSignal)

    def answer(self, request: Request) -> Response:
        """Return the stream, or a refusal if there are too many followers."""
        return self.followers.answer(request, self._follow(), self._count_follower())

    def answer_with_table(self, request: Request, feed: EventBroadcast | None) -> Response:
        """Return one stream of the changes and of a table that is watched on the same page.

        A browser has few connections to a host, so a page has one stream only. Where the table is
        over, the stream says that it is `gone`.
        """
        after = read_last_frame(request)
        if feed is None or feed.is_over(after):
            chunks = self._follow(first=build_message("gone"))
            return self.followers.answer(request, chunks, self._count_follower())
        both = merge_streams(self._follow(), feed.follow(after))
        return self.followers.answer(request, both, self._count_both(feed))

    def close(self) -> None:
        """End all streams, from any thread."""
        self._closed = True
        self._bell.notify_threadsafe()

    @contextmanager
    def _count_follower(self) -> Iterator[None]:
        self._following += 1
        try:
            yield
        finally:
            self._following -= 1

    @contextmanager
    def _count_both(self, feed: EventBroadcast) -> Iterator[None]:
        with self._count_follower(), feed.count_follower():
            yield

    async def _follow(self, first: bytes = b"") -> AsyncGenerator[bytes]:
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())
        yield RETRY + build_message("hello", server=SERVER_ID) + first
        async for text in self._messages():
            yield text

    async def _messages(self) -> AsyncIterator[bytes]:
        while not self._closed:
            if not await self._bell.wait():
                yield ALIVE
            elif not self._closed:
                yield self.latest
        yield BYE

    async def _watch(self) -> None:
        """Poll the store while there are followers."""
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1) as thread:  # a connection is used where it was made
            while self._following and not self._closed:
                try:
                    store = await loop.run_in_executor(thread, self.tournament.open)
                    try:
                        await self._poll(store, thread)
                    finally:
                        thread.submit(store.close)
                except UserError:  # the database is away, and may come again
                    await asyncio.sleep(MIN_MESSAGE_SECONDS)

    async def _poll(self, store: Store, thread: ThreadPoolExecutor) -> None:
        """Poll while there are followers; announce changes once the new snapshot is ready."""
        loop, stamp, told = asyncio.get_running_loop(), None, None
        since = loop.time()
        while self._following and not self._closed:
            now = await loop.run_in_executor(thread, store.get_stamp)
            if now != stamp:
                stamp, since = now, loop.time()
            if self.tournament.snapshot.began < since or told is None:
                seen = await self.tournament.snapshot.get()
                if seen is not told:  # the first time, too: the page may be older
                    told = seen
                    self._announce(seen)
                    await asyncio.sleep(MIN_MESSAGE_SECONDS)
            await asyncio.sleep(POLL_SECONDS)

    def _announce(self, seen: TournamentSnapshot) -> None:
        self.latest = build_message("changed", matches=seen.stored, figures=seen.summary.matches)
        self._bell.notify()
