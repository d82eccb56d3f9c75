"""Counts of what was observed in a tournament's matches, in a file beside its database.

Several processes may count at once: a deal is counted in the transaction in which it is marked. The
first deals are marked by one number, the frontier; those behind it one by one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self

from arena.plugins import Label
from arena.rules import UserError
from arena.tournament.ratings import DealSums
from arena.tournament.store.connection import Connection, DatabaseAddress
from arena.tournament.store.database import Database, Schema

TallyKey = tuple[int, str, Label, Label]
"""An entrant's number, the key of a statistic, and the labels on its axes."""

Tallies = dict[TallyKey, DealSums]
"""How many observations there were in how many deals, and what they come to."""

FRONTIER = "frontier"  # the setting that has the first deal that is not counted
MARK = "mark"  # the setting that says of which tournament, and of which statistics, it is
TABLES = """
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS counted (deal INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS matches (entrant INTEGER PRIMARY KEY, count INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS tallies (
    entrant INTEGER, key TEXT, x, y, count INTEGER NOT NULL, total REAL NOT NULL,
    PRIMARY KEY (entrant, key, x, y)
) WITHOUT ROWID
"""
COUNT_DEALS = f"""
DELETE FROM settings;
DELETE FROM counted;
DELETE FROM matches;
DROP TABLE tallies;
CREATE TABLE tallies (
    entrant INTEGER, key TEXT, x, y, {", ".join(DealSums._fields)},
    PRIMARY KEY (entrant, key, x, y)
) WITHOUT ROWID
"""
"""Forgets what was counted by matches, to count it anew by deals."""
GET = "SELECT value FROM settings WHERE name = ?"
SET = "INSERT INTO settings VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
ADD_MATCHES = (
    "INSERT INTO matches VALUES (?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count"
)
ADD_TALLIES = f"""
INSERT INTO tallies VALUES (?, ?, ?, ?{", ?" * len(DealSums._fields)}) ON CONFLICT DO UPDATE
SET {", ".join(f"{name} = {name} + excluded.{name}" for name in DealSums._fields)}
"""


class TallyStore(Database):
    """Counts of observations in a file, or in memory where it cannot be written.

    What was counted of something else, by its mark, is forgotten.
    """

    schema = Schema(
        "counts",
        {"tallies-1": TABLES, "tallies-2": COUNT_DEALS},
        frozenset({"counted", "tallies"}),
        adopts=True,
    )
    is_shared = True

    @classmethod
    def open(cls, path: Path | None, mark: str) -> Self:
        """Open a file; `mark` says what it counts."""
        if path and path.parent.is_dir():
            with suppress(UserError):  # it cannot be written, or is something else
                return cls._open(DatabaseAddress.of(path), mark)
        return cls._open(DatabaseAddress("counts"), mark)

    @classmethod
    def _open(cls, address: DatabaseAddress, mark: str) -> Self:
        store = cls(address, write=True)
        store.bring_up_to_date(create=True)
        with store.close_on_error():
            store._set_mark(mark)
        return store

    def _set_mark(self, mark: str) -> None:
        with self.begin_write() as connection:
            if connection.read_value(GET, (MARK,)) != mark:
                for table in ("settings", "counted", "matches", "tallies"):
                    connection.execute(f"DELETE FROM {table}")
                connection.execute(SET, (MARK, mark))

    @property
    def frontier(self) -> int:
        """The first deal that is not counted."""
        with self.begin_read() as connection:
            return self._read_frontier(connection)

    @staticmethod
    def _read_frontier(connection: Connection) -> int:
        value = connection.read_value(GET, (FRONTIER,))
        return value if isinstance(value, int) else 0

    def list_deals(self) -> set[int]:
        """Return the deals behind the frontier that are counted already."""
        with self.begin_read() as connection:
            return {*connection.read_column("SELECT deal FROM counted")}

    def add(self, deals: Collection[int], matches: Mapping[int, int], tallies: Tallies) -> bool:
        """Count some deals; False, and nothing is counted, if another process has counted one."""
        with self.begin_write() as connection:
            frontier, numbers = self._read_frontier(connection), self.list_deals()
            if any(deal < frontier or deal in numbers for deal in deals):
                return False
            connection.execute_many(ADD_MATCHES, [*matches.items()])
            connection.execute_many(ADD_TALLIES, [(*at, *sums) for at, sums in tallies.items()])
            connection.execute_many("INSERT INTO counted VALUES (?)", [(deal,) for deal in deals])
            numbers |= {*deals}
            while frontier in numbers:
                frontier += 1
            connection.execute(SET, (FRONTIER, frontier))
            connection.execute("DELETE FROM counted WHERE deal < ?", (frontier,))
        return True

    def load(self, entrants: Iterable[int] | None = None) -> Tallies:
        """Return the counts of some entrants, or of all."""
        query = "SELECT * FROM tallies"
        with self.begin_read() as connection:
            if entrants is None:
                rows = connection.read_rows(query)
            else:
                query += " WHERE entrant = ?"
                rows = [
                    row for number in entrants for row in connection.read_rows(query, (number,))
                ]
        return {(at, key, x, y): DealSums(*sums) for at, key, x, y, *sums in rows}

    def count_matches(self) -> dict[int, int]:
        """Return the number of counted matches of each entrant."""
        with self.begin_read() as connection:
            return dict(connection.read_rows("SELECT entrant, count FROM matches"))
