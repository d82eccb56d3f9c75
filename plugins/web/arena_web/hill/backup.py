"""A copy of a hill while it runs: its databases by SQLite's own backup, and the folder beside them.

The order matters. The tournament's database is first: it may then be older than the register, and
the coordinator carries out again what it lacks. The other way round, numbers of orders that it has
carried out would be given away anew.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from arena.rules import UserError
from arena.tournament import TournamentSpec
from arena_web.hill.places import copies_of, register_path, uploads_of

PAGES = 1000  # of a database that are copied at a time, so that who writes waits for a moment only


def back_up(spec: TournamentSpec, file: Path, out: Path) -> Iterator[str]:
    """Copy a hill into a new folder; return a line for each thing that was copied, or was not.

    Raises:
        UserError: where there is something already.
    """
    try:
        out.mkdir(parents=True)
    except FileExistsError:
        raise UserError(f"{out} is there already: a backup goes into a folder of its own") from None
    except OSError as problem:
        raise UserError(f"{out} cannot be made: {problem.strerror}") from None
    for address in (spec.database, str(register_path(spec))):
        if "://" in address:
            yield "a database on a server is not copied: use pg_dump, the tournament's first"
        else:
            _copy(Path(address), out / Path(address).name)
            yield Path(address).name
    shutil.copy2(file, out / file.name)
    yield file.name
    for folder in (uploads_of(spec), copies_of(spec)):
        if folder.is_dir():
            there = out / folder.parent.name / folder.name
            shutil.copytree(folder, there, symlinks=True, ignore=shutil.ignore_patterns(".*"))
            yield f"{folder.parent.name}/{folder.name}/"


def _copy(database: Path, to: Path) -> None:
    """Copy a database as it is at one moment, whoever writes to it meanwhile."""
    source = sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)
    with closing(source), closing(sqlite3.connect(to)) as target:
        source.backup(target, pages=PAGES)
