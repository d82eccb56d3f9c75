"""Live tables of a tournament, and their announcements.

Workers write what they play to spools as long as somebody looks
(`arena.tournament.worker.live_transcripts`). A table is read by the public eye, and only where
nothing that is announced is news to anybody who has yet to play the same deal. Where the host says
so, and nobody who plays can hear of it, it is read by the eye that sees everything.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from anyio import to_thread
from attrs import define, field, frozen
from starlette.requests import Request
from starlette.responses import Response

from arena import UserError
from arena.extend import (
    LiveTranscriptReader,
    LiveVisibility,
    Replayer,
    Spectator,
    Store,
    TranscriptLine,
    get_plugins,
    list_live_matches,
    parse_lines,
    request_live_transcripts,
)
from arena_web.http.sse import STEPS, EventBroadcast, FollowerLimit
from arena_web.sources.match_announcements import (
    build_end_from_places,
    build_introduction,
    build_void_end,
)
from arena_web.sources.tournament import parse_key
from arena_web.sources.visibility import build_line_filter, withholds_hands

POLL_SECONDS = 0.1  # seconds between two looks at a spool
WISH_SECONDS = 1.0  # seconds between two touches of what says that somebody watches
UNWATCHED_SECONDS = 10.0  # seconds without a follower, after which a table is read no more
MAX_TABLES = 20  # tables that are listed


@frozen
class LiveTable:
    """A live match."""

    key: str
    names: tuple[str, ...]  #: as everybody may see them
    open: bool  #: may it be watched?
    whole: bool  #: hands and all?


def is_watchable(store: Store, key: str, *, deaf: bool) -> bool:
    """Whether everybody may follow the public events of a match while it is played.

    What is announced in one rotation is news in the next, to who can hear of it: so it may be seen
    where there is one rotation only, or all who play it are `deaf`.
    """
    deal, _ = parse_key(key) or (-1, 0)
    return deaf or store.count_rotations(deal) == 1


@define(eq=False)
class LiveTableFeeder:
    """Reads one live transcript as it grows, and feeds its public events."""

    live: Path
    table: LiveTable
    feed: EventBroadcast
    _outgoing: Callable[[TranscriptLine], TranscriptLine] = field(init=False)
    _steps: Replayer | None = None
    _at: int = 0
    _end: dict[str, Any] | None = None

    async def run(self) -> None:
        """Read until the match is over, or has had no followers for a while."""
        try:
            with await to_thread.run_sync(
                LiveTranscriptReader, self.live, self.table.key
            ) as follower:
                await self._follow(follower)
        except (OSError, UserError):  # it was over before; or a spool that was cut
            pass
        self.feed.put(
            "end",
            self._end
            or {**build_void_end(), "said": "This match was interrupted and is played again."},
        )
        self.feed.end()

    async def _follow(self, follower: LiveTranscriptReader) -> None:
        wished = followed = monotonic()
        request_live_transcripts(self.live)
        while not self.feed.closed and monotonic() - followed < UNWATCHED_SECONDS:
            gone = follower.is_complete()
            await to_thread.run_sync(self._take, follower)
            if gone:
                return
            if self.feed.followers:
                followed = monotonic()
            if monotonic() - wished > WISH_SECONDS:
                wished = monotonic()
                request_live_transcripts(self.live)
            await asyncio.sleep(POLL_SECONDS)

    def _take(self, follower: LiveTranscriptReader) -> None:
        """Feed the lines that were added since."""
        for text in follower.read_lines():
            self._at += 1
            if self._steps is None:
                self._begin(text)
            else:
                self._show(self._steps, TranscriptLine(self._at, text))

    def _begin(self, text: str) -> None:
        header, names = parse_lines([text]).header, self.table.names
        game = get_plugins().find_game(header.game)
        self.feed.put("match", build_introduction(self.table.key, game.name, names, header.variant))
        sight = Spectator.ALL if self.table.whole else Spectator.PUBLIC
        self._outgoing = build_line_filter(header.names, names)
        self._steps = Replayer.of(game, header, [sight], names, narrated=True)
        self.feed.put(STEPS, [step.json for step in self._steps.begin()])

    def _show(self, steps: Replayer, line: TranscriptLine) -> None:
        for step in filter(None, steps.take(self._outgoing(line))):
            self.feed.put(STEPS, [step.json])
        if "outcome" in line.value:
            self._end = self._build_end(line.value["outcome"])

    def _build_end(self, outcome: dict[str, Any]) -> dict[str, Any]:
        names, places, scores = self.table.names, outcome["places"], outcome["scores"]
        if places is None or scores is None:
            return build_void_end()
        return build_end_from_places(outcome["end"], names, places, scores)


@define(eq=False)
class LiveTables:
    """The live tables of one tournament."""

    live: Path
    followers: FollowerLimit
    _feeds: dict[str, EventBroadcast] = field(factory=dict)
    _reading: set[asyncio.Task[None]] = field(factory=set)

    def list_tables(self, store: Store) -> list[LiveTable]:
        """Return the live matches, and request their live transcripts."""
        request_live_transcripts(self.live)
        found = []
        for key in list_live_matches(self.live)[:MAX_TABLES]:
            with (
                suppress(OSError, UserError, IndexError),
                LiveTranscriptReader(self.live, key) as spool,
            ):
                names = tuple(
                    map(store.mask_name, parse_lines(spool.read_lines()[:1]).header.names)
                )
                note = spool.header or LiveVisibility()
                whole = note.whole and not withholds_hands(store)
                found.append(LiveTable(key, names, is_watchable(store, key, deaf=note.deaf), whole))
        return found

    def stream(self, request: Request, table: LiveTable) -> Response:
        """Return the stream of a table's public events, from its beginning."""
        return self.followers.stream(request, self.open_feed(table))

    def open_feed(self, table: LiveTable) -> EventBroadcast | None:
        """Return the feed of a table's public events; None if its match is over."""
        key = table.key
        if key not in self._feeds and key in list_live_matches(self.live):
            self._feeds[key] = feed = EventBroadcast()
            task = asyncio.create_task(LiveTableFeeder(self.live, table, feed).run())
            self._reading.add(task)
            task.add_done_callback(self._reading.discard)
            task.add_done_callback(lambda _: self._feeds.pop(key, None))
        return self._feeds.get(key)

    def close(self) -> None:
        """End all streams, from any thread."""
        for feed in [*self._feeds.values()]:
            feed.close()
