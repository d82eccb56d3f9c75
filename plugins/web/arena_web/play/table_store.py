"""What a server keeps of games with persons: in one SQLite file, or in memory.

A running table is its setup and the answers so far, ask by ask, from which the host plays it on. A
finished one is its result and its transcript. Which of them are a visitor's is known by the
browsers that have opened its seats: each has a ticket, a random text in its cookie, which is signed
with a key that is kept here, too.

What cannot be written is not kept, and the match goes on.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial, wraps
from pathlib import Path
from secrets import token_bytes
from threading import RLock
from time import time
from typing import Any, Concatenate, ParamSpec, TypeVar

from attrs import define, field, frozen

from arena import UserError
from arena.tournament.store.database import LOCK_SUFFIX, FileIdentities
from arena.wires import lock_open_file, open_private
from arena_web.http.log_throttle import LogThrottle
from arena_web.http.rate_limits import compute_share, find_networks

P = ParamSpec("P")
T = TypeVar("T")

FORMAT = 1
KEPT_DAYS = 30
"""The days for which a table is kept after its last answer, unless the host says otherwise."""
MAX_TABLES = 10_000
MAX_TABLES_PER_ADDRESS = 1_000  # behind which a course may sit
MAX_BYTES = 1_000_000_000  # of the file
MAX_TRANSCRIPT_BYTES = 100_000  # of one, compressed; what is longer is not kept
MAX_ANSWER_BYTES = 1_000_000  # of a running match, some 13,000 answers: from there it is played on
MAX_BROWSERS_PER_SEAT = 8  # that have it in their list; the next takes the place of the first
PAGE_BYTES = 4096
KEY_BYTES = 32  # of chance in the key with which tickets are signed
LOCK_SECONDS = 1.0  # seconds that a backup gets to let go of the file
DAY = 86_400  # seconds

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
) WITHOUT ROWID;
"""
# What belongs to a table is put beside a row that is there: where the table could not be kept,
# nothing of it is, and a full disk is told of once, by its own error.
PUT_SEAT = """
INSERT INTO seats VALUES (?, ?, ?, 0) ON CONFLICT (secret) DO UPDATE SET person = excluded.person
"""
PUT_STANDING = "INSERT OR REPLACE INTO standing SELECT secret, ? FROM seats WHERE secret = ?"
PUT_BROWSER = "INSERT OR IGNORE INTO browsers SELECT ?, secret FROM seats WHERE secret = ?"
TRIM_BROWSERS = """
DELETE FROM browsers WHERE secret = ? AND rowid NOT IN
(SELECT rowid FROM browsers WHERE secret = ? ORDER BY rowid DESC LIMIT ?)
"""
FIND_TABLE = "SELECT key, address, opened, changed, setup, result FROM tables WHERE key = ?"
FIND_SEATS = """
SELECT secret, hints, COALESCE(label, '') FROM seats LEFT JOIN standing USING (secret)
WHERE "table" = ? ORDER BY person
"""
DELETE_UNLISTED = """
DELETE FROM tables WHERE key = ? AND NOT EXISTS
(SELECT * FROM browsers JOIN seats USING (secret) WHERE "table" = key)
"""


@frozen
class KeptSeat:
    """A person's seat of a table that is kept."""

    secret: str
    hints: int = 0  #: how many the person took
    standing: str = ""  #: the label of the answer that is given unasked, if there is one


@frozen
class StoredTable:
    """A table that is kept."""

    key: str
    address: str  #: from where it was set up
    opened: float  #: seconds since 1970
    changed: float  #: the same, of its last answer
    setup: Mapping[str, Any]  #: what `TableSetup.pack` made of it
    result: Mapping[str, Any] | None  #: once the match is over
    seats: Sequence[KeptSeat]  #: of the persons, in the order of the setup

    @property
    def secrets(self) -> list[str]:
        """The secrets of the persons, in the order of the setup."""
        return [seat.secret for seat in self.seats]

    @property
    def is_waiting(self) -> bool:
        """Whether its people still wait for each other: nothing is dealt, or friends may come."""
        return self.setup["seed"] is None or bool(self.setup.get("invites"))


@frozen
class OwnGame:
    """A game in a visitor's list: a table at which the visitor has a seat."""

    key: str  #: of the table
    opened: float  #: seconds since 1970
    changed: float  #: the same, of the last answer
    setup: Mapping[str, Any]  #: what `TableSetup.pack` made of it
    result: Mapping[str, Any] | None  #: once the match is over
    secret: str  #: of the visitor's seat
    person: int  #: the number of the visitor among the persons at the table
    hints: int  #: how many the visitor took


def get_store_path(server: int | str) -> Path:
    """Return the file in which a server keeps its tables, by its port (0: any) or its name."""
    home = os.path.expanduser("~")  # noqa: PTH111  # where there is no home, it fails later
    state = os.environ.get("XDG_STATE_HOME") or f"{home}/.local/state"
    return Path(state) / "arena" / f"tables-{server}.db"


def transaction(
    change: Callable[Concatenate[TableStore, P], T],
) -> Callable[Concatenate[TableStore, P], T | None]:
    """Have a method of the store write all that it writes, or nothing."""

    @wraps(change)
    def write(store: TableStore, /, *args: P.args, **kwargs: P.kwargs) -> T | None:
        return store.write(partial(change, store, *args, **kwargs))

    return write


@define(eq=False)
class TableStore:
    """Keeps tables; safe in any thread. Without a path it keeps them as long as the server runs."""

    path: Path | None = None
    days: float = KEPT_DAYS
    most: int = MAX_TABLES
    each: int = MAX_TABLES_PER_ADDRESS
    _held: int | None = field(init=False, default=None)
    _connection: sqlite3.Connection = field(init=False)
    _files: FileIdentities = field(init=False, factory=FileIdentities)
    _lock: RLock = field(init=False, factory=RLock)
    _log: LogThrottle = field(init=False, factory=LogThrottle)

    def __attrs_post_init__(self) -> None:
        """Open the file, or raise UserError."""
        self._connection = self._open()
        self.prune()

    @classmethod
    def open(cls, path: Path, days: float) -> TableStore:
        """Open a file; keep tables in memory where `days` is 0 or another server has the file."""
        if not days:
            return cls()
        try:
            return cls(path, days)
        except _TakenError:
            return cls()

    @property
    def retention(self) -> str:
        """How long a table is kept, in words."""
        if self.path is None:
            return "until the server ends"
        return f"for {self.days:g} day{'' if self.days == 1 else 's'} after the last answer"

    def close(self) -> None:
        """Close the file, for another server."""
        self._connection.close()
        if self._held is not None:
            os.close(self._held)

    @transaction
    def prune(self) -> None:
        """Delete the tables that were kept for long enough."""
        self._delete_expired()

    @transaction
    def add(self, key: str, address: str, setup: Mapping[str, Any], secrets: Sequence[str]) -> None:
        """Keep a new table; an older one may have to go."""
        now = time()
        self._delete_expired()
        self._make_room(address)
        self._connection.execute(
            "INSERT INTO tables VALUES (?, ?, ?, ?, ?, NULL, NULL)",
            (key, address, now, now, json.dumps(setup)),
        )
        self._put_seats(key, secrets)

    @transaction
    def replace(self, key: str, setup: Mapping[str, Any], secrets: Sequence[str]) -> None:
        """Keep other people at a table, or its deal, by the secrets of the people's seats."""
        change = "UPDATE tables SET setup = ? WHERE key = ?"
        if self._connection.execute(change, (json.dumps(setup), key)).rowcount:
            self._connection.execute(
                'DELETE FROM seats WHERE "table" = ?'
                " AND secret NOT IN (SELECT value FROM json_each(?))",
                (key, json.dumps(secrets)),
            )
            self._put_seats(key, secrets)

    def _put_seats(self, key: str, secrets: Sequence[str]) -> None:
        for person, secret in enumerate(secrets):
            self._connection.execute(PUT_SEAT, (secret, key, person))

    @transaction
    def add_ask(self, key: str, number: int, lines: Sequence[str]) -> bool:
        """Keep how an ask was answered, by the lines of the transcript, unless that is known.

        Behind one that could not be kept nothing is kept: the match is played on from there.

        Returns:
            Whether the ask is kept.
        """
        ((asks,),) = self._read('SELECT count(*) FROM asks WHERE "table" = ?', (key,))
        change = "UPDATE tables SET changed = ? WHERE key = ?"
        if number < asks:
            return True
        if number > asks or not self._connection.execute(change, (time(), key)).rowcount:
            return False
        put = "INSERT INTO asks VALUES (?, ?, ?)"
        self._connection.execute(put, (key, number, "".join(lines)))
        return True

    @transaction
    def finish(self, key: str, result: Mapping[str, Any], transcript: str) -> None:
        """Keep the result and the transcript in place of the answers."""
        packed: bytes | None = zlib.compress(transcript.encode())
        if packed and len(packed) > MAX_TRANSCRIPT_BYTES:
            packed = None
        self._connection.execute(
            "UPDATE tables SET changed = ?, result = ?, transcript = ? WHERE key = ?",
            (time(), json.dumps(result), packed, key),
        )
        self._connection.execute('DELETE FROM asks WHERE "table" = ?', (key,))

    @transaction
    def count_hint(self, secret: str) -> None:
        """Count one more hint that a person took."""
        self._connection.execute("UPDATE seats SET hints = hints + 1 WHERE secret = ?", (secret,))

    @transaction
    def set_standing(self, secret: str, label: str) -> None:
        """Keep the label of the answer that a person gives unasked; empty where there is none."""
        self._connection.execute(PUT_STANDING, (label, secret))

    @transaction
    def add_browser(self, secret: str, ticket: str) -> None:
        """Put a seat into the list of a browser."""
        self._connection.execute(PUT_BROWSER, (ticket, secret))
        self._connection.execute(TRIM_BROWSERS, (secret, secret, MAX_BROWSERS_PER_SEAT))

    def find_own_seat(self, key: str, ticket: str) -> str:
        """Return the secret of the seat that a browser has at a table, or nothing."""
        query = (
            'SELECT secret FROM browsers JOIN seats USING (secret) WHERE "table" = ? AND ticket = ?'
        )
        return next((secret for (secret,) in self._read(query, (key, ticket))), "")

    def read_signing_key(self) -> bytes:
        """Return the key with which the tickets of browsers are signed."""
        ((key,),) = self._read("SELECT key FROM signing", ())
        return bytes(key)

    def find_ticket(self, secret: str) -> str:
        """Return the ticket of the first browser that has a seat in its list, or nothing."""
        query = "SELECT ticket FROM browsers WHERE secret = ? ORDER BY rowid LIMIT 1"
        return next((ticket for (ticket,) in self._read(query, (secret,))), "")

    def find(self, key: str) -> StoredTable | None:
        """Return a table by its key."""
        with self._lock:  # both are of one state
            rows, seats = self._read(FIND_TABLE, (key,)), self._read(FIND_SEATS, (key,))
        if not rows:
            return None
        ((key, address, opened, changed, setup, result),) = rows
        return StoredTable(
            key, address, opened, changed, json.loads(setup), result and json.loads(result),
            [KeptSeat(*seat) for seat in seats],
        )  # fmt: skip

    def find_by_secret(self, secret: str) -> StoredTable | None:
        """Return a table by the secret of one of its seats."""
        rows = self._read('SELECT "table" FROM seats WHERE secret = ?', (secret,))
        return self.find(rows[0][0]) if rows else None

    def list_asks(self, key: str) -> list[list[str]]:
        """Return the lines of the asks that were answered so far."""
        rows = self._read('SELECT lines FROM asks WHERE "table" = ? ORDER BY number', (key,))
        return [lines.removesuffix("\n").split("\n") for (lines,) in rows]

    def read_transcript(self, key: str) -> str:
        """Return the transcript of a finished match; empty where there is none."""
        rows = self._read("SELECT transcript FROM tables WHERE key = ?", (key,))
        return zlib.decompress(rows[0][0]).decode() if rows and rows[0][0] else ""

    def list_games(self, ticket: str) -> list[OwnGame]:
        """Return the games of a browser, the latest first."""
        rows = self._read(
            "SELECT key, opened, changed, setup, result, secret, person, hints FROM browsers"
            ' JOIN seats USING (secret) JOIN tables ON key = "table"'
            " WHERE ticket = ? ORDER BY changed DESC",
            (ticket,),
        )
        return [
            OwnGame(key, opened, changed, json.loads(setup), result and json.loads(result), *seat)
            for key, opened, changed, setup, result, *seat in rows
        ]

    def list_daily_tables(self, day: str, game: str) -> list[StoredTable]:
        """Return the tables at which this deal of a day was played to its end."""
        rows = self._read(
            "SELECT key FROM tables WHERE result IS NOT NULL AND json_extract(setup, '$.daily') = ?"
            " AND json_extract(setup, '$.game') = ?",
            (day, game),
        )
        return [table for (key,) in rows if (table := self.find(key))]

    @transaction
    def delete_games(self, ticket: str, key: str | None = None) -> None:
        """Delete a finished game of a browser, or (None) all of them.

        A table goes for good once no other browser has it in its list.
        """
        for game in self.list_games(ticket):
            if game.result and key in (None, game.key):
                delete = "DELETE FROM browsers WHERE ticket = ? AND secret = ?"
                self._connection.execute(delete, (ticket, game.secret))
                self._connection.execute(DELETE_UNLISTED, (game.key,))

    def _delete_expired(self) -> None:
        oldest = time() - DAY * self.days
        self._connection.execute("DELETE FROM tables WHERE changed < ?", (oldest,))

    def _make_room(self, address: str) -> None:
        """Delete the oldest table of a visitor who has a full share, or the oldest of all."""
        count = "SELECT address, COUNT(*) FROM tables GROUP BY address"
        counts = Counter(dict(self._read(count, ())))
        each = compute_share(self.most - counts.total(), self.each)
        for network, share in find_networks(address).items() if address else ():
            mine = [other for other in counts if network in find_networks(other)]
            if sum(counts[other] for other in mine) >= each * share:
                self._delete_oldest(mine)
                return
        if counts.total() >= self.most:
            self._delete_oldest(counts)

    def _delete_oldest(self, addresses: Collection[str]) -> None:
        """Delete the oldest of these tables, a finished one rather than a running one."""
        tables = "SELECT key, address FROM tables ORDER BY result IS NULL, changed"
        rows = self._read(tables, ())
        key = next(key for key, address in rows if address in addresses)
        self._connection.execute("DELETE FROM tables WHERE key = ?", (key,))

    def write(self, change: Callable[[], T]) -> T | None:
        """Return the result of a change, of which all is kept, or nothing.

        What cannot be written is only logged, and the result is None.
        """
        try:
            self._files.check()
            with self._lock, self._connection:  # which commits, or rolls back
                self._connection.execute("BEGIN IMMEDIATE")
                return change()
        except (sqlite3.Error, UserError) as problem:
            self._log.say(f"{self.path}: games of visitors are not kept: {problem}")
            return None

    def _read(self, query: str, values: Sequence[Any]) -> list[Any]:
        with self._lock:
            return self._connection.execute(query, values).fetchall()

    def _open(self) -> sqlite3.Connection:
        try:
            if self.path:
                self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._hold(self.path.with_name(self.path.name + LOCK_SUFFIX))
                os.close(open_private(self.path, os.O_CREAT | os.O_RDWR))
            connection = sqlite3.connect(
                self.path or ":memory:",
                timeout=LOCK_SECONDS,
                isolation_level=None,
                check_same_thread=False,
            )
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            if self.path:
                self._files = FileIdentities.of_writer(self.path)
        except (OSError, sqlite3.Error) as problem:
            why = getattr(problem, "strerror", None) or problem
            raise UserError(f"{self.path}: {why}; --keep-games 0 keeps no games") from None
        return connection

    def _hold(self, beside: Path) -> None:
        """Keep other servers out, but no backup; raise _TakenError."""
        self._held = open_private(beside, os.O_CREAT | os.O_RDWR)
        try:
            lock_open_file(self._held)
        except BlockingIOError:
            os.close(self._held)
            raise _TakenError(f"{self.path}: another server keeps its tables there") from None

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")  # loses no more than a power cut can
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA max_page_count = {MAX_BYTES // PAGE_BYTES}")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version not in (0, FORMAT):
            raise UserError(
                f"{self.path}: written by another version of arena-web (format {version}; this one"
                f" has {FORMAT}); move it away"
            )
        connection.executescript(f"{TABLES}PRAGMA user_version = {FORMAT};")
        if connection.execute("SELECT key FROM signing").fetchone() is None:
            connection.execute("INSERT INTO signing VALUES (?)", (token_bytes(KEY_BYTES),))


class _TakenError(UserError):
    """Another server has the file."""
