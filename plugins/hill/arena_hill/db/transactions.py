"""Transactions of the database of a hill: those that read one state of it, and those that write.

The modules of the tables beside this one find and change rows within them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import time
from typing import Self

from attrs import frozen

from arena.tournament.store.connection import Connection, DatabaseAddress
from arena.tournament.store.database import Database
from arena_hill.db.schema import SCHEMA


@frozen
class HillSnapshot:
    """One state of the database, as a transaction reads it."""

    connection: Connection
    now: float  #: seconds since 1970


@frozen
class HillTransaction(HillSnapshot):
    """A transaction that writes to the database."""


class HillDatabase(Database):
    """The database of a hill, as one connection has it."""

    schema = SCHEMA
    is_shared = True


@frozen
class HillTransactions:
    """The transactions of a hill's database, in any thread; each has its own connection."""

    address: DatabaseAddress
    clock: Callable[[], float] = time  #: the seconds since 1970

    @classmethod
    def open(cls, address: DatabaseAddress) -> Self:
        """Open a hill's database, created if needed; raise UserError."""
        with HillDatabase(address, write=True) as database:
            database.bring_up_to_date(create=True)
        return cls(address)

    def check_writable(self) -> None:
        """Raise StorageError unless the database can be written now."""
        with self.begin_write() as transaction:
            transaction.connection.execute("UPDATE alembic_version SET version_num = version_num")

    @contextmanager
    def begin_read(self) -> Iterator[HillSnapshot]:
        """Begin a transaction that reads one state of the database."""
        database = HillDatabase(self.address, write=False)
        with database, database.begin_read() as connection:
            yield HillSnapshot(connection, self.clock())

    @contextmanager
    def begin_write(self) -> Iterator[HillTransaction]:
        """Begin a transaction that writes, which waits for the one before."""
        database = HillDatabase(self.address, write=True)
        with database, database.begin_write() as connection:
            yield HillTransaction(connection, self.clock())
