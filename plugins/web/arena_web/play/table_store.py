"""What a server keeps of games with persons: in one SQLite file, or in memory.

A running table is its setup and the answers so far, ask by ask, from which the host plays it on. A
finished one is its result and its transcript. Which of them are a visitor's is known by the
browsers that have opened its seats: each has a ticket, a random text in its cookie, which is signed
with a key that is kept here, too.

What cannot be written is not kept, and the match goes on; but a visitor who deletes games is told
where that fails.
"""

from __future__ import annotations

import json
import os
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import wraps
from pathlib import Path
from secrets import token_bytes
from time import time
from typing import Concatenate, ParamSpec

from attrs import frozen

from arena import UserError
from arena.rules import StorageError
from arena.tournament.store.connection import Connection, DatabaseAddress
from arena.tournament.store.database import BusyDatabaseError, Database, Schema
from arena_web.http.clients import compute_share, find_networks, iter_full_networks
from arena_web.http.log_throttle import LogThrottle
from arena_web.play.seat_secrets import Secret
from arena_web.play.stored_tables import StoredResult, StoredSetup

P = ParamSpec("P")

KEPT_DAYS = 30
"""The days for which a table is kept after its last answer, unless the host says otherwise."""
MAX_KEPT_TABLES = 10_000
MAX_KEPT_TABLES_PER_ADDRESS = 1_000  # behind which a course may sit
MAX_BYTES = 1_000_000_000  # of the file
MAX_TRANSCRIPT_BYTES = 100_000  # of one, compressed; what is longer is not kept
MAX_BROWSERS_PER_SEAT = 8  # that have it in their list; the next takes the place of the first
PAGE_BYTES = 4096
KEY_BYTES = 32  # of chance in the key with which tickets are signed
LOCK_SECONDS = 1.0  # seconds that a backup gets to let go of the file
DAY = 86_400  # seconds
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
class KeptChair:
    """A person's chair at a table that is kept."""

    secret: Secret
    hints: int = 0  #: how many the person took
    standing: str = ""  #: the label of the answer that is given unasked, if there is one


@frozen
class StoredTable:
    """A table that is kept."""

    key: str
    address: str  #: from where it was set up
    opened: float  #: seconds since 1970
    changed: float  #: seconds since 1970 at its last answer
    setup: StoredSetup
    result: StoredResult | None  #: once the match is over
    chairs: Sequence[KeptChair]  #: of the persons, in the order of the setup

    @property
    def secrets(self) -> list[Secret]:
        """The secrets of the persons, in the order of the setup."""
        return [chair.secret for chair in self.chairs]

    @property
    def is_waiting(self) -> bool:
        """Whether its people still wait for each other: nothing is dealt, or friends may come."""
        return self.setup.seed is None or self.setup.invites


@frozen
class OwnGame:
    """A game in a visitor's list: a table at which the visitor has a seat."""

    key: str  #: of the table
    opened: float  #: seconds since 1970
    changed: float  #: seconds since 1970 at the last answer
    setup: StoredSetup
    result: StoredResult | None  #: once the match is over
    secret: Secret  #: of the visitor's seat
    person: int  #: the number of the visitor among the persons at the table
    hints: int  #: how many the visitor took


def get_store_path(server: int | str) -> Path:
    """Return the file in which a server keeps its tables, by its port (0: any) or its name."""
    home = os.path.expanduser("~")  # noqa: PTH111  # where there is no home, it fails later
    state = os.environ.get("XDG_STATE_HOME") or f"{home}/.local/state"
    return Path(state) / "arena" / f"tables-{server}.db"


def transaction(
    change: Callable[Concatenate[TableStore, Connection, P], bool | None],
) -> Callable[Concatenate[TableStore, P], bool]:
    """Make a method of the store write all that it writes, or nothing; it returns whether it did.

    What cannot be written is only logged. A method may return False to say that it wrote nothing.
    """

    @wraps(change)
    def write(store: TableStore, /, *args: P.args, **kwargs: P.kwargs) -> bool:
        try:
            with store.begin_write() as connection:
                return change(store, connection, *args, **kwargs) is not False
        except UserError as problem:
            store.log.say(f"games of visitors are not kept: {problem}")
            return False

    return write


class TableStore(Database):
    """Keeps tables. Without a path it keeps them as long as the server runs."""

    schema = Schema(
        "games of visitors", {"tables-1": TABLES}, frozenset({"tables", "seats"}), adopts=True
    )

    def __init__(
        self,
        path: Path | None = None,
        days: float = KEPT_DAYS,
        *,
        most: int = MAX_KEPT_TABLES,
        each: int = MAX_KEPT_TABLES_PER_ADDRESS,
    ) -> None:
        """Open the file, or raise UserError."""
        self.path, self.days, self.most, self.each = path, days, most, each
        self.log = LogThrottle()
        try:
            if path:
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            address = DatabaseAddress.of(path) if path else DatabaseAddress("memory")
            super().__init__(address, write=True)
            self.bring_up_to_date(create=True, claim=True)
            self._prepare()
            self.prune()
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
            return cls(path, days)
        except BusyDatabaseError:
            return cls()

    @property
    def retention(self) -> str:
        """How long a table is kept, in words."""
        if self.path is None:
            return "until the server ends"
        return f"for {self.days:g} day{'' if self.days == 1 else 's'} after the last answer"

    @transaction
    def prune(self, connection: Connection) -> None:
        """Delete the tables that were kept for long enough."""
        self._delete_expired(connection)

    @transaction
    def add(
        self,
        connection: Connection,
        key: str,
        address: str,
        setup: StoredSetup,
        secrets: Sequence[Secret],
    ) -> None:
        """Keep a new table; an older one may have to go."""
        now = time()
        self._delete_expired(connection)
        self._make_room(connection, address)
        connection.execute(
            "INSERT INTO tables VALUES (?, ?, ?, ?, ?, NULL, NULL)",
            (key, address, now, now, setup.to_json()),
        )
        self._put_seats(connection, key, secrets)

    @transaction
    def replace(
        self,
        connection: Connection,
        key: str,
        setup: StoredSetup,
        secrets: Sequence[Secret],
    ) -> None:
        """Keep other people at a table, or its deal, by the secrets of the people's seats."""
        change = "UPDATE tables SET setup = ? WHERE key = ?"
        if connection.execute(change, (setup.to_json(), key)).rowcount:
            connection.execute(
                'DELETE FROM seats WHERE "table" = ?'
                " AND secret NOT IN (SELECT value FROM json_each(?))",
                (key, json.dumps(secrets)),
            )
            self._put_seats(connection, key, secrets)

    @staticmethod
    def _put_seats(connection: Connection, key: str, secrets: Sequence[Secret]) -> None:
        rows = [(secret, key, person) for person, secret in enumerate(secrets)]
        connection.execute_many(PUT_SEAT, rows)

    @transaction
    def add_ask(self, connection: Connection, key: str, number: int, lines: Sequence[str]) -> bool:
        """Keep how an ask was answered, by the lines of the transcript, unless that is known.

        Behind one that could not be kept nothing is kept: the match is played on from there.

        Returns:
            Whether the ask is kept.
        """
        asks = connection.read_value('SELECT COUNT(*) FROM asks WHERE "table" = ?', (key,))
        change = "UPDATE tables SET changed = ? WHERE key = ?"
        if number < asks:
            return True
        if number > asks or not connection.execute(change, (time(), key)).rowcount:
            return False
        put = "INSERT INTO asks VALUES (?, ?, ?)"
        connection.execute(put, (key, number, "".join(lines)))
        return True

    @transaction
    def finish(
        self, connection: Connection, key: str, result: StoredResult, transcript: str
    ) -> None:
        """Keep the result and the transcript in place of the answers."""
        packed: bytes | None = zlib.compress(transcript.encode())
        if packed and len(packed) > MAX_TRANSCRIPT_BYTES:
            packed = None
        connection.execute(
            "UPDATE tables SET changed = ?, result = ?, transcript = ? WHERE key = ?",
            (time(), result.to_json(), packed, key),
        )
        connection.execute('DELETE FROM asks WHERE "table" = ?', (key,))

    @transaction
    def count_hint(self, connection: Connection, secret: Secret) -> None:
        """Count one more hint that a person took."""
        connection.execute("UPDATE seats SET hints = hints + 1 WHERE secret = ?", (secret,))

    @transaction
    def set_standing(self, connection: Connection, secret: Secret, label: str) -> None:
        """Keep the label of the answer that a person gives unasked; empty where there is none."""
        connection.execute(PUT_STANDING, (label, secret))

    @transaction
    def add_browser(self, connection: Connection, secret: Secret, ticket: str) -> None:
        """Put a seat into the list of a browser."""
        connection.execute(PUT_BROWSER, (ticket, secret))
        connection.execute(TRIM_BROWSERS, (secret, secret, MAX_BROWSERS_PER_SEAT))

    def find_own_seat(self, key: str, ticket: str) -> Secret | None:
        """Return the secret of the seat that a browser has at a table, or None."""
        query = (
            'SELECT secret FROM browsers JOIN seats USING (secret) WHERE "table" = ? AND ticket = ?'
        )
        with self.begin_read() as connection:
            secret: Secret | None = connection.read_value(query, (key, ticket))
            return secret

    def read_signing_key(self) -> bytes:
        """Return the key with which the tickets of browsers are signed."""
        with self.begin_read() as connection:
            return bytes(connection.read_value("SELECT key FROM signing"))

    def find_ticket(self, secret: Secret) -> str:
        """Return the ticket of the first browser that has a seat in its list, or nothing."""
        query = "SELECT ticket FROM browsers WHERE secret = ? ORDER BY rowid LIMIT 1"
        with self.begin_read() as connection:
            return connection.read_value(query, (secret,)) or ""

    def find(self, key: str) -> StoredTable | None:
        """Return a table by its key."""
        with self.begin_read() as connection:
            row = connection.read_row(FIND_TABLE, (key,))
            chairs = connection.read_rows(FIND_SEATS, (key,))
        if row is None:
            return None
        key, address, opened, changed, setup, result = row
        return StoredTable(
            key,
            address,
            opened,
            changed,
            StoredSetup.from_json(setup),
            result and StoredResult.from_json(result),
            [KeptChair(*chair) for chair in chairs],
        )

    def find_by_secret(self, secret: Secret) -> StoredTable | None:
        """Return a table by the secret of one of its seats."""
        with self.begin_read() as connection:
            key = connection.read_value('SELECT "table" FROM seats WHERE secret = ?', (secret,))
            return None if key is None else self.find(key)

    def list_asks(self, key: str) -> list[list[str]]:
        """Return the lines of the asks that were answered so far."""
        query = 'SELECT lines FROM asks WHERE "table" = ? ORDER BY number'
        with self.begin_read() as connection:
            asks = connection.read_column(query, (key,))
        return [lines.removesuffix("\n").split("\n") for lines in asks]

    def read_transcript(self, key: str) -> str:
        """Return the transcript of a finished match; empty where there is none."""
        with self.begin_read() as connection:
            packed = connection.read_value("SELECT transcript FROM tables WHERE key = ?", (key,))
        return zlib.decompress(packed).decode() if packed else ""

    def list_games(self, ticket: str) -> list[OwnGame]:
        """Return the games of a browser, the latest first."""
        query = (
            "SELECT key, opened, changed, setup, result, secret, person, hints FROM browsers"
            ' JOIN seats USING (secret) JOIN tables ON key = "table"'
            " WHERE ticket = ? ORDER BY changed DESC"
        )
        with self.begin_read() as connection:
            rows = connection.read_rows(query, (ticket,))
        return [
            OwnGame(
                key,
                opened,
                changed,
                StoredSetup.from_json(setup),
                result and StoredResult.from_json(result),
                *seat,
            )
            for key, opened, changed, setup, result, *seat in rows
        ]

    def list_daily_tables(self, day: str, game: str) -> list[StoredTable]:
        """Return the tables at which this deal of a day was played to its end."""
        query = (
            "SELECT key FROM tables WHERE result IS NOT NULL AND json_extract(setup, '$.daily') = ?"
            " AND json_extract(setup, '$.game') = ?"
        )
        with self.begin_read() as connection:
            keys = connection.read_column(query, (day, game))
            return [table for key in keys if (table := self.find(key))]

    def delete_games(self, ticket: str, key: str | None = None) -> None:
        """Delete a finished game of a browser, or (None) all of them.

        A table goes for good once no other browser has it in its list.

        Raises:
            StorageError: where that cannot be written; then all of them are still there.
        """
        with self.begin_write() as connection:
            for game in self.list_games(ticket):
                if game.result and key in (None, game.key):
                    delete = "DELETE FROM browsers WHERE ticket = ? AND secret = ?"
                    connection.execute(delete, (ticket, game.secret))
                    connection.execute(DELETE_UNLISTED, (game.key,))

    def _delete_expired(self, connection: Connection) -> None:
        oldest = time() - DAY * self.days
        connection.execute("DELETE FROM tables WHERE changed < ?", (oldest,))

    def _make_room(self, connection: Connection, address: str) -> None:
        """Delete the oldest table of a visitor who has a full share, or the oldest of all."""
        count = "SELECT address, COUNT(*) FROM tables GROUP BY address"
        counts: Counter[str] = Counter(dict(connection.read_rows(count)))
        each = compute_share(self.most - counts.total(), self.each)

        def list_addresses(network: str) -> list[str]:
            return [other for other in counts if network in find_networks(other)]

        def count_tables(network: str) -> int:
            return sum(counts[other] for other in list_addresses(network))

        if address:
            for network in iter_full_networks(address, each, count_tables):
                self._delete_oldest(connection, list_addresses(network))
                return
        if counts.total() >= self.most:
            self._delete_oldest(connection, counts)

    @staticmethod
    def _delete_oldest(connection: Connection, addresses: Collection[str]) -> None:
        """Delete the oldest of these tables, a finished one rather than a running one."""
        tables = "SELECT key, address FROM tables ORDER BY result IS NULL, changed"
        rows = connection.read_rows(tables)
        key = next(key for key, address in rows if address in addresses)
        connection.execute("DELETE FROM tables WHERE key = ?", (key,))
