"""Connections to the database of a hill: each transaction has its own, in any thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import time
from typing import Self

from attrs import frozen

from arena.tournament.store.connection import DatabaseAddress
from arena.tournament.store.database import Database
from arena_hill.db.schema import SCHEMA
from arena_hill.db.transactions import HillSnapshot, HillTransaction


class HillConnection(Database):
    """A connection to the database of a hill."""

    schema = SCHEMA
    is_shared = True


@frozen
class HillConnections:
    """Opens a connection to the database of a hill for each transaction."""

    address: DatabaseAddress
    clock: Callable[[], float] = time  #: the seconds since 1970

    @classmethod
    def open(cls, address: DatabaseAddress) -> Self:
        """Open a hill's database, created if needed; raise UserError."""
        with HillConnection(address, write=True) as database:
            database.bring_up_to_date(create=True)
        return cls(address)

    def check_writable(self) -> None:
        """Raise StorageError unless the database can be written now."""
        with self.begin_write() as transaction:
            transaction.connection.execute("UPDATE alembic_version SET version_num = version_num")

    @contextmanager
    def begin_read(self) -> Iterator[HillSnapshot]:
        """Begin a transaction that reads one state of the database."""
        database = HillConnection(self.address, write=False)
        with database, database.begin_read() as connection:
            yield HillSnapshot(connection, self.clock())

    @contextmanager
    def begin_write(self) -> Iterator[HillTransaction]:
        """Begin a transaction that writes, which waits for the one before."""
        database = HillConnection(self.address, write=True)
        with database, database.begin_write() as connection:
            yield HillTransaction(connection, self.clock())
