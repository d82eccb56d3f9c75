"""The live tables of a tournament that runs, and what is announced at each.

Workers write live transcripts of what they play as long as somebody watches
(`arena.tournament.workers.live`). A table is read by the public eye, and only where nothing that is
announced is news to anybody who has yet to play the same deal. Where the host says so, and nobody
who plays can hear of it, it is read by the eye that sees everything.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing, suppress
from functools import partial
from math import inf
from time import monotonic
from typing import Any, Self

from anyio import to_thread
from attrs import define, evolve, field, frozen
from starlette.requests import Request
from starlette.responses import Response

from arena import Count, Seat, UserError
from arena.plugins import get_plugins
from arena.records import Replayer, Spectator, TranscriptLine, parse_lines
from arena.rules import Sides, get_player_name
from arena.tournament.store import Store
from arena.tournament.workers.live import LiveFolder, LiveTranscriptReader, LiveVisibility
from arena_web.http.sse import EventBroadcast, FollowerLimit
from arena_web.matches.ends import VOID_END, build_finished_end
from arena_web.matches.finish import MatchFinish, list_finishes
from arena_web.matches.keys import parse_key
from arena_web.matches.redaction import build_line_filter
from arena_web.matches.summaries import find_transcript_sides
from arena_web.matches.visibility import withholds_hands
from arena_web.protocol.messages import Introduction, MatchEnd, Message, Steps, TableGone

TABLE_POLL_SECONDS = 0.1  # seconds between two looks at a live transcript
LOOK_SECONDS = 1.0  # seconds between two looks at hidden names, and two wishes for a transcript
UNWATCHED_SECONDS = 10.0  # seconds without a follower, after which a table is read no more
MAX_TABLES = 20  # tables that are listed

INTERRUPTED = evolve(VOID_END, said="This match was interrupted and is played again.")

LoadAliases = Callable[[], Awaitable[Mapping[str, str]]]
"""Returns what is shown in place of the names that are hidden now."""


@frozen
class LiveTable:
    """A live match."""

    key: str
    names: tuple[str, ...]  #: as everybody may see them
    labels: tuple[str, ...]  #: what people call the players
    watchable: bool  #: whether everybody may watch it now
    shows_hands: bool  #: whether all that is dealt is shown, too


@define(eq=False)
class LiveTables:
    """The live tables of one tournament."""

    live: LiveFolder
    followers: FollowerLimit
    load_aliases: LoadAliases
    _feeds: dict[LiveTable, EventBroadcast] = field(factory=dict)
    _reading: set[asyncio.Task[None]] = field(factory=set)

    def list_tables(self, store: Store) -> list[LiveTable]:
        """Return the live matches, and request their live transcripts."""
        self.live.request_transcripts()
        keys = self.live.list_matches()[:MAX_TABLES]
        return [table for key in keys if (table := self._read_table(store, key))]

    def find_table(self, store: Store, key: str) -> LiveTable | None:
        """Return a live match, if it is one, and request its live transcript."""
        self.live.request_transcripts()
        return self._read_table(store, key) if key in self.live.list_matches() else None

    def _read_table(self, store: Store, key: str) -> LiveTable | None:
        """Return a live match, as far as its transcript was begun."""
        with (
            suppress(OSError, UserError, IndexError),
            LiveTranscriptReader(self.live, key) as transcript,
        ):
            directory = store.entrant_directory
            players = parse_lines(transcript.read_lines()[:1]).header.names
            names = tuple(map(directory.mask_name, players))
            labels = tuple(map(directory.label_name, players))
            visibility = transcript.header or LiveVisibility()
            watchable = is_watchable(store, key, deaf=visibility.deaf)
            shows_hands = visibility.whole and not withholds_hands(store)
            return LiveTable(key, names, labels, watchable, shows_hands)
        return None

    def stream(self, request: Request, table: LiveTable) -> Response:
        """Return the stream of a table's public events, from its beginning."""
        return self.followers.stream(request, self.open_feed(table))

    def open_feed(self, table: LiveTable) -> EventBroadcast | None:
        """Return the feed of a table's public events; None if its match is over."""
        if table not in self._feeds and table.key in self.live.list_matches():
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
    return deaf or store.deals.count_rotations(deal) == 1


class NameHiddenError(Exception):
    """A name at a table was hidden while it was followed."""


@frozen
class LiveTableFeeder:
    """Reads one live transcript as it grows, and feeds its public events."""

    live: LiveFolder
    table: LiveTable
    feed: EventBroadcast
    load_aliases: LoadAliases

    async def run(self) -> None:
        """Read until the match is over, has no followers for a while, or a name in it is hidden."""
        last: Message = TableGone()  # who follows comes back, and gets another feed
        try:
            with suppress(NameHiddenError):
                last = await self._feed_match()
        finally:
            self.feed.put(last)
            self.feed.end()

    async def _feed_match(self) -> MatchEnd:
        """Feed what is played; return how it ended; raise NameHiddenError."""
        match: LiveMatch | None = None
        with suppress(OSError, UserError):  # it was over before; or a transcript that was cut
            reader = await to_thread.run_sync(LiveTranscriptReader, self.live, self.table.key)
            with reader as transcript:
                async with aclosing(self._follow(transcript)) as batches:
                    async for texts in batches:
                        lines = deque(texts)
                        if match is None:
                            begin = partial(LiveMatch.begin, self.table, self.feed)
                            match = await to_thread.run_sync(begin, lines.popleft())
                        await to_thread.run_sync(match.take, lines)
        return match.end if match else INTERRUPTED

    async def _follow(self, transcript: LiveTranscriptReader) -> AsyncGenerator[Sequence[str]]:
        """Yield lines as they are added, until the match is over; raise NameHiddenError.

        Where the store cannot say which names are hidden, nothing is read until it can.
        """
        last_look, last_follower = -inf, monotonic()
        is_over = False
        while not (is_over or self.feed.closed) and monotonic() - last_follower < UNWATCHED_SECONDS:
            if self.feed.followers:
                last_follower = monotonic()
            if monotonic() - last_look > LOOK_SECONDS:
                self.live.request_transcripts()
                try:
                    aliases = await self.load_aliases()
                except UserError:
                    await asyncio.sleep(TABLE_POLL_SECONDS)
                    continue
                last_look = monotonic()
                if not aliases.keys().isdisjoint(map(get_player_name, self.table.names)):
                    raise NameHiddenError
            is_over = transcript.is_complete()
            if texts := await to_thread.run_sync(transcript.read_lines):
                yield texts
            if not is_over:
                await asyncio.sleep(TABLE_POLL_SECONDS)


@define(eq=False)
class LiveMatch:
    """A live match of which the first line is known: its further lines become public events."""

    table: LiveTable
    feed: EventBroadcast
    count: Count  #: of its scores
    sides: Sides
    end: MatchEnd = field(init=False, default=INTERRUPTED)  #: as far as is known
    _replayer: Replayer
    _redact: Callable[[TranscriptLine], TranscriptLine]
    _number: int = field(init=False, default=1)  # of the last line
    _kinds: dict[Seat, str] = field(init=False, factory=dict)  # of the verdicts so far

    @classmethod
    def begin(cls, table: LiveTable, feed: EventBroadcast, first: str) -> Self:
        """Feed the introduction to a match with this first line, and return the match."""
        header = parse_lines([first]).header
        game = get_plugins().find_game(header.game)
        viewer = Spectator.ALL if table.shows_hands else Spectator.PUBLIC
        replayer = Replayer.of(game, header, [viewer], table.labels, page=True)
        feed.put(Introduction(table.key, game.name, table.labels, header.variant))
        feed.put(Steps(replayer.begin()))
        redact = build_line_filter(header.names, table.names)
        sides = find_transcript_sides(header)
        return cls(table, feed, game.presentation.count, sides, replayer, redact)

    def take(self, texts: Iterable[str]) -> None:
        """Feed the next lines."""
        for text in texts:
            self._number += 1
            self._show(TranscriptLine(self._number, text))

    def _show(self, line: TranscriptLine) -> None:
        for step in filter(None, self._replayer.take(self._redact(line))):
            self.feed.put(Steps([step]))
        if "verdict" in line.value:
            self._kinds[line.value["verdict"]["seat"]] = line.value["verdict"]["kind"]
        if "outcome" in line.value:
            self.end = self._build_end(line.value["outcome"])

    def _build_end(self, outcome: Mapping[str, Any]) -> MatchEnd:
        names, places, scores = self.table.labels, outcome["places"], outcome["scores"]
        if places is None or scores is None:
            return VOID_END
        kinds = [self._kinds.get(seat, "") for seat in range(len(names))]
        players = list_finishes(names, places, scores, kinds)
        return build_finished_end(outcome["end"], MatchFinish(players, self.sides, self.count))
