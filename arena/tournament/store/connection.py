"""Connections to SQLite files and PostgreSQL servers, which are used in one way.

Both understand the statements that we write, with a `?` for each parameter, and give rows as
tuples; `FILE_WORDS` and `SERVER_WORDS` are all in which the tables differ. Neither driver begins a
transaction by itself: each one begins and ends by a statement.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

from attrs import define, frozen

from arena.distribution import format_install_command
from arena.files import open_private
from arena.rules import StorageError, UserError

SERVER_TIMEOUT_SECONDS = 10  # to wait for a server, or for another short write
WAIT_SECONDS = 0.1  # to sleep until a server answers, before a look at interrupts
SYNCHRONOUS = "FULL"  # each commit is on disk before it returns
SQLITE_FILES = ("", "-wal", "-shm", "-journal")  # suffixes of a database's files
ALLOWED = "a database is the path of a file, or postgresql://USER@HOST/NAME"
SCHEMES = ("postgresql", "postgres", "postgresql+psycopg")

FILE_WORDS: Mapping[str, str] = {
    "serial": "INTEGER", "bytes": "BLOB", "without_rowid": "WITHOUT ROWID",
}  # fmt: skip
SERVER_WORDS: Mapping[str, str] = {"serial": "SERIAL", "bytes": "BYTEA", "without_rowid": ""}
"""What stands in a script of statements for these words in braces."""

Row = tuple[Any, ...]  # values in the order of a statement

READ_FILE, WRITE_FILE = "BEGIN", "BEGIN IMMEDIATE"  # which one writer begins after the other
READ_SERVER, WRITE_SERVER = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY", "BEGIN"
FILE_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, 7) <> ?"
SERVER_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"


@frozen
class DatabaseAddress:
    """The address of a database, and its name in messages; with neither path nor URL in memory."""

    shown: str  #: the address without its password
    path: Path | None = None  #: the file of an SQLite database
    url: str = ""  #: of a database on a server

    @classmethod
    def of(cls, address: str | Path, home: Path | None = None) -> Self:
        """Parse an address, or raise UserError; a path is relative to `home`."""
        if "\0" in str(address):
            raise UserError(f"{str(address)!a} is not an address ({ALLOWED})")
        if isinstance(address, Path) or "://" not in address:
            place = address if home is None else home / address
            return cls(str(place), Path(place).absolute())
        scheme, _, rest = address.partition("://")
        if scheme not in SCHEMES:
            raise UserError(f"{scheme}:// is not supported ({ALLOWED})")
        try:
            parts = urlsplit(address)
            is_valid = parts.port != 0
        except ValueError:
            is_valid = False
        if not is_valid:  # the rest may contain a password
            raise UserError(f"{scheme}://... is not an address ({ALLOWED})")
        user, at, host = parts.netloc.rpartition("@")
        name, colon, _ = user.partition(":")
        label = f"postgresql://{name}{colon and ':***'}{at}{host}{parts.path}"
        return cls(label, url=f"postgresql://{rest}")

    def connect(self) -> Connection:
        """Connect for reading, or raise StorageError; a missing file is created."""
        with self.translate_errors():
            if self.url:
                return Connection(_connect_server(self), is_server=True)
            return Connection(_open_file(self.path), is_server=False)

    def check_writable(self) -> None:
        """Raise StorageError unless the database is writable now; nothing is written."""
        with self.translate_errors(), self.connect() as connection:
            if not self.url:
                connection.execute("PRAGMA query_only = OFF")
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("CREATE TABLE probe (value)")
                connection.execute("ROLLBACK")
            elif connection.read_value("SHOW transaction_read_only") == "on":
                raise StorageError(f"{self.shown}: the database is read-only")

    def measure_bytes(self) -> int:
        """Return the size of the database in bytes, of its files or as reported by the server."""
        if self.path:
            beside = (self.path.with_name(f"{self.path.name}{end}") for end in SQLITE_FILES)
            return sum(path.stat().st_size for path in beside if path.exists())
        with self.translate_errors(), self.connect() as connection:
            return int(connection.read_value("SELECT pg_database_size(current_database())"))

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
            if not isinstance(problem, (*_list_errors(is_server=bool(self.url)), UnicodeError)):
                raise
            words = "; ".join(line.strip() for line in str(problem).splitlines())
            raise StorageError(f"{self.shown}: {words or type(problem).__name__}") from problem


@define(eq=False)
class Connection:
    """A connection to a file, to a server or to a database in memory."""

    raw: Any  #: the driver's connection
    is_server: bool
    in_transaction: bool = False

    def execute(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """Run a statement; return the driver's cursor, which has its rows and their number."""
        return self.raw.execute(self._translate(statement), values)

    def execute_many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement for each row of values."""
        self.raw.cursor().executemany(self._translate(statement), rows)

    def run_script(self, script: str) -> None:
        """Run statements that make or change tables, separated by semicolons."""
        words = SERVER_WORDS if self.is_server else FILE_WORDS
        for statement in script.split(";"):
            if statement.strip():
                self.execute(statement.format_map(words))

    def read_rows(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """Return all rows that a statement finds."""
        rows: list[Row] = self.execute(statement, values).fetchall()
        return rows

    def read_row(self, statement: str, values: Sequence[Any] = ()) -> Row | None:
        """Return the first row that a statement finds, or None."""
        row: Row | None = self.execute(statement, values).fetchone()
        return row

    def read_value(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """Return the first value of the first row that a statement finds, or None."""
        row = self.read_row(statement, values)
        return None if row is None else row[0]

    def read_column(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return the first value of each row that a statement finds."""
        return [row[0] for row in self.execute(statement, values)]

    def _translate(self, statement: str) -> str:
        return statement.replace("?", "%s") if self.is_server else statement

    def list_tables(self) -> set[str]:
        """Return the names of all tables."""
        if self.is_server:
            return {*self.read_column(SERVER_TABLES)}
        return {*self.read_column(FILE_TABLES, ("sqlite_",))}

    @contextmanager
    def begin(self, *, write: bool = False) -> Iterator[None]:
        """Run a block as one transaction; it reads one state of the database, unless it writes."""
        if self.is_server:
            statement = WRITE_SERVER if write else READ_SERVER
        else:
            statement = WRITE_FILE if write else READ_FILE
        assert not self.in_transaction, "a transaction has begun already"
        self.in_transaction = True
        try:
            self.execute(statement)
            yield
            self.execute("COMMIT")
        except BaseException:
            with suppress(*_list_errors(is_server=self.is_server)):  # it is over, or was none
                self.execute("ROLLBACK")
            raise
        finally:
            self.in_transaction = False

    def copy_file(self, copy: Path, pages: int = -1) -> None:
        """Copy a file into a new private one, as this connection sees it, so many pages at once.

        Raises:
            OSError, sqlite3.Error: where it cannot be read or written.
        """
        os.close(open_private(copy, os.O_RDWR | os.O_CREAT | os.O_EXCL))
        with closing(sqlite3.connect(copy)) as target:
            self.raw.backup(target, pages=pages)

    def close(self) -> None:
        """Close the connection, which ends a transaction."""
        self.raw.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def format_marks(values: Sequence[Any]) -> str:
    """Return the marks of parameters for a list of values.

    >>> f"SELECT name FROM bots WHERE id IN ({format_marks([3, 4])})"
    'SELECT name FROM bots WHERE id IN (?, ?)'
    """
    return ", ".join("?" * len(values)) or "NULL"  # which nothing equals


def clean_text(text: str) -> str:
    r"""Return a text that every database accepts: without NUL and lone surrogates.

    >>> clean_text("a\0b")
    'a\ufffdb'
    """
    return text.encode(errors="replace").decode().replace("\0", "\ufffd")


def _list_errors(*, is_server: bool) -> tuple[type[Exception], ...]:
    if not is_server:
        return (sqlite3.Error,)
    import psycopg  # optional, and needed only here

    return (psycopg.Error,)


def _open_file(path: Path | None) -> sqlite3.Connection:
    """Open a file, or a database in memory.

    A file in a folder that we cannot write to is opened as immutable, if nobody writes to it. A new
    file is created first, private to its owner; SQLite gives the files next to it the same mode. It
    creates such files even for reading, unless another process has done so.
    """
    name = ":memory:"
    if path and not path.exists():
        with suppress(OSError):  # SQLite reports the reason
            os.close(open_private(path, os.O_RDWR | os.O_CREAT))
    if path:
        has_log = path.with_name(f"{path.name}-wal").exists()
        immutable = not has_log and not os.access(path.parent, os.W_OK, effective_ids=True)
        name = f"{path.as_uri()}{'?immutable=1' * immutable}"
    connection = sqlite3.connect(
        name,
        timeout=SERVER_TIMEOUT_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        uri=bool(path),
    )
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA query_only = ON")
        connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
    except BaseException:
        connection.close()
        raise
    return connection


def _connect_server(address: DatabaseAddress) -> Any:
    """Connect to a server so that an interrupt does not wait for its answer.

    By default psycopg asks the server to cancel the statement, which may hang as well; closing the
    connection ends the open transaction.
    """
    try:
        import psycopg  # optional, and needed only here
    except ModuleNotFoundError:
        advice = format_install_command("postgresql")
        raise UserError(f"{address.shown}: PostgreSQL needs psycopg: {advice}") from None

    class InterruptibleConnection(psycopg.Connection[Any]):
        """A connection that an interrupt closes."""

        def wait(self, gen: Any, interval: float = WAIT_SECONDS, *more: Any, **named: Any) -> Any:
            try:
                return psycopg.waiting.wait(gen, self.pgconn.socket, interval, *more, **named)
            except KeyboardInterrupt:
                self.pgconn.finish()
                raise

    settings: dict[str, Any] = {"connect_timeout": SERVER_TIMEOUT_SECONDS}
    settings |= psycopg.conninfo.conninfo_to_dict(address.url)
    settings["client_encoding"] = "utf8"
    return InterruptibleConnection.connect(autocommit=True, **settings)


def _interrupt_behind(problem: BaseException) -> KeyboardInterrupt | None:
    """Return the interrupt that closed the connection, if it caused this exception."""
    behind: BaseException | None = problem
    while behind and not isinstance(behind, KeyboardInterrupt):
        behind = behind.__context__
    return behind if isinstance(behind, KeyboardInterrupt) else None
