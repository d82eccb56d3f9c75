"""A connection to a database with a single writer, which a lock keeps others from becoming."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Self

from sqlalchemy import Connection

from arena.tournament.store.address import DatabaseAddress, make_writing
from arena.tournament.store.lock import lock_file, lock_session


class DatabaseConnection:
    """A connection for one thread of one process. It is read-only until `claim` is called."""

    def __init__(self, address: DatabaseAddress, *, write: bool) -> None:
        self.address = address
        self.claimed = False
        self._may_claim = write
        self._lock: int | None = None
        self.connection: Connection = address.connect()
        if not write and not address.path:  # a transaction reads one state, as in SQLite
            self.connection.execution_options(isolation_level="REPEATABLE READ")

    def claim(self) -> None:
        """Become the only writer until closed; raise UserError if there is another one."""
        assert self._may_claim, "the store is open for reading only"
        if self.claimed:
            return
        with self.address.translate_errors():
            if self.address.path:
                self._lock = lock_file(self.address.path, self.address.shown)
            else:
                lock_session(self.connection, self.address.shown)
            make_writing(self.connection)
        self.claimed = True

    def close(self) -> None:
        """Close the connection, and give up the claim."""
        self.connection.close()
        self.claimed = False
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def begin_read(self) -> Iterator[Connection]:
        """Yield the connection within a read transaction.

        All that is read within a block, also by further blocks in it, is of one state of the
        database, if it was opened for reading only.
        """
        with self.address.translate_errors():
            if self.connection.in_transaction():
                yield self.connection
            else:
                with self.connection.begin():
                    yield self.connection

    @contextmanager
    def begin_write(self) -> Iterator[Connection]:
        """Yield the connection within a write transaction."""
        assert self.claimed, "call claim() before writing"
        with self.address.translate_errors(), self.connection.begin():
            yield self.connection

    def _close_on_error(self, work: Callable[[], None]) -> Self:
        """Do some work; close the database if it fails."""
        try:
            work()
        except BaseException:
            self.close()
            raise
        return self
