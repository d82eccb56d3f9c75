"""Kills of a writer before each statement that it runs in an SQLite database.

What a kill leaves is what lies on the disk at that moment: a copy of all files of the database.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import pytest

from arena.tournament.store import connection

T = TypeVar("T")


def assert_nothing_is_half(
    database: Path,
    open_store: Callable[[Path], AbstractContextManager[T]],
    changes: Sequence[Callable[[T], object]],
) -> None:
    """See that a kill at any statement of each change leaves all of it, or nothing.

    A change that has returned is there whatever happens later. What is left by a kill while a new
    database is made can be opened.
    """
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        copies: list[Path] = []

        def copy(_: str) -> None:
            copies.append(Path(folder) / f"{len(copies)}")
            copies[-1].mkdir()
            copy_database(database, copies[-1])

        def open_traced(path: Path | None) -> sqlite3.Connection:
            opened = open_file(path)
            if path == database:
                opened.set_trace_callback(copy)
            return opened

        open_file = connection._open_file
        patch.setattr(connection, "_open_file", open_traced)
        with open_store(database) as store:
            for killed in copies:
                with open_store(killed / database.name):
                    pass
            before = read_all(database)
            for number, change in enumerate(changes):
                shutil.rmtree(folder)
                Path(folder).mkdir()
                copies.clear()
                change(store)
                left = [read_all(killed / database.name) for killed in copies]
                after = read_all(database)
                assert after != before, number
                assert left[0] == before, number
                assert all(state in (before, after) for state in left), number
                before = after


def copy_database(database: Path, folder: Path) -> None:
    """Copy all files of a database."""
    for file in database.parent.glob(f"{database.name}*"):
        if file.is_file():
            shutil.copy(file, folder)


def read_all(database: Path) -> list[str]:
    """Return all tables and rows of a database."""
    with TemporaryDirectory() as folder:  # to look at it changes it
        copy_database(database, Path(folder))
        with closing(sqlite3.connect(Path(folder) / database.name)) as copy:
            return [*copy.iterdump()]
