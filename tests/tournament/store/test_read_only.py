"""Tournaments that lie where whoever looks at them may write nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.support.command import ARENA
from tests.support.programs import TIMEOUT
from tests.support.sandboxes.unprivileged import READS, build_user_prefix
from tests.support.tournaments.stored_matches import build_deals, build_result, create_tournament


def list_unprivileged(database: Path) -> list[str]:
    """Return the matches that a user without write access finds, who is not root."""
    asked = subprocess.run(
        [*build_user_prefix(*READS), ARENA, "matches", database, "--json"],
        check=False, capture_output=True, text=True, timeout=TIMEOUT,
    )  # fmt: skip
    assert (asked.returncode, asked.stderr) == (0, "")
    return asked.stdout.splitlines()


def test_a_tournament_is_read_where_nothing_can_be_written() -> None:
    """A tournament can be read during a run and afterwards, and no file appears beside it."""
    with TemporaryDirectory() as place:  # through pytest's folders nobody else may go
        folder = Path(place)
        database = folder / "some #1?.db"  # what would mean something in an address
        with create_tournament(database, build_deals(2)) as store:
            store.matches.record(build_result(0))
            for file in folder.iterdir():
                file.chmod(0o644)  # its owner lets others read it
            folder.chmod(0o555)
            assert len(list_unprivileged(database)) == 1
            folder.chmod(0o755)
        there = {*folder.iterdir()}
        assert there == {database, Path(f"{database}-lock")}
        folder.chmod(0o555)
        assert len(list_unprivileged(database)) == 1
        assert {*folder.iterdir()} == there
        folder.chmod(0o755)
