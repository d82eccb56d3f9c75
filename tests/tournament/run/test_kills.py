"""A host that is killed at any moment loses nothing, counts nothing twice, leaves nobody behind.

Two controls keep results as one might at first, are killed in the same way, and are found to
have lost or miscounted something: so the tests can fail.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from random import Random

from arena.records import parse_lines
from arena.tournament.file.reader import load
from arena.tournament.results.exported_results import build_rows
from arena.tournament.store import Store
from tests.support.tournaments.folders import run_tournament
from tests.support.tournaments.inline_workers import play_inline
from tests.support.tournaments.kills import (
    keys,
    list_match_keys,
    run_with_kills,
    standings,
    tournament,
)

KILLS = 2  # `python -m tests.support.tournaments.kills` does so two hundred times
SEED = 2  # first it is killed before it has said anything, then when it has
MATCHES = 16  # so many that it is not over before it was killed so often
ATTEMPTS = 40  # at most, until a control has gone wrong

CONTROL_FILE = """
import json, os
path = "results.json"
kept = json.load(open(path)) if os.path.exists(path) else []
for number in range(len(kept), 100_000):
    kept.append(number)
    with open(path, "w") as file:
        json.dump(kept, file)
        file.flush()
        os.fsync(file.fileno())
    print(number, flush=True)
"""
CONTROL_TALLY = """
import sqlite3
database = sqlite3.connect("tally.db", isolation_level=None)
database.execute("PRAGMA journal_mode = WAL")
database.execute("CREATE TABLE IF NOT EXISTS matches (number INTEGER PRIMARY KEY)")
database.execute("CREATE TABLE IF NOT EXISTS tally (played INTEGER)")
if not database.execute("SELECT * FROM tally").fetchall():
    database.execute("INSERT INTO tally VALUES (0)")
last = database.execute("SELECT max(number) FROM matches").fetchone()[0]
for number in range(0 if last is None else last + 1, 1_000_000):
    database.execute("INSERT INTO matches VALUES (?)", [number])
    database.execute("UPDATE tally SET played = played + 1")
    print(number, flush=True)
"""


def load_results(folder: Path) -> list[dict[str, object]]:
    """Return what every match of a tournament came to, except for what was measured."""
    with Store.open(folder / "tournament.db", write=False) as store:
        return [
            {**row, "when": None, "seconds": None}
            for row in build_rows(store.matches.find_matches())
        ]


def test_a_tournament_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    """Acknowledged results are stored once and whole, and the end is that of an undisturbed run."""
    folder, whole = tmp_path / "killed", tmp_path / "whole"
    folder.mkdir()
    whole.mkdir()
    toll = run_with_kills(tournament(folder, MATCHES), folder, KILLS, Random(SEED))
    assert toll.kills == KILLS
    assert toll.left == []
    acknowledged = [keys(line) for line in toll.acknowledged]
    kept = list_match_keys(folder)
    assert len({*acknowledged}) == len(acknowledged)
    assert {*acknowledged} <= {*kept}
    tournament(whole, MATCHES)
    for place in (folder, whole):
        file = place / "tournament.toml"
        file.write_text(file.read_text().replace("workers = 2", "workers = 1"))
        with play_inline():
            run_tournament(load(file))
    assert load_results(folder) == load_results(whole)
    assert standings(folder) == standings(whole)
    _see_transcripts(folder)


def _see_transcripts(folder: Path) -> None:
    """Check that every match has a whole transcript."""
    with Store.open(folder / "tournament.db", write=False) as store:
        for key in list_match_keys(folder):
            deal, rotation = map(int, key.split("."))
            kept = store.transcripts.load(deal, rotation)
            assert kept
            assert "outcome" in parse_lines(kept.decode().splitlines()).lines[-1].value


def test_a_file_that_is_rewritten_loses_results(tmp_path: Path) -> None:
    """A store that rewrites a file loses results, which shows that the test can fail."""

    def holds(attempt: int) -> bool:
        folder = tmp_path / str(attempt)
        folder.mkdir()
        toll = run_with_kills([sys.executable, "-c", CONTROL_FILE], folder, 1, Random(attempt))
        return _file_holds(folder / "results.json", [*map(int, toll.acknowledged)])

    assert not all(map(holds, range(ATTEMPTS)))


def _file_holds(path: Path, acknowledged: list[int]) -> bool:
    if not path.exists():
        return not acknowledged
    try:
        kept = json.loads(path.read_text())
    except ValueError:
        return False
    return {*acknowledged} <= {*kept}


def test_a_tally_in_a_second_transaction_goes_wrong(tmp_path: Path) -> None:
    """A tally in a second transaction soon disagrees with the matches, which shows that the test can fail."""

    def holds(attempt: int) -> bool:
        run_with_kills([sys.executable, "-c", CONTROL_TALLY], tmp_path, 1, Random(attempt))
        return _tally_holds(tmp_path / "tally.db")

    assert not all(map(holds, range(ATTEMPTS)))


def _tally_holds(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as database:
        try:
            (played,) = database.execute("SELECT played FROM tally").fetchone()
        except (sqlite3.OperationalError, TypeError):  # it was killed before there was one
            return True
        (matches,) = database.execute("SELECT count(*) FROM matches").fetchone()
    return bool(played == matches)
