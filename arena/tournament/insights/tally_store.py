"""The file in which a tournament's playing styles are kept, beside its database.

Nothing in it is lost with it: it is counted anew from the transcripts. It names entrants by
their numbers in the database, never by what they are called. Who reads the tournament may write
it, also two processes at once: a deal is counted in the same transaction in which it is marked.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Iterable
from contextlib import closing
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self

from arena.tournament.insights.tallies import Tallies
from arena.wires import open_private

LOCK_TIMEOUT_SECONDS = 10
FRONTIER = "frontier"  # the setting that has the first deal that is not counted
MARK = "mark"  # the setting that says of which tournament, and of which statistics, it is
TABLES = """
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS counted (deal INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS matches (entrant INTEGER PRIMARY KEY, count INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS tallies (
    entrant INTEGER, key TEXT, x, y, count INTEGER NOT NULL, total REAL NOT NULL,
    PRIMARY KEY (entrant, key, x, y)
) WITHOUT ROWID;
"""
ADD = """
INSERT INTO tallies VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
SET count = count + excluded.count, total = total + excluded.total
"""
ADD_MATCHES = (
    "INSERT INTO matches VALUES (?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count"
)
SET = "INSERT INTO settings VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value"


class TallyStore:
    """Counts of observations in a file, or in memory where it cannot be written.

    `mark` says what they are counts of: what was counted of something else is forgotten.
    """

    def __init__(self, path: Path | None, mark: str) -> None:
        self._lock = Lock()  # several threads may use one
        self._connection = _connect(path)
        with self._connection as connection:
            connection.execute("BEGIN IMMEDIATE")
            if self._get(MARK) != mark:
                for table in ("settings", "counted", "matches", "tallies"):
                    connection.execute(f"DELETE FROM {table}")  # noqa: S608  # our own names
                connection.execute(SET, (MARK, mark))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: object, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @property
    def frontier(self) -> int:
        """The first deal that is not counted."""
        with self._lock:
            return self._get_frontier()

    def list_deals(self) -> set[int]:
        """Return the deals behind the frontier that are counted already."""
        with self._lock:
            return self._list_deals()

    def add(self, deals: Collection[int], matches: dict[int, int], tallies: Tallies) -> bool:
        """Count some deals; False, and nothing is counted, if another process has counted one."""
        with self._lock, self._connection as connection:
            connection.execute("BEGIN IMMEDIATE")
            frontier, known = self._get_frontier(), self._list_deals()
            if any(deal < frontier or deal in known for deal in deals):
                return False
            connection.executemany(ADD_MATCHES, matches.items())
            connection.executemany(ADD, ((*at, *counts) for at, counts in tallies.items()))
            connection.executemany("INSERT INTO counted VALUES (?)", ((deal,) for deal in deals))
            frontier = _advance(frontier, known | {*deals})
            connection.execute(SET, (FRONTIER, frontier))
            connection.execute("DELETE FROM counted WHERE deal < ?", (frontier,))
        return True

    def load(self, entrants: Iterable[int] | None = None) -> Tallies:
        """Return the counts of some entrants, or of all."""
        rows = "SELECT entrant, key, x, y, count, total FROM tallies"
        some = f"{rows} WHERE entrant = ?"
        with self._lock:
            ask = self._connection.execute
            if entrants is None:
                found = ask(rows).fetchall()
            else:
                found = [row for number in entrants for row in ask(some, (number,))]
        return {(at, key, x, y): (count, total) for at, key, x, y, count, total in found}

    def count_matches(self) -> dict[int, int]:
        """Return the number of counted matches of each entrant."""
        with self._lock:
            return dict(self._connection.execute("SELECT entrant, count FROM matches").fetchall())

    def _get_frontier(self) -> int:
        found = self._get(FRONTIER)
        return found if isinstance(found, int) else 0

    def _list_deals(self) -> set[int]:
        return {deal for (deal,) in self._connection.execute("SELECT deal FROM counted")}

    def _get(self, name: str) -> object:
        row = self._connection.execute("SELECT value FROM settings WHERE name = ?", (name,))
        return next((value for (value,) in row), None)


def _connect(path: Path | None) -> sqlite3.Connection:
    if path is not None and path.parent.is_dir():
        try:
            return _prepare(path)
        except (OSError, sqlite3.Error):  # it cannot be written, or is something else
            pass
    return _prepare(None)


def _advance(frontier: int, counted: Collection[int]) -> int:
    """Return the first deal from the frontier on that is not counted."""
    while frontier in counted:
        frontier += 1
    return frontier


def _prepare(path: Path | None) -> sqlite3.Connection:
    if path is not None:
        os.close(open_private(path, os.O_CREAT | os.O_RDWR))
    made = sqlite3.connect(
        path or ":memory:",
        timeout=LOCK_TIMEOUT_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        with closing(made.cursor()) as cursor:
            cursor.executescript(TABLES)
    except BaseException:
        made.close()
        raise
    return made
