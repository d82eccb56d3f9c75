"""A host that is killed at any moment loses nothing, counts nothing twice, leaves nobody behind.

Two controls keep results as one might at first, are killed in the same way, and are found to
have lost or miscounted something: so the tests can fail.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from arena.records import parse
from tests.tournament.kills import ARENA, keys_in, killed, tournament

PARTS = 2  # tests, which may run side by side
KILLS = 8  # in each
MATCHES = 60  # so many that none is over before it was killed so often

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


def keys(line: str) -> str:
    """Return the key of a match that a run has acknowledged."""
    key: str = json.loads(line)["match"]
    return key


def standings(folder: Path) -> str:
    """Return a tournament's standings."""
    command = [ARENA, "standings", "tournament.toml", "--json"]
    return subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout


def results(folder: Path) -> list[object]:
    """Return what every match of a tournament came to, except for what was measured."""
    command = [ARENA, "export", "tournament.toml", "--format", "jsonl"]
    done = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
    rows = map(json.loads, done.stdout.splitlines())
    return [{**row, "when": None, "seconds": None} for row in rows]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the tournament that was run without a kill."""
    folder = tmp_path_factory.mktemp("whole")
    subprocess.run(tournament(folder, MATCHES), cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.mark.parametrize("part", range(PARTS))
def test_a_tournament_that_is_killed_loses_nothing(part: int, tmp_path: Path, whole: Path) -> None:
    """What was acknowledged is kept, once and whole; the end is that of a run without a kill."""
    toll = killed(tournament(tmp_path, MATCHES), tmp_path, KILLS, Random(part))
    assert toll.kills == KILLS
    assert toll.left == []
    said = [keys(line) for line in toll.acknowledged]
    kept = keys_in(tmp_path)
    assert len({*said}) == len(said)
    assert {*said} <= {*kept}
    subprocess.run(
        tournament(tmp_path, MATCHES), cwd=tmp_path, check=True, stdout=subprocess.DEVNULL
    )
    assert results(tmp_path) == results(whole)
    assert standings(tmp_path) == standings(whole)
    _see_transcripts(tmp_path)


def _see_transcripts(folder: Path) -> None:
    """See that every match has a transcript that is whole."""
    from arena.tournament.store import Store

    with Store.open(folder / "tournament.db", write=False) as store:
        for key in keys_in(folder):
            deal, rotation = map(int, key.split("."))
            kept = store.transcript(deal, rotation)
            assert kept
            assert "outcome" in parse(kept.decode().splitlines()).lines[-1].value


def test_a_file_that_is_rewritten_loses_results(tmp_path: Path) -> None:
    """The first control: whoever keeps results so will lose them."""
    wrong = 0
    for attempt in range(20):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        toll = killed([sys.executable, "-c", CONTROL_FILE], folder, 1, Random(attempt))
        wrong += not _file_holds(folder / "results.json", [*map(int, toll.acknowledged)])
    assert wrong


def _file_holds(path: Path, acknowledged: list[int]) -> bool:
    if not path.exists():
        return not acknowledged
    try:
        kept = json.loads(path.read_text())
    except ValueError:
        return False
    return {*acknowledged} <= {*kept}


def test_a_tally_in_a_second_transaction_goes_wrong(tmp_path: Path) -> None:
    """The second control: the tally and the matches do not agree for long."""
    toll = killed([sys.executable, "-c", CONTROL_TALLY], tmp_path, 40, Random(1))
    assert toll.kills == 40
    database = sqlite3.connect(tmp_path / "tally.db")
    (played,) = database.execute("SELECT played FROM tally").fetchone()
    (matches,) = database.execute("SELECT count(*) FROM matches").fetchone()
    database.close()
    assert played != matches
