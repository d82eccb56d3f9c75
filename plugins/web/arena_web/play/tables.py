"""All tables of a server: how they are opened, and where they are found."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from secrets import token_hex

from attrs import define, field, frozen
from cachetools import LRUCache
from starlette.concurrency import run_in_threadpool

from arena import Seat, UserError
from arena.host import Entrant, PastAsk
from arena.records import Transcript, parse_text
from arena_web.http.refusals import ConflictError, NotFoundError, refuse_with
from arena_web.http.worker_threads import NoThreadError
from arena_web.play.chairs.chair import Chair
from arena_web.play.lobby import WaitingRoom
from arena_web.play.match.table import PlayTable
from arena_web.play.rematches import Rematch, Rematches
from arena_web.play.seat_secrets import Secret, draw_secret
from arena_web.play.seating import Seating
from arena_web.play.store.retention import MAX_KEPT_TABLES
from arena_web.play.store.stored_tables import StoredChair, StoredTable
from arena_web.play.store.table_store import TableStore
from arena_web.play.table_quota import TableQuota
from arena_web.play.table_setup import TableSetup

MAX_FINISHED_TABLES = 100  # tables that are over and can be looked at
SHUTDOWN_SECONDS = 5.0  # seconds that matches get to end their programs when the server ends
KEY_BYTES = 8  # of chance in the key of a table
NO_SEAT = "this seat does not exist, is closed, or was taken away by the host"


Place = WaitingRoom | PlayTable
"""Where people are before their match, or in it; what follows has the same key and secrets."""


@frozen
class RestoredTable:
    """A table of the store, as it can be played on."""

    stored: StoredTable
    setup: TableSetup
    past: Sequence[PastAsk]  #: that were answered there


@define(eq=False)
class PlayTables:
    """All tables of a server, by their keys.

    Those at which nobody has looked since the server began, or for a while, or which had to make
    room for others, are only in the store; whoever opens one finds it as it was.
    """

    programs: Sequence[str] = ()  #: that may be chosen, as a command line names them
    store: TableStore = field(factory=TableStore)
    quota: TableQuota = field(factory=TableQuota)  #: of those that are open
    places: dict[str, Place] = field(factory=dict)  #: in memory, by key, the oldest first
    _resuming: asyncio.Lock = field(init=False, factory=asyncio.Lock)
    _rematches: Rematches = field(factory=lambda: Rematches(MAX_FINISHED_TABLES))
    _asleep: LRUCache[Secret, str] = field(factory=lambda: LRUCache(MAX_KEPT_TABLES))
    """The tables that sleep, by the secrets of those who are asked there."""

    def open(self, setup: TableSetup, address: str = "", first_seat: Seat | None = None) -> Place:
        """Open a new table, in the event loop; raise NoFreeTableError.

        Several people wait for each other first.
        """
        self._make_room(address)
        key, secrets = token_hex(KEY_BYTES), [draw_secret() for _ in setup.terms.persons]
        place: Place
        if setup.gathers:
            place = WaitingRoom(
                key, setup, secrets, self.store, address=address, first_seat=first_seat
            )
        else:
            place = self._seat_people(key, setup, secrets, address=address, first_seat=first_seat)
        self.store.tables.add(key, address, place.to_stored(), secrets)
        self.places[key] = place
        return place

    def _seat_people(
        self,
        key: str,
        setup: TableSetup,
        secrets: Sequence[Secret],
        *,
        address: str,
        first_seat: Seat | None,
        came: Collection[Secret] = (),
    ) -> PlayTable:
        """Return a new table at which people have drawn their seats, by their secrets."""
        seating = Seating.draw(setup, first_seat)
        return self._build_table(key, seating, [*map(StoredChair, secrets)], address, came)

    def _build_table(
        self,
        key: str,
        seating: Seating,
        chairs: Sequence[StoredChair],
        address: str,
        came: Collection[Secret] = (),
    ) -> PlayTable:
        """Return a table of this server, to which those who `came` have come already."""
        return PlayTable(
            key, seating, chairs, self.store, on_idle=self._put_to_sleep, address=address, came=came
        )

    def arrive(self, place: Place, secret: Secret) -> None:
        """Record that a person has come, with whom the match may begin; raise NoThreadError."""
        place.arrive(secret)
        if isinstance(place, WaitingRoom) and place.is_complete:
            self._begin(place, place.setup, place.secrets)
        self._invite_to(place.key)

    def start(self, room: WaitingRoom, secret: Secret, bot: Entrant | None) -> None:
        """Begin, as this person wants, without those who have not come.

        A bot has their seats, or nobody has.

        Raises:
            UserError: where that cannot be played.
        """
        self._begin(room, *room.select_players(secret, bot))
        self._invite_to(room.key)

    def _begin(self, room: WaitingRoom, setup: TableSetup, secrets: Sequence[Secret]) -> None:
        """Seat people of a waiting room, by their secrets, and begin; all pages load again."""
        table = self._seat_people(
            room.key, setup, secrets,
            address=room.address, first_seat=room.find_first_seat(setup), came=room.attendance.came,
        )  # fmt: skip
        self.store.tables.replace(table.key, table.to_stored(), table.secrets)
        try:
            table.begin()
        except NoThreadError:  # all wait as before
            self.store.tables.replace(room.key, room.to_stored(), room.secrets)
            raise
        self.places[table.key] = table
        room.dismiss()

    def reopen(self, table: PlayTable, *, swap: bool = False) -> Rematch:
        """Return the next table for the players of a finished one, the same for all of them.

        The first of them to ask opens it, and the others are told. If that one wants to swap seats,
        everybody moves on by one seat.
        """
        assert table.ending, "the match is not over"
        if rematch := self._rematches.find_after(table.key):
            return rematch
        seat = table.seating.next_seat if swap else None
        place = self.open(table.setup.deal_anew(table.ending.sitting), table.address, seat)
        secrets = dict(zip(table.secrets, place.secrets, strict=True))
        rematch = Rematch(table, place.key, secrets, swap)
        self._rematches.add(rematch)
        return rematch

    def is_rematch(self, key: str) -> bool:
        """Whether the people of a table have played before, and know whom they wait for."""
        return self._rematches.find(key) is not None

    def _invite_to(self, key: str) -> None:
        """Tell those who have played before who is at this table already."""
        if rematch := self._rematches.find(key):
            place = self.places[key]
            rematch.invite(place.attendance.list_arrived(), place.secrets)

    async def find_table(self, key: str) -> Place | None:
        """Return the table of this key; raise RefusedError if it cannot go on."""
        return await self._find(lambda: self.places.get(key), partial(self.store.tables.find, key))

    async def find_by_secret(self, secret: Secret) -> Place | None:
        """Return a person's table; raise RefusedError if it cannot go on."""
        return await self._find(
            lambda: self._find_open(secret), partial(self.store.tables.find_by_secret, secret)
        )

    async def _find(
        self, find_open: Callable[[], Place | None], find_stored: Callable[[], StoredTable | None]
    ) -> Place | None:
        """Return a table that is in memory, or bring it back from the store, which a thread reads.

        One table is brought back at a time, so that two requests do not bring back the same. Where
        it is in memory nothing is waited for.
        """
        if place := find_open():
            return place
        async with self._resuming:
            return find_open() or self._resume(await run_in_threadpool(self._load, find_stored))

    def _find_open(self, secret: Secret) -> Place | None:
        places = self.places.values()
        return next((place for place in places if secret in place.attendance.feeds), None)

    async def find_stored(self, key: str) -> StoredTable | None:
        """Return the table of this key as it is kept, be it over or not."""
        return await run_in_threadpool(self.store.tables.find, key)

    async def find_stored_by_secret(self, secret: Secret) -> StoredTable | None:
        """Return a person's table as it is kept, be it over or not."""
        return await run_in_threadpool(self.store.tables.find_by_secret, secret)

    async def load_transcript(self, key: str) -> Transcript:
        """Return the transcript of the table of this key; raise NotFoundError if there is none."""
        return await run_in_threadpool(self._read_transcript, key)

    def _read_transcript(self, key: str) -> Transcript:
        text = self.store.tables.read_transcript(key)
        if not text:
            raise NotFoundError("this match is not over yet, or its transcript was not kept")
        return parse_text(text)

    async def get_place(self, secret: Secret) -> Place:
        """Return a person's table; raise NotFoundError where there is none."""
        place = await self.find_by_secret(secret)
        if place is None:
            raise NotFoundError(NO_SEAT)
        return place

    async def find_room(self, secret: Secret) -> WaitingRoom:
        """Return the waiting room of a person; raise ConflictError in a match."""
        place = await self.get_place(secret)
        if not isinstance(place, WaitingRoom):
            raise ConflictError("the match has begun")
        return place

    async def find_chair(self, secret: Secret) -> tuple[PlayTable, Chair]:
        """Return a person's match and chair there; raise ConflictError before the match."""
        place = await self.get_place(secret)
        if not isinstance(place, PlayTable):
            raise ConflictError("the match has not begun")
        return place, place.chairs[secret]

    def list_asking(self, secrets: Iterable[Secret]) -> set[str]:
        """Return the keys of the tables at which one of these seats is asked something now."""
        secrets = [*secrets]
        awake = {table.key for table, chair in self._find_seats(secrets) if chair.open_number}
        return awake | {self._asleep[secret] for secret in secrets if secret in self._asleep}

    def list_lost_tables(self, secrets: Iterable[Secret]) -> set[str]:
        """Return the keys of the tables at which one of these seats was left, or lost."""
        return {table.key for table, chair in self._find_seats(secrets) if chair.departure}

    def _find_seats(self, secrets: Iterable[Secret]) -> list[tuple[PlayTable, Chair]]:
        """Return those of these seats that are in memory, with their tables."""
        own_secrets = {*secrets}
        return [
            (table, chair) for table in self._matches
            for secret, chair in table.chairs.items() if secret in own_secrets
        ]  # fmt: skip

    def _load(self, find: Callable[[], StoredTable | None]) -> RestoredTable | None:
        """Return a table of the store that is not over; raise RefusedError if it cannot go on."""
        stored = find()
        if stored is None or stored.result is not None:
            return None
        with refuse_with(NotFoundError, "this match cannot go on: "):
            return self._restore(stored)

    def _resume(self, restored: RestoredTable | None) -> Place | None:
        """Bring back a table from the store."""
        if restored is None:
            return None
        stored, setup, past = restored.stored, restored.setup, restored.past
        self._make_room(stored.address)
        place: Place
        if stored.is_waiting:
            place = WaitingRoom(
                stored.key, setup, stored.secrets, self.store, address=stored.address
            )
        else:
            seating = Seating.restore(setup, stored.setup)
            place = self._build_table(stored.key, seating, stored.chairs, stored.address)
            if past:
                place.begin(past)
        self.places[place.key] = place
        for secret in place.secrets:
            self._asleep.pop(secret, None)
        return place

    def _restore(self, stored: StoredTable) -> RestoredTable:
        """Return a stored table as it can be played on; raise UserError where it cannot be."""
        programs = self.programs if stored.address else None  # what the host sets up, it allows
        setup = TableSetup.restore(stored.setup, programs)
        if len(stored.chairs) != len(setup.terms.persons):
            raise UserError("the seats of its people were not kept")
        try:
            asks = self.store.tables.list_asks(stored.key)
            past = [PastAsk.parse(setup.game, ask) for ask in asks]
        except ValueError as problem:
            raise UserError(f"{problem}") from None
        return RestoredTable(stored, setup, past)

    def _put_to_sleep(self, table: PlayTable) -> None:
        """End a running match, which goes on when somebody comes back."""
        if self.places.get(table.key) is table:
            waiting = [secret for secret, chair in table.chairs.items() if chair.open_number]
            self._asleep.update(dict.fromkeys(waiting, table.key))
            table.close()
            self._forget(table)

    def close(self) -> None:
        """End all tables and streams when the server stops."""
        for place in self.places.values():
            place.close()
            place.attendance.close()

    def join(self) -> None:
        """Wait until the programs of closed tables have ended."""
        for table in self._matches:
            table.join(SHUTDOWN_SECONDS)

    def _make_room(self, address: str) -> None:
        """Forget the oldest finished or abandoned tables; raise NoFreeTableError if none."""
        over = [table for table in self._matches if table.over]
        for table in over[:-MAX_FINISHED_TABLES]:
            self._forget(table)
        finished = {table.key for table in over}
        open_places = [place for place in self.places.values() if place.key not in finished]
        for place in self.quota.list_surplus(open_places, address):
            place.close()
            self._forget(place)

    @property
    def _matches(self) -> list[PlayTable]:
        """The tables in memory whose match has begun, or begins when somebody comes."""
        return [place for place in self.places.values() if isinstance(place, PlayTable)]

    def _forget(self, place: Place) -> None:
        place.attendance.end()
        del self.places[place.key]
