"""Tables at which persons sit: each is a match in a thread of its own, hosted as ever."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from threading import Thread
from typing import IO

from attrs import define, field, frozen

from arena.host import (
    Entrant,
    HostConfig,
    Result,
    Series,
    WorkingFolder,
    distinct,
    host,
)
from arena.players import Player
from arena.plugins import MatchSpec, plugins
from arena.records import Eye, Kept, Recorder
from arena.rules import Seat, UserError
from arena_web.chairs import Chair
from arena_web.feeds import Feed
from arena_web.orders import PERSON, Order
from arena_web.player import Browser
from arena_web.telling import Telling, ending, introduction, void

MOST, KEPT = 100, 100  # tables that are open, and those that are over and can be looked at
EACH = 30  # tables that are open from one address, behind which a course may sit
ENDING = 5.0  # seconds that matches get to end their programs when the server ends


class Full(UserError):
    """There is no room for one more table."""


@frozen
class Sitting:
    """How the person on a chair becomes a player."""

    chair: Chair
    sit: Callable[[Seat, Chair], Player]
    runs = False
    sandbox = None

    def player(self, seat: Seat, folder: WorkingFolder | None, log: IO[bytes] | None) -> Player:
        """Sit down."""
        return self.sit(seat, self.chair)


@define(eq=False)
class Table:
    """A match with persons; it begins when all of them have opened their pages."""

    order: Order
    address: str = ""  #: from where it was set; nothing where that was the command line
    key: str = field(factory=lambda: secrets.token_hex(8))  #: by which it is watched
    chairs: dict[str, Chair] = field(init=False)  #: by secret
    feed: Feed = field(factory=Feed)  #: for who watches
    spec: MatchSpec = field(init=False)
    over: bool = False  #: has it ended?
    result: Result | None = None  #: then, if it could be hosted
    again: Table | None = None  #: where the same sit down once more
    _seated: tuple[Entrant, ...] = field(init=False)
    _thread: Thread | None = None
    _kept: Kept = field(factory=Kept)

    def __attrs_post_init__(self) -> None:
        """Draw who sits where."""
        order = self.order
        chairs = [Chair(name, secrets.token_urlsafe(24), Feed()) for name in order.persons]
        self.chairs = {chair.secret: chair for chair in chairs}
        persons = [Entrant(one.name, PERSON, Sitting(one, self._sit)) for one in chairs]
        seated = distinct((*persons, *order.others))
        series = Series.seated(order.game, order.variant, seated, order.seed)
        self.spec, self._seated = next(series.matches(1))
        for chair, entrant in zip(chairs, seated, strict=False):
            chair.name = entrant.name
            self._introduce(chair.feed, self.spec.names.index(chair.name))
        self._introduce(self.feed, None)

    @property
    def transcript(self) -> str:
        """Return the transcript, once the match is over; nothing before."""
        return self._kept.text if self.over else ""

    @property
    def abandoned(self) -> bool:
        """Does nobody have a page of a person open?"""
        return not any(chair.feed.followers for chair in self.chairs.values())

    def arrive(self, chair: Chair) -> None:
        """See that a person is there; the last one begins the match."""
        chair.here = True
        if self._thread is None and not self.over and all(one.here for one in self.chairs.values()):
            self._thread = Thread(target=self._play, name=f"table {self.key}", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """End it at once; a match that is played is void."""
        for chair in self.chairs.values():
            chair.close()
        if self._thread is None and not self.over:
            self._part()

    def join(self, timeout: float) -> None:
        """Wait until its programs have ended."""
        if self._thread:
            self._thread.join(timeout)

    def _introduce(self, feed: Feed, seat: Seat | None) -> None:
        spec, clock = self.spec, self.order.clock
        variant = spec.game.write_variant(spec.variant)
        told = introduction(self.key, spec.game.name, spec.names, variant, seat=seat, clock=clock)
        feed.put("match", told)

    def _sit(self, seat: Seat, chair: Chair) -> Browser:
        spec = self.spec
        eye = Eye(spec.game, spec.variant, spec.names, seat)
        return Browser(eye, chair, self.order.limits, timed=self.order.clock is not None)

    def _play(self) -> None:
        spec, telling = self.spec, Telling(self.spec, self.feed, self._by_seat())
        watching = [*plugins().observers(spec), Recorder(spec, self._kept), telling]
        try:
            self.result = host(spec, self._seated, HostConfig(self.order.limits), watching)
        finally:
            self._part()

    def _by_seat(self) -> dict[Seat, Chair]:
        return {self.spec.names.index(one.name): one for one in self.chairs.values()}

    def _part(self) -> None:
        """Tell everybody how it ended."""
        self.over = True
        for seat, chair in self._by_seat().items():
            chair.release()
            chair.feed.put("end", ending(self.result, seat) if self.result else void())
            chair.feed.end()
        self.feed.put("end", ending(self.result, None) if self.result else void())
        self.feed.end()


@define(eq=False)
class Tables:
    """All tables of a server; each is found by its key, and its chairs by their secrets."""

    programs: Sequence[str] = ()  #: that may be chosen, as a command line names them
    most: int = MOST
    each: int = EACH
    _tables: dict[str, Table] = field(factory=dict)  # by key, the oldest first
    _chairs: dict[str, Table] = field(factory=dict)  # by secret
    _closed: bool = False

    def open(self, order: Order, address: str = "") -> Table:
        """Return a new table, where the event loop runs; raise Full."""
        self._make_room(address)
        table = Table(order, address)
        self._tables[table.key] = table
        self._chairs.update(dict.fromkeys(table.chairs, table))
        return table

    def again(self, table: Table) -> Table:
        """Return where those of a table that is over sit down again, the same for all of them."""
        if table.again is None:
            table.again = self.open(table.order, table.address)
        return table.again

    def table(self, key: str) -> Table | None:
        """Return the table of this key."""
        return self._tables.get(key)

    def seat(self, secret: str) -> tuple[Table, Chair] | None:
        """Return a person's table and chair."""
        table = self._chairs.get(secret)
        return (table, table.chairs[secret]) if table else None

    def close(self) -> None:
        """End all tables and all streams: the server ends."""
        for table in self._tables.values():
            table.close()
            for feed in [table.feed, *(chair.feed for chair in table.chairs.values())]:
                feed.close()

    def join(self) -> None:
        """Wait, when all are closed, until their programs have ended."""
        for table in self._tables.values():
            table.join(ENDING)

    def _make_room(self, address: str) -> None:
        """Forget the oldest that are over, and where nobody is left; or raise Full."""
        over = [table for table in self._tables.values() if table.over]
        for table in over[:-KEPT]:
            self._forget(table)
        mine = [table for table in self._open if address and table.address == address]
        if len(mine) >= self.each:
            self._give_up(mine, f"{self.each} tables are open from here: end one of them first")
        if len(self._open) >= self.most:
            self._give_up(self._open, f"all {self.most} tables are taken: come again in a while")

    @property
    def _open(self) -> list[Table]:
        return [table for table in self._tables.values() if not table.over]

    def _give_up(self, some: Sequence[Table], why_not: str) -> None:
        """Forget the oldest of these where nobody is left; raise Full where there is none."""
        left = next((table for table in some if table.abandoned), None)
        if left is None:
            raise Full(why_not)
        left.close()
        self._forget(left)

    def _forget(self, table: Table) -> None:
        del self._tables[table.key]
        for secret in table.chairs:
            del self._chairs[secret]
