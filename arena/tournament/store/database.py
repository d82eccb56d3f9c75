"""A tournament's database: creating, opening, claiming and closing it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from sqlalchemy import insert

from arena.rules import UserError
from arena.tournament.models.records import Entry
from arena.tournament.store import schema
from arena.tournament.store.address import DatabaseAddress
from arena.tournament.store.database_connection import DatabaseConnection
from arena.wires import dump


class Database(DatabaseConnection):
    """A connection to a tournament's database.

    If it is `aliased`, its results do not contain names that the host has hidden.
    """

    def __init__(self, address: DatabaseAddress, *, write: bool, aliased: bool = False) -> None:
        super().__init__(address, write=write)
        self.aliased = aliased

    @classmethod
    def exists(cls, address: str | Path) -> bool:
        """Return whether there is a tournament; raise UserError for another program's database."""
        where = DatabaseAddress.of(address)
        if where.path and not where.path.exists():
            return False
        with cls(where, write=False) as database:
            return database._read_revision() is not None

    @classmethod
    def open(cls, address: str | Path, *, write: bool = True, aliased: bool = False) -> Self:
        """Open an existing tournament; raise UserError.

        Read-only commands pass `write=False`, which works during a run; public output is `aliased`.
        A database of an older version of arena is claimed and upgraded.
        """
        where = DatabaseAddress.of(address)
        if where.path and not where.path.exists():
            raise UserError(f"{where.shown}: no such file; the tournament's first run creates it")
        database = cls(where, write=write, aliased=aliased)
        return database._close_on_error(database._bring_up_to_date)

    @classmethod
    def create(
        cls, address: str | Path, facts: Mapping[str, Any], entries: Iterable[Entry] = ()
    ) -> Self:
        """Create a tournament and claim it, completely or not at all; raise UserError."""
        where = DatabaseAddress.of(address)
        if where.path and not where.path.parent.is_dir():
            raise UserError(f"{where.shown}: its folder does not exist")
        database = cls(where, write=True)
        return database._close_on_error(lambda: database._create_tables(facts, entries))

    def _read_revision(self) -> str | None:
        """Return the revision of the schema, or None for an empty database; raise UserError."""
        with self.begin_read() as connection:
            return schema.SCHEMA.find_revision(connection, self.address.shown)

    def _bring_up_to_date(self) -> None:
        with suppress(UserError), self.begin_read() as connection:  # the error is raised below
            if schema.SCHEMA.is_newest(connection):
                return
        shown, found = self.address.shown, self._read_revision()
        if found == schema.SCHEMA.newest:
            return
        if found is None:
            raise UserError(f"{shown}: the database contains no tournament")
        if not self._may_claim:
            raise UserError(
                f"{shown}: created by an older version of arena; run the tournament to upgrade it"
            )
        from arena.tournament.store.migrate import upgrade  # slow, and seldom needed

        self.claim()
        with self.begin_write() as connection:
            upgrade(connection)

    def _create_tables(self, facts: Mapping[str, Any], entries: Iterable[Entry]) -> None:
        self._check_encoding()
        self._check_empty()  # before SQLite switches an unrelated file to WAL mode
        self.claim()
        self._check_empty()  # again, now that nobody else can write
        with self.begin_write() as connection:
            schema.SCHEMA.create_tables(connection)
            rows = [{"name": name, "value": dump(value)} for name, value in facts.items()]
            if rows:
                connection.execute(insert(schema.facts), rows)
            self._insert_entries(entries)

    def _check_encoding(self) -> None:
        """Raise UserError unless the database can store every text."""
        if not self.address.path:
            with self.begin_read() as connection:
                encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
            if encoding != "UTF8":
                raise UserError(
                    f"{self.address.shown}: the database uses the encoding {encoding}, not UTF8"
                )

    def _check_empty(self) -> None:
        if self._read_revision() is not None:
            raise UserError(f"{self.address.shown}: the database already contains a tournament")

    def _insert_entries(self, entries: Iterable[Entry]) -> None:
        """Insert the first entrants, within the transaction."""
        raise NotImplementedError
