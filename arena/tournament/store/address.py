"""Where a database is, and how it is spoken to: an SQLite file, or a PostgreSQL server."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import frozen
from sqlalchemy import Connection, Engine, NullPool, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from arena.errors import Refusal

PATIENCE = 10  # seconds to wait for a server, or for somebody else's short write
ALLOWED = "a database is the path of a file, or postgresql://USER@HOST/NAME"


@frozen
class Address:
    """A database's address, and what it is called when something is said of it."""

    url: URL
    shown: str  # without its password
    path: Path | None  # of SQLite's file

    @classmethod
    def of(cls, address: str | Path) -> Address:
        """Read an address, or raise Refusal."""
        if isinstance(address, Path) or "://" not in address:
            path = Path(address).absolute()
            return cls(URL.create("sqlite", database=str(path)), str(address), path)
        try:
            url = make_url(address)
        except (ArgumentError, ValueError):
            scheme = address.partition("://")[0]  # what follows may be a password
            raise Refusal(f"{scheme}://... is no address: {ALLOWED}") from None
        if url.drivername not in {"postgresql", "postgres", "postgresql+psycopg"}:
            raise Refusal(f"{url.drivername}:// is not known: {ALLOWED}")
        shown = url.set(drivername="postgresql", query={}).render_as_string()
        query = {"connect_timeout": str(PATIENCE), **url.query, "client_encoding": "utf8"}
        return cls(url.set(drivername="postgresql+psycopg", query=query), shown, None)

    def connect(self) -> Connection:
        """Connect, or raise Refusal; a file that is not there is made."""
        with self.in_words():
            return self._engine().connect()

    def _engine(self) -> Engine:
        try:
            engine = create_engine(
                self.url,
                poolclass=NullPool,
                pool_reset_on_return=None,  # every transaction is ended here
                paramstyle="named" if self.path else "pyformat",
            )
        except ModuleNotFoundError:
            advice = "pip install 'cardbot-arena[postgresql]'"
            raise Refusal(f"{self.shown}: PostgreSQL needs psycopg: {advice}") from None
        if self.path:
            event.listen(engine, "connect", _set_up)
            event.listen(engine, "begin", _begin)
        return engine

    @contextmanager
    def in_words(self) -> Iterator[None]:
        """Raise what the database says as a Refusal, in one line."""
        try:
            yield
        except Refusal:
            raise
        except Exception as problem:
            said = problem.orig if isinstance(problem, DBAPIError) else problem
            if not isinstance(said, self.url.get_dialect().import_dbapi().Error):
                raise
            words = "; ".join(line.strip() for line in str(said).splitlines())
            raise Refusal(f"{self.shown}: {words or type(said).__name__}") from problem


def _set_up(connection: sqlite3.Connection, _: object) -> None:
    """Prepare a connection: transactions begin when we say so, and nothing is written yet."""
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {PATIENCE * 1000}")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA query_only = ON")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def make_writing(connection: Connection) -> None:
    """Let a connection write, each commit on the disk before it returns.

    On a server: should the machine of this connection vanish, the lock is not to last for
    the two hours after which the system asks by itself.
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
