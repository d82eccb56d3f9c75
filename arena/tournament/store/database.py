"""Databases of one kind each: their tables and revisions, claims and transactions.

Each store of the arena is such a database: a class with a method for each transaction, which is
read downwards. `begin_read` and `begin_write` give it the connection, and its statements stand
where they run.

Any number of processes may read a database. The one that writes holds a lock, which ends with its
process, however that ends. For SQLite it is a lock on a file next to the database (not on the
database: SQLite loses its locks when the process closes the file anywhere), for PostgreSQL a
session lock. A database that several processes write (`is_shared`) has no such lock: there, each
transaction that writes waits for the one before.

A process that has opened a file goes on writing into it when somebody deletes it, or moves another
one to its place. So whoever claims an SQLite database compares the files that it opened with those
that have their names (`FileIdentities`) before each transaction that writes.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from time import monotonic, sleep, strftime
from typing import ClassVar, Self

from attrs import field, frozen

from arena.files import lock_open_file, open_private
from arena.rules import StorageError, UserError, describe_error
from arena.tournament.store.connection import Connection, DatabaseAddress

LOCK_SUFFIX = "-lock"  # of the file next to an SQLite database
OPEN_BESIDE = ("-wal", "-shm", LOCK_SUFFIX)  # suffixes of what a writer has open with its database
SAVED_NAME_FORMAT = "{}.saved-%Y%m%dT%H%M%S"  # the name of a copy of a database that was replaced
LOCK_NUMBER = 0x6172656E61  # of PostgreSQL's lock; each database has its own locks
LOCK_TIMEOUT_SECONDS = 1.0  # a server takes a moment to notice that a client was killed
LOCK_POLL_SECONDS = 0.05
KEEPALIVES = {"idle": 30, "interval": 10, "count": 3}
"""Seconds until a server releases the lock of a machine that vanished; by default two hours."""


class ReplacedFileError(StorageError):
    """A file that is in use was deleted, or replaced by another one."""


class BusyDatabaseError(UserError):
    """Another process writes to the database."""


@frozen
class FileIdentities:
    """Which files had their names at one time, by device and inode."""

    files: Mapping[Path, tuple[int, int] | None] = field(factory=dict)
    """None where there was no file."""

    @classmethod
    def of(cls, paths: Iterable[Path]) -> FileIdentities:
        """Return the identities of these files now."""
        return cls({path: _identify(path) for path in paths})

    @classmethod
    def of_writer(cls, database: Path) -> FileIdentities:
        """Return the identities of all files that a writer of a database has open now."""
        beside = database.resolve()  # the database itself may be a link that is changed
        return cls.of([database, *(beside.with_name(beside.name + end) for end in OPEN_BESIDE)])

    def find_replaced(self) -> Path | None:
        """Return a file that was deleted or replaced since then, or None."""
        for path, identity in self.files.items():
            if identity and _identify(path) != identity:
                return path
        return None

    def check(self) -> None:
        """Raise ReplacedFileError if a file was deleted or replaced since then."""
        if path := self.find_replaced():
            raise ReplacedFileError(
                f"{path}: deleted or replaced while it was in use; put the right file there,"
                " and start again"
            )


def _identify(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


MAKE_REVISION = """
CREATE TABLE alembic_version (
    version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
)
"""
REVISION = "alembic_version"
"""The table of the revision, by the name of the program that made it once."""


@frozen
class Schema:
    """The tables of a kind of database, by the steps that lead to them.

    A new database takes all steps, an older one those that it lacks.
    """

    contents: str  #: what such a database contains, for messages
    steps: Mapping[str, str]  #: scripts by their revisions, in order
    markers: frozenset[str]  #: tables of every revision
    adopts: bool = False  #: whether some had no revision once; the first step then keeps tables

    @property
    def newest(self) -> str:
        """The current revision of the tables."""
        return [*self.steps][-1]

    def is_newest(self, connection: Connection) -> bool:
        """Return whether a database has the current tables, by a single query.

        The database's error for a missing table is raised; `find_revision` explains it.
        """
        tables = [f", EXISTS (SELECT 1 FROM {name})" for name in sorted(self.markers)]
        revision = connection.read_value(
            f"SELECT version_num{''.join(tables)} FROM alembic_version"
        )
        return bool(revision == self.newest)

    def find_revision(self, connection: Connection, shown: str) -> str | None:
        """Return the revision of a database, None where it is empty.

        Raises:
            UserError: if it belongs to another program, to a newer version of arena, or to one
                before the first release; `shown` is its name.
        """
        tables = connection.list_tables()
        if not tables or (self.adopts and REVISION not in tables and tables >= self.markers):
            return None
        if not tables >= {REVISION, *self.markers}:
            raise UserError(f"{shown}: the database belongs to another program")
        revision = str(connection.read_value("SELECT version_num FROM alembic_version"))
        if revision not in self.steps and revision < next(iter(self.steps)):
            raise UserError(
                f"{shown}: created by a version of arena before the first release (schema"
                f" {revision}), which this one cannot read; move the database away and run this"
                " again"
            )
        if revision not in self.steps:
            raise UserError(
                f"{shown}: created by a newer version of arena (schema {revision}); upgrade arena"
            )
        return revision

    def upgrade(self, connection: Connection, revision: str | None) -> None:
        """Take the steps after a revision, or all, within a transaction."""
        names = [*self.steps]
        for name in names[names.index(revision) + 1 :] if revision else names:
            connection.run_script(self.steps[name])
        if revision is None:
            connection.run_script(MAKE_REVISION)
            connection.execute("INSERT INTO alembic_version VALUES (?)", (self.newest,))
        else:
            connection.execute("UPDATE alembic_version SET version_num = ?", (self.newest,))


class Database:
    """A database, open in one process; any thread may use it, one at a time.

    It is read-only until `claim` is called, unless several processes share it.
    """

    schema: ClassVar[Schema]
    is_shared: ClassVar[bool] = False  #: whether several processes write, one after the other

    def __init__(self, address: DatabaseAddress, *, write: bool) -> None:
        self.address = address
        self.claimed = False
        self.transactions = 0  #: how many have begun, without those inside another one
        self._may_write = write
        self._lock: int | None = None
        self._files: FileIdentities | None = None  # of a claimed file
        self._fate = ""  # what became of its contents when it was replaced
        self._threads = RLock()
        self.connection: Connection = address.connect()
        if write and self.is_shared and not address.url:
            self.connection.execute("PRAGMA query_only = OFF")

    def claim(self) -> None:
        """Become the only writer until closed; raise BusyDatabaseError if there is another one."""
        assert self._may_write, "the store is open for reading only"
        if self.claimed:
            return
        with self.address.translate_errors():
            if self.address.url:
                self._lock_session()
            else:
                self._lock_file()
        self.claimed = True

    def _lock_session(self) -> None:
        """Lock a database on a server for as long as the connection lasts."""
        ask = "SELECT pg_try_advisory_lock(?)"
        until = monotonic() + LOCK_TIMEOUT_SECONDS
        while not self.connection.read_value(ask, (LOCK_NUMBER,)):
            if monotonic() > until:
                raise self._build_busy_error()
            sleep(LOCK_POLL_SECONDS)
        for name, value in KEEPALIVES.items():
            self.connection.execute(f"SET tcp_keepalives_{name} = {value}")

    def _lock_file(self) -> None:
        """Lock an SQLite database until the descriptor is closed; one in memory needs no lock."""
        if self.address.path:
            beside = self.address.path.resolve()
            beside = beside.with_name(beside.name + LOCK_SUFFIX)
            try:
                self._lock = open_private(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
            except OSError as problem:
                raise UserError(
                    f"{self.address.shown}: {beside.name} cannot be created: {problem.strerror}"
                ) from None
            try:
                lock_open_file(self._lock)
            except BlockingIOError:
                os.close(self._lock)
                self._lock = None
                raise self._build_busy_error() from None
        self.connection.execute("PRAGMA query_only = OFF")
        self.connection.execute("PRAGMA journal_mode = WAL")
        if self.address.path:
            self._files = FileIdentities.of_writer(self.address.path)

    def _build_busy_error(self) -> BusyDatabaseError:
        return BusyDatabaseError(
            f"{self.address.shown}: another run is using it; stop that run first (Ctrl-C)"
        )

    def check_files(self) -> None:
        """Raise ReplacedFileError if a file of the claimed database was deleted or replaced.

        What the connection has written is saved beside it, in a file that the error names.
        """
        path = self._files and self._files.find_replaced()
        if path and not self._fate:
            self._fate = self._save()
        if path:
            raise ReplacedFileError(
                f"{path}: deleted or replaced while this run was using it; {self._fate}; put"
                " the file that counts there, and start again"
            )

    def _save(self) -> str:
        """Copy the database as this connection sees it; return what became of it, in words."""
        assert self.address.path
        copy = self.address.path.with_name(
            strftime(SAVED_NAME_FORMAT).format(self.address.path.name)
        )
        try:
            self.connection.copy_file(copy)
        except (OSError, sqlite3.Error) as problem:
            return f"what the run had stored could not be saved: {describe_error(problem)}"
        return f"what the run had stored is saved in {copy.name}"

    def close(self) -> None:
        """Close the connection, and give up the claim."""
        self.connection.close()
        self.claimed = False
        self._files = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    @contextmanager
    def close_on_error(self) -> Iterator[None]:
        """Close the database if a block fails."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def begin_read(self) -> Iterator[Connection]:
        """Yield the connection within a transaction that reads one state of the database.

        A block within another one belongs to its transaction.
        """
        with self._threads, self.address.translate_errors():
            if self.connection.in_transaction:
                yield self.connection
            else:
                self.transactions += 1
                with self.connection.begin():
                    yield self.connection

    @contextmanager
    def begin_write(self) -> Iterator[Connection]:
        """Yield the connection within a transaction of which all is written, or nothing."""
        assert self.claimed or self.is_shared, "call claim() before writing"
        with self._threads, self.address.translate_errors():
            self.check_files()
            self.transactions += 1
            with self.connection.begin(write=True):
                if self.is_shared and self.address.url:  # a file is locked as this begins
                    self.connection.execute("SELECT pg_advisory_xact_lock(?)", (LOCK_NUMBER,))
                yield self.connection

    def read_revision(self) -> str | None:
        """Return the revision of the tables, or None for an empty database; raise UserError."""
        with self.begin_read() as connection:
            return self.schema.find_revision(connection, self.address.shown)

    def bring_up_to_date(self, *, create: bool = False, claim: bool = False) -> None:
        """Take the steps that the tables lack, or `create` them, if this is open for writing.

        To `claim` the database comes first, if wanted.

        Raises:
            UserError: if there are no tables, or other ones; the database is closed.
        """
        with self.close_on_error():
            if claim:
                self.claim()
            self._bring_up_to_date(create=create)

    def _bring_up_to_date(self, *, create: bool) -> None:
        with suppress(UserError), self.begin_read() as connection:  # the error is raised below
            if self.schema.is_newest(connection):
                return
        label, revision = self.address.shown, self.read_revision()
        if revision is None and not create:
            raise UserError(f"{label}: the database contains no {self.schema.contents}")
        if not self._may_write:
            raise UserError(
                f"{label}: created by an older version of arena; its next run upgrades it"
            )
        if not self.is_shared:
            self.claim()
        with self.begin_write() as connection:
            self.schema.upgrade(connection, self.schema.find_revision(connection, label))
