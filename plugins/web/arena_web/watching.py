"""Tables of a tournament that are being played: which there are, and what is announced there.

Workers write what they play to spools as long as somebody looks (`arena.tournament.spool`). A
table is read by the public eye, and only where nothing that is announced is news to anybody who has
yet to play the same deal. Where the host says so, and nobody who plays can hear of it, it is read
by the eye that sees everything.
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

from arena.plugins import plugins
from arena.records import Line, Spectator, Steps, parse
from arena.rules import UserError
from arena.tournament import Follower, Note, Store, running, want
from arena_web.embargo import held_back, outgoing
from arena_web.feeds import STEPS, Feed, Followers
from arena_web.served import numbers
from arena_web.telling import ended, introduction, void

LOOKING = 0.1  # seconds between two looks at a spool
WISH = 1.0  # seconds between two touches of what says that somebody watches
LEFT = 10.0  # seconds without a follower, after which a table is read no more
MOST = 20  # tables that are listed


@frozen
class Running:
    """A match that is being played."""

    key: str
    names: tuple[str, ...]  #: as everybody may see them
    open: bool  #: may it be watched?
    whole: bool  #: hands and all?


def watchable(store: Store, key: str, *, deaf: bool) -> bool:
    """May all see what is announced in the match of this key while it is played?

    What is announced in one rotation is news in the next, to who can hear of it: so it may be seen
    where there is one rotation only, or all who play it are `deaf`.
    """
    deal, _ = numbers(key) or (-1, 0)
    return deaf or store.rotations(deal) == 1


@define(eq=False)
class Reader:
    """Reads one spool as it grows, and tells the feed what its lines show."""

    live: Path
    table: Running
    feed: Feed
    _outgoing: Callable[[Line], Line] = field(init=False)
    _steps: Steps | None = None
    _at: int = 0
    _end: dict[str, Any] | None = None

    async def run(self) -> None:
        """Read until the match is over, or nobody has followed for a while."""
        try:
            with await to_thread.run_sync(Follower, self.live, self.table.key) as follower:
                await self._follow(follower)
        except (OSError, UserError):  # it was over before; or a spool that was cut
            pass
        self.feed.put("end", self._end or {**void(), "said": "This match is played again."})
        self.feed.end()

    async def _follow(self, follower: Follower) -> None:
        wished = followed = monotonic()
        want(self.live)
        while not self.feed.closed and monotonic() - followed < LEFT:
            gone = follower.gone()
            await to_thread.run_sync(self._take, follower)
            if gone:
                return
            if self.feed.followers:
                followed = monotonic()
            if monotonic() - wished > WISH:
                wished = monotonic()
                want(self.live)
            await asyncio.sleep(LOOKING)

    def _take(self, follower: Follower) -> None:
        """Show the lines that have come since."""
        for text in follower.lines():
            self._at += 1
            if self._steps is None:
                self._begin(text)
            else:
                self._show(self._steps, Line(self._at, text))

    def _begin(self, text: str) -> None:
        header, names = parse([text]).header, self.table.names
        game = plugins().game(header.game)
        self.feed.put("match", introduction(self.table.key, game.name, names, header.variant))
        sight = Spectator.ALL if self.table.whole else Spectator.PUBLIC
        self._outgoing = outgoing(header.names, names)
        self._steps = Steps.of(game, header, [sight], names)
        self.feed.put(STEPS, [step.packed for step in self._steps.begin()])

    def _show(self, steps: Steps, line: Line) -> None:
        for step in filter(None, steps.take(self._outgoing(line))):
            self.feed.put(STEPS, [step.packed])
        if "outcome" in line.value:
            self._end = self._ending(line.value["outcome"])

    def _ending(self, outcome: dict[str, Any]) -> dict[str, Any]:
        names, places, scores = self.table.names, outcome["places"], outcome["scores"]
        if places is None or scores is None:
            return void()
        return ended(outcome["end"], names, places, scores)


@define(eq=False)
class Live:
    """The tables of one tournament, for all who watch."""

    live: Path
    followers: Followers
    _feeds: dict[str, Feed] = field(factory=dict)
    _reading: set[asyncio.Task[None]] = field(factory=set)

    def running(self, store: Store) -> list[Running]:
        """Return the matches that are being played, and say that somebody looks."""
        want(self.live)
        found = []
        for key in running(self.live)[:MOST]:
            with suppress(OSError, UserError, IndexError), Follower(self.live, key) as spool:
                names = tuple(map(store.shown_as, parse(spool.lines()[:1]).header.names))
                note = spool.note or Note()
                whole = note.whole and not held_back(store)
                found.append(Running(key, names, watchable(store, key, deaf=note.deaf), whole))
        return found

    def stream(self, request: Request, table: Running) -> Response:
        """Return what is announced at a table, from its beginning."""
        key = table.key
        if key not in self._feeds and key in running(self.live):
            self._feeds[key] = feed = Feed()
            task = asyncio.create_task(Reader(self.live, table, feed).run())
            self._reading.add(task)
            task.add_done_callback(self._reading.discard)
            task.add_done_callback(lambda _: self._feeds.pop(key, None))
        return self.followers.stream(request, self._feeds.get(key))

    def close(self) -> None:
        """End all streams, from whatever thread."""
        for feed in [*self._feeds.values()]:
            feed.close()
