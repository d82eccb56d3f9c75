"""The stream that says when a tournament has changed, so that browsers load parts again.

It is seen by asking the store, four times a second, while anybody listens.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from secrets import token_hex
from time import monotonic

from attrs import define, field
from starlette.requests import Request
from starlette.responses import Response

from arena import UserError
from arena.tournament.store import Store
from arena_web.http.sse import (
    ALIVE,
    BYE,
    RETRY,
    EventBroadcast,
    FollowerLimit,
    WakeUpSignal,
    build_state,
    merge_streams,
    read_last_frame,
)
from arena_web.protocol.messages import ServerGreeting, TableGone, TournamentChange
from arena_web.tournaments.sources import TournamentSource

POLL_SECONDS = 0.25  # seconds between two looks at the store
MIN_MESSAGE_SECONDS = 1.0  # seconds at least between two messages
SERVER_ID = token_hex(8)  # another one after each start: then pages are loaded anew


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
            chunks = self._follow(first=build_state(TableGone()))
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
        self._ensure_watching()
        yield RETRY + build_state(ServerGreeting(SERVER_ID)) + first
        async for text in self._iter_messages():
            yield text

    def _ensure_watching(self) -> None:
        """Watch the store: nobody did before, or whatever ended that was logged."""
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())

    async def _iter_messages(self) -> AsyncIterator[bytes]:
        latest = self.latest
        while not self._closed:
            if self.latest is not latest:  # perhaps since before: whoever reads slowly is told, too
                latest = self.latest
                yield latest
            elif not await self._bell.wait():
                self._ensure_watching()
                yield ALIVE
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
                except UserError:  # the database is away, or much is asked
                    await asyncio.sleep(MIN_MESSAGE_SECONDS)

    async def _poll(self, store: Store, thread: ThreadPoolExecutor) -> None:
        """Poll while there are followers; announce changes once pages can show them."""
        loop, stamp = asyncio.get_running_loop(), None
        before: tuple[object, ...] = ()
        since = monotonic()
        while self._following and not self._closed:
            now = await loop.run_in_executor(thread, store.get_stamp)
            if now != stamp:
                stamp, since = now, monotonic()
            current = await self.tournament.refresh(since)
            if [*map(id, current)] != [*map(id, before)]:  # the first time, too: pages may be older
                before = current
                self._announce()
                await asyncio.sleep(MIN_MESSAGE_SECONDS)
            await asyncio.sleep(POLL_SECONDS)

    def _announce(self) -> None:
        if snapshot := self.tournament.snapshot.value:
            matches, figures = snapshot.stored, snapshot.summary.matches
            self.latest = build_state(TournamentChange(matches, figures))
            self._bell.notify()
