"""The tables of a hill's database as they are after all revisions, which a file shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from arena.tournament.store.connection import DatabaseAddress
from arena_hill.db import schema
from arena_hill.db.transactions import HillTransactions
from tests.support.refresh import explain_refresh, is_refreshing

PAGE = Path(schema.__file__).with_suffix(".sql")
HEAD = "-- The tables of a hill as SQLite has them after all revisions; a test writes this file."


def write_tables(database: Path) -> Iterator[str]:
    """Yield the statements that would create a database as it is now, a column on each line."""
    with HillTransactions.open(DatabaseAddress.of(database)).begin_read() as snapshot:
        statements = snapshot.connection.read_column(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
        )
    for statement in statements:
        plain = re.sub(r'"(\w+)"', r"\1", statement)  # as SQLite quotes what was renamed
        columns = re.sub(r"NULL, (\w+)", r"NULL,\n    \1", plain)  # those that were added later
        yield f"{columns};\n"


def test_the_present_tables_are_shown(tmp_path: Path) -> None:
    """The file beside the revisions shows the tables to which they lead."""
    text = "\n".join([f"{HEAD}\n", *write_tables(tmp_path / "hill.db")])
    if is_refreshing():
        PAGE.write_text(text)
    assert PAGE.read_text() == text, explain_refresh(__file__)
