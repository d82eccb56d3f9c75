"""`arena hill archive`: matches of versions that left long ago move to a file."""

from __future__ import annotations

import json
import signal
import subprocess
import zlib
from collections.abc import Sequence
from pathlib import Path
from zipfile import ZipFile

import pytest

from arena.rules import StorageError
from arena.tournament import Summary, Tournament
from arena.tournament.entries import State
from arena.tournament.results.departed import LEAST_COUNTED
from arena.tournament.store import Store, StoredSettings
from arena_hill.hill import Hill
from arena_hill.old_matches import archive_matches
from arena_hill.start_conditions import hold_hill
from tests.support.command import ARENA, Cli
from tests.support.tournaments.long_hills import create_long_hill

VERSIONS, PLACES = 230, 5
ARCHIVED = VERSIONS - PLACES - LEAST_COUNTED
TEXT = b"{}\n"
HILL = """
game = "kuhn"
format = "king-of-the-hill"
[hill]
size = 5
share = 20
"""


@pytest.fixture
def hill(tmp_path: Path) -> Path:
    """Return the file of a hill that has been open for long."""
    file = tmp_path / "hill.toml"
    file.write_text(HILL)
    spec = Tournament.load(file).spec
    create_long_hill(
        Path(spec.database), VERSIONS, PLACES, StoredSettings.of(spec), zlib.compress(TEXT)
    )
    return file


def list_keys(database: Path) -> set[str]:
    """Return the keys of all matches that have results in a database."""
    with Store.open(database, write=False) as store:
        return {match.match for match in store.matches.find_matches()}


def load_standings(database: Path) -> list[tuple[str, float]]:
    """Return the rating of each entrant that is present."""
    with Store.open(database, write=False) as store:
        return [(row.name, row.rating.value) for row in Summary.of(store).present]


def test_old_matches_are_moved_to_a_file(hill: Path, cli: Cli) -> None:
    """Ratings stay as they are, nothing is played again, and other programs read the file."""
    database, out = hill.with_name("hill.db"), hill.with_name("old.zip")
    before, keys, size = load_standings(database), list_keys(database), database.stat().st_size
    pretended = cli("hill", "archive", hill, out, "--dry-run", "--json")
    figures = json.loads(pretended.stdout)
    assert not out.exists()
    assert list_keys(database) == keys
    done = cli("hill", "archive", hill, out, "--json")
    assert json.loads(done.stdout) == {**figures, "dry_run": False}
    assert figures["versions"] == ARCHIVED
    assert figures["matches"] == figures["transcripts"] > 20 * (ARCHIVED - 1)
    assert load_standings(database) == before
    assert database.stat().st_size < size
    left = list_keys(database)
    with ZipFile(out) as packed:
        rows = [json.loads(line) for line in packed.read("results.jsonl").splitlines()]
        names = {*packed.namelist()}
        packed.extract("results.jsonl", hill.parent)
    moved = {row["match"] for row in rows}
    assert moved | left == keys
    assert not moved & left
    assert names == {"results.jsonl", *(f"transcripts/{key}.jsonl" for key in moved)}
    assert out.stat().st_mode & 0o777 == 0o600
    with Store.open(database, write=False) as store:
        assert [*store.deals.list_todo()] == []
        states = [entry.state for entry in store.entries.list_all()]
        assert states.count(State.ARCHIVED) == ARCHIVED
        assert len(Summary.of(store).standings) == VERSIONS - ARCHIVED
    assert cli("standings", hill.with_name("results.jsonl"), "--json").returncode == 0
    again = cli("hill", "archive", hill, hill.with_name("more.zip"))
    assert again.stdout.startswith("archived: 0 versions, 0 matches")


def test_what_cannot_be_archived_changes_nothing(hill: Path, cli: Cli) -> None:
    """A running hill, a file that is there, a missing folder and matches that are too new change nothing."""
    database = hill.with_name("hill.db")
    keys = list_keys(database)
    with hold_hill(Hill.load(hill)):
        assert "stop that one first" in cli("hill", "archive", hill, "old.zip").stderr
    assert "already exists" in cli("hill", "archive", hill, hill).stderr
    assert "cannot be written" in cli("hill", "archive", hill, hill / "old.zip").stderr
    assert cli("hill", "archive", hill, "old.zip", "--days", "36500").stdout.startswith(
        "archived: 0 versions"
    )
    assert list_keys(database) == keys


@pytest.mark.parametrize("options", [(), ("--dry-run",)])
def test_a_hill_that_never_ran_has_nothing_to_archive(
    tmp_path: Path, cli: Cli, options: Sequence[str]
) -> None:
    """The command says that there is no database, and creates none."""
    (tmp_path / "hill.toml").write_text(HILL)
    answer = cli("hill", "archive", tmp_path / "hill.toml", tmp_path / "old.zip", *options)
    assert "hill.db: no such file" in answer.stderr
    assert not (tmp_path / "hill.db").exists()


def test_a_kill_while_archiving_costs_no_match(hill: Path) -> None:
    """The file is whole as soon as it is there, and a match that is no longer in the database is in it."""
    database, out = hill.with_name("hill.db"), hill.with_name("old.zip")
    keys = list_keys(database)
    with subprocess.Popen([ARENA, "hill", "archive", hill, out]) as archiving:
        while not out.exists():
            assert archiving.poll() is None
        archiving.send_signal(signal.SIGKILL)
    with ZipFile(out) as packed:
        assert packed.testzip() is None
        rows = [json.loads(line) for line in packed.read("results.jsonl").splitlines()]
    left = list_keys(database)
    assert {row["match"] for row in rows} | left == keys
    assert len(left) in {len(keys), len(keys) - len({row["match"] for row in rows})}


def test_a_database_that_cannot_be_made_smaller_does_not_hide_what_was_done(
    hill: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Matches that were moved are said to be moved, and are moved only once."""

    def fail(_: Store) -> None:
        raise StorageError("no space left on device")

    monkeypatch.setattr(Store, "shrink", fail)
    loaded, out = Hill.load(hill), hill.with_name("old.zip")
    with pytest.raises(StorageError, match=r"archived in .*old\.zip, but .* no space left"):
        archive_matches(loaded, out, 0.0, pretend=False)
    assert ZipFile(out).testzip() is None
    assert not archive_matches(loaded, hill.with_name("more.zip"), 0.0, pretend=False).versions
