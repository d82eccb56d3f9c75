"""`arena hill run`: bots come in while it plays, whatever is killed; all ends with its keeper."""

from __future__ import annotations

import json
import shutil
import signal
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arena.tournament import State
from arena_hill.archives.archive import pack
from tests.support.command import Cli
from tests.support.hill.hill_folders import MATCH, await_, bot
from tests.support.hill.kills import run_with_kills
from tests.support.hill.running_hill import PARTS, RunningHill
from tests.support.programs import list_command_lines

SEVERAL = 3  # kills, one of each part; `python -m tests.support.hill.kills 100` does more


@pytest.fixture
def hill(tmp_path: Path, mark: str) -> RunningHill:
    """Return a hill that nobody holds yet."""
    return RunningHill.create(tmp_path / "hill", mark=mark)


def is_in(hill: RunningHill, name: str) -> bool:
    """Say whether a bot takes part."""
    return any(entry.name == name and entry.state is State.ACTIVE for entry in hill.list_entries())


def rows(hill: RunningHill) -> dict[str, Any]:
    """Return the rows of the standings by the bots' names."""
    status, body = hill.get("/api/v1/hills/hill/standings")
    assert status == 200, body
    return {load["name"]: load for load in json.loads(body)["standings"]}


def test_a_hill_takes_bots_while_it_plays(hill: RunningHill, tmp_path: Path, cli: Cli) -> None:
    """One comes in, plays its share, is copied in a backup, and all of it begins again there.

    By an interrupt or by force, all ends with who holds it: no process is left.
    """
    with hill.run():
        status, answer = hill.submit(
            hill.create_author_key("ann"), "mine", pack(bot(tmp_path, "mine"))
        )
        assert status == 202, answer
        hill.wait_until(lambda: is_in(hill, "mine"))
        hill.wait_until(lambda: rows(hill).get("mine", {}).get("matches", 0) >= 4)
        copied = cli("hill", "backup", hill.home / "hill.toml", tmp_path / "copy")
        assert copied.returncode == 0, copied.stderr
        assert {"hill.db", "hill.hill.db", "hill.toml"} <= {*copied.stdout.splitlines()}
        figures = hill.get("/metrics")[1].decode()
        assert 'arena_submissions{hill="hill",state="accepted"} 1.0' in figures
    await_(lambda: not list_command_lines(hill.mark))
    shutil.rmtree(hill.home)
    again = RunningHill(tmp_path / "copy", hill.port, hill.mark)
    with again.run(signal.SIGKILL):
        assert rows(again)["mine"]["matches"] >= 4
        key = again.create_author_key("ann")
        old = again.submit(key, "mine", pack(bot(tmp_path / "old", "mine")))
        assert old[0] == 200, "it is in already"
        status, _ = again.submit(key, "mine", pack(bot(tmp_path / "new", "mine", MATCH + "# 2\n")))
        assert status == 202
        again.wait_until(lambda: Counter(entry.name for entry in again.list_entries())["mine"] == 2)
        assert all(again.find_process(part) for part in PARTS)
    await_(lambda: not list_command_lines(hill.mark))


def test_what_is_killed_begins_again_and_nothing_is_lost(tmp_path: Path) -> None:
    """Web, judge and coordinator are killed while bots are sent: each comes in, once."""
    toll = run_with_kills(tmp_path, SEVERAL, Random(5))
    assert toll.sent
    assert (toll.lost, toll.duplicates, toll.wrong_versions, toll.differing) == ([], [], [], [])
    assert toll.compared
    assert toll.matches >= 4


def test_a_hill_that_cannot_begin_says_why(hill: RunningHill, cli: Cli) -> None:
    """Without [hill] it is none; a part that cannot begin ends all, and says why in one line."""
    file = hill.home / "hill.toml"
    (hill.home / "other.db").write_text("no database")
    text = file.read_text()
    file.write_text(text.partition("[hill]")[0] + '[[entrant]]\nbot = "match"\n')
    refused = cli("hill", "run", file)
    assert (refused.returncode, refused.stderr) == (
        2,
        "arena: hill.toml: not a hill (it has no table [hill])\n",
    )
    file.write_text(f'database = "other.db"\n{text}')
    hill.start()
    assert hill._process
    assert hill._process.wait(300) == 2
    assert "other.db" in (hill.home / "log").read_text()
