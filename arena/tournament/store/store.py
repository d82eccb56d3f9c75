"""The store: a tournament's database, opened or created, with a part for each thing that it knows.

While matches are played, the coordinator writes: deals when they are planned, results when they
come. Everybody reads. Long results are read in pages of deals, so that they take little memory,
hold no lock, and include matches that are stored meanwhile; the ratings get millions of results as
columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Self

from arena.rules import UserError
from arena.tournament.entries import Entry
from arena.tournament.store.connection import DatabaseAddress
from arena.tournament.store.facts import Facts
from arena.tournament.store.progress import Progress
from arena.tournament.store.settings import StoredSettings
from arena.tournament.store.stored_deals import StoredDeals
from arena.tournament.store.stored_entries import StoredEntries
from arena.tournament.store.stored_matches import StoredMatches
from arena.tournament.store.tournament_database import TournamentDatabase
from arena.tournament.store.transcripts import Transcripts

if TYPE_CHECKING:
    from arena.tournament.store.seat_reader import SeatReader


class Store(TournamentDatabase):
    """A tournament's database: call `Store.open(address)` to read, then `claim()` to write.

    If it is `aliased`, its results do not contain names that the host has hidden.
    """

    def __init__(
        self, address: DatabaseAddress, *, write: bool, aliased: bool | Mapping[str, str] = False
    ) -> None:
        super().__init__(address, write=write, aliased=aliased)
        self.entries = StoredEntries(self)
        self.deals = StoredDeals(self)
        self.matches = StoredMatches(self)
        self.transcripts = Transcripts(self)
        self.progress = Progress(self)

    @classmethod
    def exists(cls, address: str | Path) -> bool:
        """Return whether there is a tournament; raise UserError for another program's database."""
        where = DatabaseAddress.of(address)
        if where.path and not where.path.exists():
            return False
        with cls(where, write=False) as database:
            return database.read_revision() is not None

    @classmethod
    def open(
        cls,
        address: str | Path,
        *,
        write: bool = True,
        aliased: bool | Mapping[str, str] = False,
    ) -> Self:
        """Open an existing tournament; raise UserError.

        Read-only commands pass `write=False`, which works during a run; public output is `aliased`:
        by the aliases that are stored, or by these.
        A database of an older version of arena is claimed and upgraded.
        """
        where = DatabaseAddress.of(address)
        if where.path and not where.path.exists():
            raise UserError(f"{where.shown}: no such file; the tournament's first run creates it")
        store = cls(where, write=write, aliased=aliased)
        store.bring_up_to_date()
        return store

    @classmethod
    def create(
        cls,
        address: str | Path,
        settings: StoredSettings,
        secret: str,
        entries: Iterable[Entry] = (),
    ) -> Self:
        """Create a tournament and claim it, completely or not at all; raise UserError.

        Args:
            address: of its database.
            settings: those that must not change.
            secret: the source of all its seeds.
            entries: its first entrants.
        """
        where = DatabaseAddress.of(address)
        if where.path and not where.path.parent.is_dir():
            raise UserError(f"{where.shown}: its folder does not exist")
        store = cls(where, write=True)
        with store.close_on_error():
            store._create_tables(settings, secret, entries)
        return store

    @classmethod
    def claim_existing(cls, address: str | Path) -> Self | None:
        """Open a tournament and claim it; return None if it does not exist."""
        if not cls.exists(address):
            return None
        store = cls.open(address)
        with store.close_on_error():
            store.claim()
        return store

    def _create_tables(
        self, settings: StoredSettings, secret: str, entries: Iterable[Entry]
    ) -> None:
        self._check_encoding()
        self._check_empty()  # before SQLite switches an unrelated file to WAL mode
        self.claim()
        self._check_empty()  # again, now that nobody else can write
        with self.begin_write() as connection:
            self.schema.upgrade(connection, None)
            Facts.creation_settings.put(connection, settings)
            Facts.secret.put(connection, secret)
            self.entries.insert_entries(connection, entries)

    def _check_encoding(self) -> None:
        """Raise UserError unless the database can store every text."""
        if self.address.url:
            with self.begin_read() as connection:
                encoding = connection.read_value("SHOW server_encoding")
            if encoding != "UTF8":
                raise UserError(
                    f"{self.address.shown}: the database uses the encoding {encoding}, not UTF8"
                )

    def _check_empty(self) -> None:
        if self.read_revision() is not None:
            raise UserError(f"{self.address.shown}: the database already contains a tournament")

    def shrink(self) -> None:
        """Give the space of what was removed back to the disk; a server does so by itself."""
        if self.address.path:
            self.check_files()
            with self.address.translate_errors():
                self.connection.execute("VACUUM")

    def get_stamp(self) -> tuple[object, ...]:
        """Return a stamp that differs after stored data has changed; it is cheap to read often.

        Compare stamps only of the same open store.
        """
        with self.begin_read() as connection:
            if self.address.path:
                return (connection.read_value("PRAGMA data_version"),)
            newest = connection.read_row(  # the latest time, and the number of matches stored then
                "SELECT stored, COUNT(*) FROM matches GROUP BY stored ORDER BY stored DESC LIMIT 1"
            )
            last_deal = connection.read_value("SELECT MAX(number) FROM deals")
            replaced = connection.read_value("SELECT COUNT(*) FROM replaced")  # of any age
            states = connection.read_value(
                "SELECT md5(string_agg(concat_ws(' ', id, state, why), ', ' ORDER BY id))"
                " FROM entrants"
            )
            facts = connection.read_value(
                "SELECT md5(string_agg(concat_ws(' ', name, value), ', ' ORDER BY name)) FROM facts"
            )
            return newest, last_deal, replaced, states, facts

    @property
    def seats(self) -> SeatReader:
        """All results, as columns and as sums."""
        from arena.tournament.store.seat_reader import SeatReader  # numpy is slow

        return SeatReader(self)
