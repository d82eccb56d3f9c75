"""The tables of a store: a running one is its setup and its answers, a finished one its result.

From the answers so far, ask by ask, the host plays a running one on. What is finished has its
transcript in place of them.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from attrs import frozen

from arena.tournament.store.connection import Connection
from arena_web.play.seat_secrets import Secret
from arena_web.play.store.retention import Retention
from arena_web.play.store.store_part import StorePart, transaction
from arena_web.play.store.stored_tables import StoredChair, StoredResult, StoredSetup, StoredTable
from arena_web.protocol.json_format import to_json

MAX_TRANSCRIPT_BYTES = 100_000  # of one, compressed; what is longer is not kept

# What belongs to a table is put beside a row that is there: where the table could not be kept,
# nothing of it is, and a full disk is told of once, by its own error.
PUT_SEAT = """
INSERT INTO seats VALUES (?, ?, ?, 0) ON CONFLICT (secret) DO UPDATE SET person = excluded.person
"""
PUT_STANDING = "INSERT OR REPLACE INTO standing SELECT secret, ? FROM seats WHERE secret = ?"
FIND_TABLES = """
SELECT key, address, opened, changed, setup, result, secret, hints, COALESCE(label, '')
FROM tables LEFT JOIN seats ON "table" = key LEFT JOIN standing USING (secret)
WHERE {} ORDER BY tables.rowid, person
"""


@frozen(eq=False)
class TableRecords(StorePart):
    """The records of tables, with their seats, their asks and their transcripts."""

    clock: Callable[[], float]  #: the seconds since 1970
    retention: Retention

    @transaction
    def prune(self, connection: Connection) -> None:
        """Delete the tables that were kept for long enough."""
        self.retention.delete_expired(connection, self.clock())

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
        now = self.clock()
        self.retention.delete_expired(connection, now)
        self.retention.make_room(connection, address)
        connection.execute(
            "INSERT INTO tables VALUES (?, ?, ?, ?, ?, NULL, NULL)",
            (key, address, now, now, json.dumps(to_json(setup))),
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
        if connection.execute(change, (json.dumps(to_json(setup)), key)).rowcount:
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
        if number > asks or not connection.execute(change, (self.clock(), key)).rowcount:
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
            (self.clock(), json.dumps(to_json(result)), packed, key),
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

    def find(self, key: str) -> StoredTable | None:
        """Return a table by its key."""
        return next(self._find_tables("key = ?", key), None)

    def find_by_secret(self, secret: Secret) -> StoredTable | None:
        """Return a table by the secret of one of its seats."""
        condition = 'key = (SELECT "table" FROM seats WHERE secret = ?)'
        return next(self._find_tables(condition, secret), None)

    def _find_tables(self, condition: str, *parameters: str) -> Iterator[StoredTable]:
        """Yield the tables of a condition, the oldest first.

        One statement reads them all, and what takes long is done behind it: meanwhile others write.
        """
        with self.database.begin_read() as connection:
            rows = connection.read_rows(FIND_TABLES.format(condition), parameters)
        for (key, address, opened, changed, setup, result), seats in groupby(
            rows, lambda row: row[:6]
        ):
            yield StoredTable(
                key,
                address,
                opened,
                changed,
                StoredSetup.read(json.loads(setup)),
                result and StoredResult.read(json.loads(result)),
                [StoredChair(*seat[6:]) for seat in seats if seat[6]],
            )

    def list_asks(self, key: str) -> list[list[str]]:
        """Return the lines of the asks that were answered so far."""
        query = 'SELECT lines FROM asks WHERE "table" = ? ORDER BY number'
        with self.database.begin_read() as connection:
            asks = connection.read_column(query, (key,))
        return [lines.removesuffix("\n").split("\n") for lines in asks]

    def read_transcript(self, key: str) -> str:
        """Return the transcript of a finished match; empty where there is none."""
        with self.database.begin_read() as connection:
            packed = connection.read_value("SELECT transcript FROM tables WHERE key = ?", (key,))
        return zlib.decompress(packed).decode() if packed else ""

    def list_daily(self, day: str, game: str) -> list[StoredTable]:
        """Return the tables at which this deal of a day was played to its end."""
        condition = (
            "result IS NOT NULL AND json_extract(setup, '$.daily') = ?"
            " AND json_extract(setup, '$.game') = ?"
        )
        return [*self._find_tables(condition, day, game)]

    def list_days(self) -> list[str]:
        """Return the days whose deals were played at a table to their end."""
        query = (
            "SELECT DISTINCT json_extract(setup, '$.daily') AS day FROM tables"
            " WHERE result IS NOT NULL AND day != ''"
        )
        with self.database.begin_read() as connection:
            return [str(day) for day in connection.read_column(query)]
