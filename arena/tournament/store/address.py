"""Addresses of databases, and connections to them: SQLite files and PostgreSQL servers."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from attrs import frozen
from sqlalchemy import Connection, Engine, NullPool, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from arena.rules import StorageError, UserError, format_install_command
from arena.wires import open_private

SERVER_TIMEOUT_SECONDS = 10  # to wait for a server, or for another short write
SQLITE_FILES = ("", "-wal", "-shm", "-journal")  # suffixes of a database's files
ALLOWED = "a database is the path of a file, or postgresql://USER@HOST/NAME"


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


def make_writing(connection: Connection) -> None:
    """Allow a connection to write; each commit is on disk before it returns.

    On a server, keepalives release the lock soon if the machine of this connection vanishes; the
    system's default is two hours.
    """
    if connection.dialect.name == "sqlite":
        raw = connection.connection.driver_connection
        assert raw
        raw.execute("PRAGMA query_only = OFF")
        raw.execute("PRAGMA journal_mode = WAL")
        raw.execute("PRAGMA synchronous = FULL")
        return
    with connection.begin():
        for name, seconds in {"idle": 30, "interval": 10, "count": 3}.items():
            connection.exec_driver_sql(f"SET tcp_keepalives_{name} = {seconds}")
