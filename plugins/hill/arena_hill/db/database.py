"""Opening, reading and writing a hill's database, which several processes share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from attrs import frozen
from sqlalchemy import Connection

from arena.extend import DatabaseAddress
from arena_hill.db.schema import SCHEMA


@frozen
class BaseDatabase:
    """A database. Each query opens its own connection, so that any thread may use it."""

    address: DatabaseAddress

    @classmethod
    def open(cls, address: str | Path) -> Self:
        """Open a hill's database, created if needed; raise UserError."""
        opened = cls(DatabaseAddress.of(address))
        with opened._connect(write=True) as connection, connection.begin():
            found = SCHEMA.find_revision(connection, opened.address.shown)
            if found is None:
                SCHEMA.create_tables(connection)
            elif found != SCHEMA.newest:
                from arena.extend import upgrade  # slow, and seldom needed

                upgrade(connection, Path(__file__).with_name("migrations"))
        return opened

    def check_writable(self) -> None:
        """Raise StorageError unless the database can be written now."""
        with self.begin_write():
            pass  # the row of the revision is written, as it is

    @contextmanager
    def begin_read(self) -> Iterator[Connection]:
        """Return a connection that reads one snapshot of the database."""
        with self._connect(write=False) as connection, connection.begin():
            yield connection

    @contextmanager
    def begin_write(self) -> Iterator[Connection]:
        """Return a connection with a write transaction.

        Writers come one after the other: each first takes the row of the revision, on either
        kind of database, so that what it reads then nobody else changes.
        """
        with self._connect(write=True) as connection, connection.begin():
            SCHEMA.lock_revision(connection)
            yield connection

    @contextmanager
    def _connect(self, *, write: bool) -> Iterator[Connection]:
        with self.address.translate_errors(), self.address.connect() as connection:
            if write and self.address.path:
                raw: Any = connection.connection.driver_connection
                raw.execute("PRAGMA query_only = OFF")
                raw.execute("PRAGMA synchronous = FULL")
            yield connection
