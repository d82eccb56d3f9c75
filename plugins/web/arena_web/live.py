"""What is live: tables of a running tournament, the featured match, streams of changes.

Workers write what they play to spools as long as somebody looks (`arena.tournament.live`). A table
is read by the public eye, and only where nothing that is announced is news to anybody who has yet
to play the same deal. Where the host says so, and nobody who plays can hear of it, it is read by
the eye that sees everything.

That a tournament has changed, so that browsers load parts of a page again, is seen by asking its
store, four times a second, while anybody listens.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterator,
    Mapping,
    Sequence,
)
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from math import isfinite
from pathlib import Path
from secrets import token_hex
from time import monotonic
from typing import Any

from anyio import to_thread
from attrs import define, evolve, field, frozen
from starlette.requests import Request
from starlette.responses import Response

from arena import Count, Seat, UserError
from arena.plugins import get_plugins
from arena.records import Replayer, Spectator, TranscriptLine, parse_lines
from arena.rules import Sides, get_player_name
from arena.tournament import Summary
from arena.tournament.live import (
    LiveTranscriptReader,
    LiveVisibility,
    list_live_matches,
    request_live_transcripts,
)
from arena.tournament.match_record import MatchRecord
from arena.tournament.store import MatchFilter, Store
from arena.wires import to_printable
from arena_web.http.sse import (
    ALIVE,
    BYE,
    RETRY,
    STEPS,
    EventBroadcast,
    FollowerLimit,
    WakeUpSignal,
    merge_streams,
    read_last_frame,
)
from arena_web.match_announcements import VOID_END, build_end_from_places, build_introduction
from arena_web.match_keys import parse_key
from arena_web.messages import MatchEnd
from arena_web.sources import TournamentSource
from arena_web.visibility import (
    build_line_filter,
    find_transcript_sides,
    is_public,
    withholds_hands,
)

TABLE_POLL_SECONDS = 0.1  # seconds between two looks at a spool
WISH_SECONDS = 1.0  # seconds between two touches of what says that somebody watches
UNWATCHED_SECONDS = 10.0  # seconds without a follower, after which a table is read no more
MAX_TABLES = 20  # tables that are listed

MAX_CANDIDATES = 100  # newest matches of which one is replayed
LATEST_MATCHES = 20  # matches whose length says whether tables can be followed
MIN_MATCH_SECONDS = 5.0
MAX_SEEN = 30  # keys that a page may say it has shown

POLL_SECONDS = 0.25  # seconds between two looks at the store
MIN_MESSAGE_SECONDS = 1.0  # seconds at least between two messages
SERVER_ID = token_hex(8)  # another one after each start: then pages are loaded anew


LoadAliases = Callable[[], Awaitable[Mapping[str, str]]]
"""Returns what is shown in place of the names that are hidden now."""


@frozen
class LiveTable:
    """A live match."""

    key: str
    names: tuple[str, ...]  #: as everybody may see them
    labels: tuple[str, ...]  #: what people call the players
    open: bool  #: may it be watched?
    whole: bool  #: hands and all?


@define(eq=False)
class LiveTables:
    """The live tables of one tournament."""

    live: Path
    followers: FollowerLimit
    load_aliases: LoadAliases
    _feeds: dict[LiveTable, EventBroadcast] = field(factory=dict)
    _reading: set[asyncio.Task[None]] = field(factory=set)

    def list_tables(self, store: Store) -> list[LiveTable]:
        """Return the live matches, and request their live transcripts."""
        request_live_transcripts(self.live)
        tables = []
        for key in list_live_matches(self.live)[:MAX_TABLES]:
            with (
                suppress(OSError, UserError, IndexError),
                LiveTranscriptReader(self.live, key) as spool,
            ):
                players = parse_lines(spool.read_lines()[:1]).header.names
                names, labels = (
                    tuple(map(shown_as, players))
                    for shown_as in (store.entrants.mask_name, store.entrants.label_name)
                )
                note = spool.header or LiveVisibility()
                whole = note.whole and not withholds_hands(store)
                watchable = is_watchable(store, key, deaf=note.deaf)
                tables.append(LiveTable(key, names, labels, watchable, whole))
        return tables

    def stream(self, request: Request, table: LiveTable) -> Response:
        """Return the stream of a table's public events, from its beginning."""
        return self.followers.stream(request, self.open_feed(table))

    def open_feed(self, table: LiveTable) -> EventBroadcast | None:
        """Return the feed of a table's public events; None if its match is over."""
        if table not in self._feeds and table.key in list_live_matches(self.live):
            self._feeds[table] = feed = EventBroadcast()
            feeder = LiveTableFeeder(self.live, table, feed, self.load_aliases)
            task = asyncio.create_task(feeder.run())
            self._reading.add(task)
            task.add_done_callback(self._reading.discard)
            task.add_done_callback(lambda _: self._feeds.pop(table, None))
        return self._feeds.get(table)

    def close(self) -> None:
        """End all streams, from any thread."""
        for feed in [*self._feeds.values()]:
            feed.close()


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
    load_aliases: LoadAliases
    _outgoing: Callable[[TranscriptLine], TranscriptLine] = field(init=False)
    _sides: Sides = field(init=False)
    _count: Count = field(init=False)  # of its scores
    _steps: Replayer | None = None
    _at: int = 0
    _kinds: dict[Seat, str] = field(factory=dict)  # of the verdicts so far
    _end: MatchEnd | None = None

    async def run(self) -> None:
        """Read until the match is over, has no followers for a while, or a name in it is hidden."""
        has_hidden_name = False
        try:
            with await to_thread.run_sync(
                LiveTranscriptReader, self.live, self.table.key
            ) as follower:
                has_hidden_name = await self._follow(follower)
        except (OSError, UserError):  # it was over before; or a spool that was cut
            pass
        interruption = evolve(VOID_END, said="This match was interrupted and is played again.")
        if has_hidden_name:  # who follows comes back, and gets another feed
            self.feed.put("gone", {})
        else:
            self.feed.put(MatchEnd.event, (self._end or interruption).json)
        self.feed.end()

    async def _follow(self, follower: LiveTranscriptReader) -> bool:
        """Feed what is played; return whether that ended since a name was hidden."""
        last_wish = last_follower = monotonic()
        request_live_transcripts(self.live)
        while not self.feed.closed and monotonic() - last_follower < UNWATCHED_SECONDS:
            is_over = follower.is_complete()
            await to_thread.run_sync(self._take, follower)
            if is_over:
                return False
            if self.feed.followers:
                last_follower = monotonic()
            if monotonic() - last_wish > WISH_SECONDS:
                last_wish = monotonic()
                request_live_transcripts(self.live)
                aliases = await self.load_aliases()
                if not aliases.keys().isdisjoint(map(get_player_name, self.table.names)):
                    return True
            await asyncio.sleep(TABLE_POLL_SECONDS)
        return False

    def _take(self, follower: LiveTranscriptReader) -> None:
        """Feed the lines that were added since."""
        for text in follower.read_lines():
            self._at += 1
            if self._steps is None:
                self._begin(text)
            else:
                self._show(self._steps, TranscriptLine(self._at, text))

    def _begin(self, text: str) -> None:
        header, names, labels = parse_lines([text]).header, self.table.names, self.table.labels
        self._sides = find_transcript_sides(header)
        game = get_plugins().find_game(header.game)
        self._count = game.presentation.count
        self.feed.put(
            "match", build_introduction(self.table.key, game.name, labels, header.variant)
        )
        sight = Spectator.ALL if self.table.whole else Spectator.PUBLIC
        self._outgoing = build_line_filter(header.names, names)
        self._steps = Replayer.of(game, header, [sight], labels, page=True)
        self.feed.put(STEPS, [step.json for step in self._steps.begin()])

    def _show(self, steps: Replayer, line: TranscriptLine) -> None:
        for step in filter(None, steps.take(self._outgoing(line))):
            self.feed.put(STEPS, [step.json])
        if "verdict" in line.value:
            self._kinds[line.value["verdict"]["seat"]] = line.value["verdict"]["kind"]
        if "outcome" in line.value:
            self._end = self._build_end(line.value["outcome"])

    def _build_end(self, outcome: dict[str, Any]) -> MatchEnd:
        names, places, scores = self.table.labels, outcome["places"], outcome["scores"]
        if places is None or scores is None:
            return VOID_END
        kinds = [self._kinds.get(seat, "") for seat in range(len(names))]
        return build_end_from_places(
            outcome["end"], names, places, scores, self._count, kinds=kinds, sides=self._sides
        )


def choose_featured_match(
    store: Store, summary: Summary, tables: Sequence[LiveTable], earlier: Collection[str]
) -> dict[str, Any]:
    """Choose what the live page shows next: a live table, a replay of a public match, or nothing.

    The best is the one whose players have the highest ratings; the `earlier` keys come last.
    """
    names = {standing.entry.name: standing.rating.value for standing in summary.standings[::-1]}
    watchable = [table for table in tables if table.open and table.key not in earlier]
    if watchable and _is_slow_enough(store):
        table = max(watchable, key=lambda table: _rate_players(table.names, names))
        return _build_featured_match("live", table.key, table.labels)
    replays = _list_replays(store)
    fresh = [match for match in replays if match.match not in earlier] or replays
    if not fresh:
        return {"kind": "none"}
    ids = {standing.entry.id: standing.rating.value for standing in summary.standings}
    best = max(fresh, key=lambda match: _rate_players(match.entrants, ids))
    labels = [store.entrants.label_name(seat.name) for seat in best.seats]
    return _build_featured_match("replay", best.match, labels)


def _is_slow_enough(store: Store) -> bool:
    """Whether the latest matches took long enough to be followed; so do the first ones."""
    latest = [
        match.seconds
        for match in store.find_matches(MatchFilter(limit=LATEST_MATCHES, newest=True))
    ]
    return not latest or sum(latest) / len(latest) >= MIN_MATCH_SECONDS


def _list_replays(store: Store) -> Sequence[MatchRecord]:
    """Return the newest matches whose hands are public and whose transcript was kept."""
    public: dict[int, bool] = {}
    replays = []
    for match in store.find_matches(MatchFilter(limit=MAX_CANDIDATES, newest=True)):
        if match.deal not in public:
            public[match.deal] = is_public(store, match.deal)
        if public[match.deal] and match.recorded:
            replays.append(match)
    return replays


def _rate_players(players: Sequence[str], ratings: Mapping[str, float]) -> float:
    """Return the mean rating of players; who has none counts as the mean of all, which is 0."""
    values = [ratings.get(player, 0.0) for player in players]
    return sum(value if isfinite(value) else 0.0 for value in values) / max(len(values), 1)


def _build_featured_match(kind: str, key: str, names: Sequence[str]) -> dict[str, Any]:
    return {"kind": kind, "key": key, "names": [to_printable(name) for name in names]}


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
        latest = self.latest
        while not self._closed:
            if self.latest is not latest:  # perhaps since before: whoever reads slowly is told, too
                latest = self.latest
                yield latest
            elif not await self._bell.wait():
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
                except UserError:  # the database is away, and may come again
                    await asyncio.sleep(MIN_MESSAGE_SECONDS)

    async def _poll(self, store: Store, thread: ThreadPoolExecutor) -> None:
        """Poll while there are followers; announce changes once pages can show them."""
        loop, stamp = asyncio.get_running_loop(), None
        before: tuple[object, ...] = ()
        since = loop.time()
        while self._following and not self._closed:
            now = await loop.run_in_executor(thread, store.get_stamp)
            if now != stamp:
                stamp, since = now, loop.time()
            current = await self.tournament.refresh(since)
            if [*map(id, current)] != [*map(id, before)]:  # the first time, too: pages may be older
                before = current
                self._announce()
                await asyncio.sleep(MIN_MESSAGE_SECONDS)
            await asyncio.sleep(POLL_SECONDS)

    def _announce(self) -> None:
        if snapshot := self.tournament.snapshot.value:
            matches, figures = snapshot.stored, snapshot.summary.matches
            self.latest = build_message("changed", matches=matches, figures=figures)
            self._bell.notify()


def build_message(event: str, **data: object) -> bytes:
    r"""Encode an event.

    >>> build_message("changed", matches=3)
    b'event: changed\ndata: {"matches": 3}\n\n'
    """
    return f"event: {event}\ndata: {json.dumps(data)}\n\n".encode("ascii")
