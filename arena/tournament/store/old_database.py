"""Databases with a single writer: SQLite files and PostgreSQL servers, locks, revisions.

Any number of processes may read a database. The one that writes holds a lock, which ends with its
process, however that ends. For SQLite it is a lock on a file next to the database (not on the
database: SQLite loses its locks when the process closes the file anywhere), for PostgreSQL a
session lock.

A process that has opened a file goes on writing into it when somebody deletes it, or moves another
one to its place. So whoever keeps an SQLite database open compares the files that it opened with
those that have their names (`FileIdentities`) before each transaction that writes.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import cached_property, lru_cache
from pathlib import Path
from time import monotonic, sleep, strftime
from typing import Any, Self

from attrs import frozen
from sqlalchemy import (
    Column,
    Connection,
    Engine,
    MetaData,
    NullPool,
    Select,
    String,
    Table,
    create_engine,
    event,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from arena.rules import StorageError, UserError, describe_error, format_install_command
from arena.tournament.store.database import FileIdentities, ReplacedFileError
from arena.wires import lock_open_file, open_private

SERVER_TIMEOUT_SECONDS = 10  # to wait for a server, or for another short write
SYNCHRONOUS = "FULL"  # each commit is on disk before it returns
SQLITE_FILES = ("", "-wal", "-shm", "-journal")  # suffixes of a database's files
ALLOWED = "a database is the path of a file, or postgresql://USER@HOST/NAME"
LOCK_SUFFIX = "-lock"  # of the file next to an SQLite database
OPEN_BESIDE = ("-wal", "-shm", LOCK_SUFFIX)  # suffixes of what a writer has open with its database
SAVED = "{}.saved-%Y%m%dT%H%M%S"  # the name of a copy of a database that was replaced
LOCK_NUMBER = 0x6172656E61  # of PostgreSQL's lock; each database has its own locks
LOCK_TIMEOUT_SECONDS = 1.0  # a server takes a moment to notice that a client was killed
LOCK_POLL_SECONDS = 0.05
MIGRATIONS = Path(__file__).with_name("migrations")


@frozen
class DatabaseAddress:
    """The address of a database, and its name in messages."""

    url: URL  #: for SQLAlchemy
    shown: str  #: the address without its password
    path: Path | None  #: the file of an SQLite database

    @classmethod
    def of(cls, address: str | Path) -> DatabaseAddress:
        """Parse an address, or raise UserError."""
        if "\0" in str(address):
            raise UserError(f"{str(address)!a} is not an address ({ALLOWED})")
        if isinstance(address, Path) or "://" not in address:
            path = Path(address).absolute()
            return cls(URL.create("sqlite", database=str(path)), str(address), path)
        try:
            url = make_url(address)
        except (ArgumentError, ValueError):
            scheme = address.partition("://")[0]  # the rest may contain a password
            raise UserError(f"{scheme}://... is not an address ({ALLOWED})") from None
        if url.drivername not in {"postgresql", "postgres", "postgresql+psycopg"}:
            raise UserError(f"{url.drivername}:// is not supported ({ALLOWED})")
        shown = url.set(drivername="postgresql", query={}).render_as_string()
        query = {
            "connect_timeout": str(SERVER_TIMEOUT_SECONDS),
            **url.query,
            "client_encoding": "utf8",
        }
        return cls(url.set(drivername="postgresql+psycopg", query=query), shown, None)

    def connect(self) -> Connection:
        """Connect, or raise StorageError; a missing file is created."""
        with self.translate_errors():
            return _engine(self).connect()

    def check_writable(self) -> None:
        """Raise StorageError unless the database is writable now; nothing is written."""
        with self.translate_errors(), self.connect() as connection:
            if self.path:
                raw: Any = connection.connection.driver_connection
                raw.execute("PRAGMA query_only = OFF")
                raw.execute("BEGIN IMMEDIATE")
                raw.execute("CREATE TABLE probe (value)")
                raw.execute("ROLLBACK")
            elif connection.exec_driver_sql("SHOW transaction_read_only").scalar() == "on":
                raise StorageError(f"{self.shown}: the database is read-only")

    def measure_bytes(self) -> int:
        """Return the size of the database in bytes, of its files or as reported by the server."""
        if self.path:
            beside = (self.path.with_name(f"{self.path.name}{end}") for end in SQLITE_FILES)
            return sum(path.stat().st_size for path in beside if path.exists())
        with self.translate_errors(), self.connect() as connection:
            asked = "SELECT pg_database_size(current_database())"
            return int(connection.exec_driver_sql(asked).scalar() or 0)

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        """Convert errors of the database into a StorageError with a one-line message."""
        try:
            yield
        except UserError:
            raise
        except Exception as problem:
            if interrupt := _interrupt_behind(problem):
                raise interrupt from None
            said = problem.orig if isinstance(problem, DBAPIError) else problem
            if not isinstance(said, (self.url.get_dialect().import_dbapi().Error, UnicodeError)):
                raise
            words = "; ".join(line.strip() for line in str(said).splitlines())
            raise StorageError(f"{self.shown}: {words or type(said).__name__}") from problem


@lru_cache(maxsize=64)
def _engine(address: DatabaseAddress) -> Engine:
    """Return an engine that caches compiled statements and keeps no connection open."""
    try:
        engine = create_engine(
            address.url,
            poolclass=NullPool,
            pool_reset_on_return=None,  # every transaction is ended explicitly
            paramstyle="named" if address.path else "pyformat",
        )
    except ModuleNotFoundError:
        advice = format_install_command("postgresql")
        raise UserError(f"{address.shown}: PostgreSQL needs psycopg: {advice}") from None
    if address.path:
        event.listen(engine, "do_connect", _prepare_file)
        event.listen(engine, "connect", _configure)
        event.listen(engine, "begin", _begin)
    else:
        event.listen(engine, "do_connect", _connect_interruptibly)
    return engine


def _prepare_file(_: object, __: object, words: list[str], named: dict[str, Any]) -> None:
    """Open a file in a folder that we cannot write to as immutable, if nobody writes to it.

    A new file is created first, private to its owner; SQLite gives the files next to it the same
    mode. SQLite creates such files even for reading, unless another process has done so.
    """
    path = Path(words[0])
    if not path.exists():
        with suppress(OSError):  # SQLite reports the reason
            os.close(open_private(path, os.O_RDWR | os.O_CREAT))
    written = path.with_name(f"{path.name}-wal").exists()
    if not written and not os.access(path.parent, os.W_OK, effective_ids=True):
        words[0], named["uri"] = f"{path.as_uri()}?immutable=1", True


def _configure(connection: sqlite3.Connection, _: object) -> None:
    """Prepare a connection: transactions begin explicitly, and writing is off."""
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {SERVER_TIMEOUT_SECONDS * 1000}")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA query_only = ON")
    connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _connect_interruptibly(_: object, __: object, words: Any, named: Any) -> Any:
    """Connect to a server so that an interrupt does not wait for its answer.

    By default psycopg asks the server to cancel the statement, which may hang as well; closing the
    connection ends the open transaction.
    """
    import psycopg  # optional, and needed only here

    class InterruptibleConnection(psycopg.Connection[Any]):
        """A connection that an interrupt closes."""

        def wait(self, *arguments: Any, **settings: Any) -> Any:
            try:
                return psycopg.waiting.wait(
                    arguments[0], self.pgconn.socket, *arguments[1:], **settings
                )
            except KeyboardInterrupt:
                self.pgconn.finish()
                raise

    return InterruptibleConnection.connect(*words, **named)


def _interrupt_behind(problem: BaseException) -> KeyboardInterrupt | None:
    """Return the interrupt that closed the connection, if it caused this exception."""
    behind: BaseException | None = problem
    while behind and not isinstance(behind, KeyboardInterrupt):
        behind = behind.__context__
    return behind if isinstance(behind, KeyboardInterrupt) else None


class DatabaseConnection:
    """A connection for one thread of one process. It is read-only until `claim` is called."""

    def __init__(self, address: DatabaseAddress, *, write: bool) -> None:
        self.address = address
        self.claimed = False
        self._may_claim = write
        self._lock: int | None = None
        self._files: FileIdentities | None = None  # of a claimed file
        self._fate = ""  # what became of its contents when it was replaced
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
            if self.address.path:
                self._files = FileIdentities.of_writer(self.address.path)
        self.claimed = True

    def check_files(self) -> None:
        """Raise ReplacedFileError if a file of the claimed database was deleted or replaced.

        What the connection has written is saved beside it, in a file that the error names.
        """
        replaced = self._files and self._files.find_replaced()
        if replaced and not self._fate:
            self._fate = self._save()
        if replaced:
            raise ReplacedFileError(
                f"{replaced}: deleted or replaced while this run was using it; {self._fate}; put"
                " the file that counts there, and start again"
            )

    def _save(self) -> str:
        """Copy the database as this connection sees it; return what became of it, in words."""
        assert self.address.path
        copy = self.address.path.with_name(strftime(SAVED).format(self.address.path.name))
        try:
            os.close(open_private(copy, os.O_RDWR | os.O_CREAT | os.O_EXCL))
            with closing(sqlite3.connect(copy)) as target:
                raw: Any = self.connection.connection.driver_connection
                raw.backup(target)
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
        self.check_files()
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


def lock_file(path: Path, shown: str) -> int:
    """Lock an SQLite database; return the descriptor that holds the lock until it is closed."""
    beside = path.resolve()
    beside = beside.with_name(beside.name + LOCK_SUFFIX)
    try:
        descriptor = open_private(beside, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
    except OSError as problem:
        raise UserError(f"{shown}: {beside.name} cannot be created: {problem.strerror}") from None
    try:
        lock_open_file(descriptor)
    except BlockingIOError:
        os.close(descriptor)
        raise build_busy_error(shown) from None
    return descriptor


def lock_session(connection: Connection, shown: str) -> None:
    """Lock a PostgreSQL database for as long as this connection lasts."""
    ask = text("SELECT pg_try_advisory_lock(:number)").bindparams(number=LOCK_NUMBER)
    until = monotonic() + LOCK_TIMEOUT_SECONDS
    while True:
        with connection.begin():
            if connection.scalar(ask):
                return
        if monotonic() > until:
            raise build_busy_error(shown)
        sleep(LOCK_POLL_SECONDS)


def build_busy_error(shown: str) -> UserError:
    """Return the error for a database that another process writes to."""
    return UserError(f"{shown}: another run is using it; stop that run first (Ctrl-C)")


def make_writing(connection: Connection) -> None:
    """Allow a connection to write.

    On a server, keepalives release the lock soon if the machine of this connection vanishes; the
    system's default is two hours.
    """
    if connection.dialect.name == "sqlite":
        raw = connection.connection.driver_connection
        assert raw
        raw.execute("PRAGMA query_only = OFF")
        raw.execute("PRAGMA journal_mode = WAL")
        return
    with connection.begin():
        for name, seconds in {"idle": 30, "interval": 10, "count": 3}.items():
            connection.exec_driver_sql(f"SET tcp_keepalives_{name} = {seconds}")


revision = Table(
    "alembic_version",
    MetaData(naming_convention={"pk": "%(table_name)s_pkc"}),
    Column("version_num", String(32), primary_key=True),
)
"""Alembic's own table, which holds the revision of the schema."""

NAMES = {
    "pk": "%(table_name)s_pk",
    "fk": "%(table_name)s_%(column_0_name)s_fk",
    "uq": "%(table_name)s_%(column_0_name)s_key",
    "ck": "%(table_name)s_%(constraint_name)s",
}
"""The naming convention of keys, for the steps between revisions."""


@frozen
class Schema:
    """The tables of a kind of database, and all their revisions."""

    tables: MetaData  #: the current tables
    revisions: tuple[str, ...]  #: in order; the last is the current one, none before is known
    markers: frozenset[str]  #: tables of every revision

    @property
    def newest(self) -> str:
        """The current revision of the tables."""
        return self.revisions[-1]

    def create_tables(self, connection: Connection) -> None:
        """Create all tables."""
        revision.create(connection)
        self.tables.create_all(connection)
        connection.execute(insert(revision).values(version_num=self.newest))

    def lock_revision(self, connection: Connection) -> None:
        """Lock the row of the revision; writers queue here."""
        connection.execute(update(revision).values(version_num=self.newest))

    def is_newest(self, connection: Connection) -> bool:
        """Return whether a database has the current schema, by a single query.

        The database's error for a missing table is raised; `find_revision` explains it.
        """
        return bool(connection.scalar(self._question) == self.newest)

    @cached_property
    def _question(self) -> Select[Any]:
        tables = [select(self.tables.tables[name]).exists() for name in sorted(self.markers)]
        return select(revision.c.version_num, *tables)

    def find_revision(self, connection: Connection, shown: str) -> str | None:
        """Return the revision of a database, None where it is empty.

        Raises:
            UserError: if it belongs to another program, to a newer version of arena, or to one
                before the first release; `shown` is its name.
        """
        there = {*inspect(connection).get_table_names()}
        if not there:
            return None
        if not there >= {revision.name, *self.markers}:
            raise UserError(f"{shown}: the database belongs to another program")
        found = connection.scalar(select(revision.c.version_num))
        if found not in self.revisions and str(found) < self.revisions[0]:
            raise UserError(
                f"{shown}: created by a version of arena before the first release (schema {found}),"
                " which this one cannot read; move the database away and run this again"
            )
        if found not in self.revisions:
            raise UserError(
                f"{shown}: created by a newer version of arena (schema {found}); upgrade arena"
            )
        return str(found)


def upgrade(connection: Connection, steps: Path = MIGRATIONS, revision: str = "head") -> None:
    """Upgrade the schema by the steps in a folder, in this connection's transaction."""
    from alembic import command  # slow to import, and rarely needed
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(steps))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
