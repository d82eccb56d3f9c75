"""A file of a later version is refused with one line, and stays as it is; docs/reference/stability.md lists them."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from arena import UserError
from arena.host import play_match
from arena.plugins import get_plugins
from arena.records import UnreadableTranscriptError, read_transcript
from arena.testing.golden import read_case, write_playthroughs
from arena.tournament.insights.tally_store import TallyStore
from arena.tournament.results.bot_strengths import parse_bot_strengths
from arena.tournament.results.result_files import load_summary
from arena.tournament.store import Store, StoredSettings
from arena.tournament.store.connection import DatabaseAddress
from arena_hill.db.store import HillStore
from arena_llm.record import MatchRecord
from arena_tune.match_store import MatchStore
from arena_web.play.store.table_store import TableStore
from arena_web.site.replay_index import INDEX, read_index

pytestmark = pytest.mark.slow
LATER = "9999"
LATER_SCHEMA = f"UPDATE alembic_version SET version_num = '{LATER}'"


def execute(path: Path, statement: str) -> None:
    """Execute a statement in an SQLite database."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def replace(path: Path, old: str, new: str) -> None:
    """Replace the first text of a file."""
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def write_transcript(folder: Path) -> Path:
    """Write the header of a transcript."""
    path = folder / "match.jsonl"
    path.write_text(f'{{"format":{LATER},"game":"kuhn"}}\n')
    return path


def write_results(folder: Path) -> Path:
    """Write a line of results, as `arena match --json` prints it."""
    path = folder / "results.jsonl"
    path.write_text(
        json.dumps({**play_match("kuhn", ["random", "careful"]).pack(), "format": 9999})
    )
    return path


def write_strengths(folder: Path) -> Path:
    """Write strengths of bots, such as a game ships."""
    path = folder / "strengths.json"
    stored = get_plugins().find_game("kuhn").presentation.strengths
    assert stored
    path.write_text(stored.read_text("utf-8"))
    replace(path, '"format": 1', f'"format": {LATER}')
    return path


def write_playthrough(folder: Path) -> Path:
    """Write a golden playthrough."""
    (path,) = write_playthroughs(get_plugins().find_game("kuhn"), folder, {})
    replace(path, "format: 1", f"format: {LATER}")
    return path


def write_tournament(folder: Path) -> Path:
    """Write the database of a tournament."""
    path = folder / "cup.db"
    Store.create(path, StoredSettings(), "").close()
    execute(path, LATER_SCHEMA)
    return path


def write_hill(folder: Path) -> Path:
    """Write the database of a hill."""
    path = folder / "hill.db"
    HillStore.open(DatabaseAddress.of(path))
    execute(path, LATER_SCHEMA)
    return path


def write_tuning(folder: Path) -> Path:
    """Write the database of a run of the tuner."""
    path = folder / "tune.db"
    MatchStore.open(str(path), write=True).close()
    execute(path, LATER_SCHEMA)
    return path


def write_tables(folder: Path) -> Path:
    """Write the database of the tables on the pages."""
    path = folder / "tables.db"
    TableStore.open(path, 1.0).close()
    execute(path, LATER_SCHEMA)
    return path


def write_site(folder: Path) -> Path:
    """Write the index of an exported site."""
    path = folder / INDEX
    path.write_text(json.dumps({"format": int(LATER)}))
    return path


def write_conversation(folder: Path) -> Path:
    """Write the record of a language model."""
    MatchRecord(folder, "seed", 0, {})
    (path,) = folder.iterdir()
    replace(path, '"format":1', f'"format":{LATER}')
    return path


CASES: dict[str, tuple[Callable[[Path], Path], Callable[[Path], object]]] = {
    "transcript": (write_transcript, read_transcript),
    "results": (write_results, load_summary),
    "strengths": (write_strengths, lambda path: parse_bot_strengths(path.read_text("utf-8"))),
    "playthrough": (write_playthrough, read_case),
    "tournament": (write_tournament, Store.open),
    "hill": (write_hill, lambda path: HillStore.open(DatabaseAddress.of(path))),
    "tuning": (write_tuning, lambda path: MatchStore.open(str(path), write=True)),
    "tables": (write_tables, lambda path: TableStore.open(path, 1.0)),
    "site": (write_site, lambda path: read_index(path.parent)),
    "conversation": (write_conversation, lambda path: MatchRecord(path.parent, "seed", 0, {})),
}
"""How each kind of file is written, and read. That of the solver is in its own tests."""


@pytest.mark.parametrize("name", CASES)
def test_a_file_of_a_later_version_is_refused(name: str, tmp_path: Path) -> None:
    """The line names the version of the file, and no byte of it changes."""
    write, read = CASES[name]
    path = write(tmp_path)
    before = path.read_bytes()
    with pytest.raises((UserError, UnreadableTranscriptError, ValueError)) as refusal:
        read(path)
    assert re.fullmatch(rf".*\b(format|schema) '?{LATER}'?.*", str(refusal.value))
    assert path.read_bytes() == before


def test_counts_of_a_later_version_are_left_alone(tmp_path: Path) -> None:
    """They can be counted again, so this happens in memory, and the file stays as it is."""
    path = tmp_path / "cup-insights"
    TallyStore.open(path, "mark").close()
    execute(path, LATER_SCHEMA)
    before = path.read_bytes()
    TallyStore.open(path, "mark").close()
    assert path.read_bytes() == before
