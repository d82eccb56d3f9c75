"""What a server keeps of games with persons: in one SQLite file, or in memory.

What cannot be written is not kept, and the match goes on; but a visitor who deletes games is told
where that fails.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from secrets import token_bytes
from time import time

from arena import UserError
from arena.rules import StorageError
from arena.tournament.store.connection import DatabaseAddress
from arena.tournament.store.database import BusyDatabaseError, Database, Schema
from arena_web.http.log_throttle import LogThrottle
from arena_web.play.store.browser_lists import BrowserLists
from arena_web.play.store.retention import DEFAULT_RETENTION, Retention
from arena_web.play.store.table_records import TableRecords

MAX_BYTES = 1_000_000_000  # of the file
PAGE_BYTES = 4096
KEY_BYTES = 32  # of chance in the key with which tickets are signed
LOCK_SECONDS = 1.0  # seconds that a backup gets to let go of the file
ADVICE = "--keep-games 0 keeps no games"

TABLES = """
CREATE TABLE IF NOT EXISTS tables (
    key TEXT PRIMARY KEY, address TEXT NOT NULL, opened REAL NOT NULL, changed REAL NOT NULL,
    setup TEXT NOT NULL, result TEXT, transcript BLOB
);
CREATE INDEX IF NOT EXISTS by_change ON tables (changed);
CREATE TABLE IF NOT EXISTS seats (
    secret TEXT PRIMARY KEY, "table" TEXT NOT NULL REFERENCES tables ON DELETE CASCADE,
    person INTEGER NOT NULL, hints INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS by_table ON seats ("table");
CREATE TABLE IF NOT EXISTS standing (
    secret TEXT PRIMARY KEY REFERENCES seats ON DELETE CASCADE, label TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS browsers (
    ticket TEXT NOT NULL, secret TEXT NOT NULL REFERENCES seats ON DELETE CASCADE,
    PRIMARY KEY (ticket, secret)
);
CREATE INDEX IF NOT EXISTS by_seat ON browsers (secret);
CREATE TABLE IF NOT EXISTS signing (key BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS asks (
    "table" TEXT NOT NULL REFERENCES tables ON DELETE CASCADE, number INTEGER NOT NULL,
    lines TEXT NOT NULL, PRIMARY KEY ("table", number)
) WITHOUT ROWID
"""


def get_store_path(server: int | str) -> Path:
    """Return the file in which a server keeps its tables, by its port (0: any) or its name."""
    home = os.path.expanduser("~")  # noqa: PTH111  # where there is no home, it fails later
    state = os.environ.get("XDG_STATE_HOME") or f"{home}/.local/state"
    return Path(state) / "arena" / f"tables-{server}.db"


class TableStore(Database):
    """Keeps tables. Without a path it keeps them as long as the server runs."""

    schema = Schema(
        "games of visitors", {"tables-1": TABLES}, frozenset({"tables", "seats"}), adopts=True
    )

    def __init__(
        self,
        path: Path | None = None,
        retention: Retention = DEFAULT_RETENTION,
        *,
        clock: Callable[[], float] = time,
    ) -> None:
        """Open the file, or raise UserError; `clock` returns the seconds since 1970.

        What is not kept is said in `log`, which the server that shows the tables has to flush.
        """
        self.path, self.retention, self.log = path, retention, LogThrottle()
        self.tables = TableRecords(self, self.log, clock, retention)
        self.browsers = BrowserLists(self, self.log)
        try:
            if path:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            address = DatabaseAddress.of(path) if path else DatabaseAddress("memory")
            super().__init__(address, write=True)
            self.bring_up_to_date(create=True, claim=True)
            self._prepare()
            self.tables.prune()
        except OSError as problem:
            raise UserError(f"{path}: {problem.strerror}; {ADVICE}") from None
        except StorageError as problem:
            raise UserError(f"{problem}; {ADVICE}") from None

    def _prepare(self) -> None:
        connection = self.connection
        with self.close_on_error(), self.address.translate_errors():
            connection.execute(f"PRAGMA busy_timeout = {LOCK_SECONDS * 1000:.0f}")
            connection.execute("PRAGMA synchronous = NORMAL")  # loses no more than a power cut can
            connection.execute(f"PRAGMA max_page_count = {MAX_BYTES // PAGE_BYTES}")
            with self.begin_write():
                if connection.read_row("SELECT key FROM signing") is None:
                    connection.execute("INSERT INTO signing VALUES (?)", (token_bytes(KEY_BYTES),))

    @classmethod
    def open(cls, path: Path, days: float) -> TableStore:
        """Open a file; keep tables in memory where `days` is 0 or another server has the file."""
        if not days:
            return cls()
        try:
            return cls(path, Retention(days))
        except BusyDatabaseError:
            return cls()

    def describe_retention(self) -> str:
        """Return the time for which a table is kept, in words."""
        if self.path is None:
            return "until the server ends"
        days = self.retention.days
        return f"for {days:g} day{'' if days == 1 else 's'} after the last answer"

    def read_signing_key(self) -> bytes:
        """Return the key by which tickets of browsers are signed, and deals of a day are drawn."""
        with self.begin_read() as connection:
            return bytes(connection.read_value("SELECT key FROM signing"))
