"""`arena hill run`: bots come in while it plays, whatever is killed; all ends with its keeper."""

from __future__ import annotations

import json
import shutil
import signal
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from arena_hill.archive import pack
from tests.support.command import Cli
from tests.support.hill.hill_folders import MATCH, await_, bot
from tests.support.hill.kills import BUSY, Toll, examine_hill, kill_processes
from tests.support.hill.running_hill import PARTS, RunningHill
from tests.support.programs import list_command_lines

SEVERAL = 3  # kills, one of each part; `python -m tests.support.hill.kills 100` does more


def rows(hill: RunningHill) -> dict[str, Any]:
    status, body = hill.get("/api/v1/hills/hill/standings")
    assert status == 200, body
    return {load["name"]: load for load in json.loads(body)["standings"]}


def test_a_hill_takes_bots_whatever_is_killed(tmp_path: Path, mark: str, cli: Cli) -> None:
    """Web, judge and coordinator are killed while bots are sent: each comes in, once, and plays.

    All of it is copied in a backup, and begins again there. By an interrupt or by force, all ends
    with who holds it: no process is left.
    """
    hill, toll = RunningHill.create(tmp_path / "hill", BUSY, mark), Toll(SEVERAL)
    with hill.run():
        kill_processes(hill, toll, tmp_path, Random(5))
        copied = cli("hill", "backup", hill.home / "hill.toml", tmp_path / "copy")
        assert copied.returncode == 0, copied.stderr
        assert {"hill.db", "hill.hill.db", "hill.toml"} <= {*copied.stdout.splitlines()}
        figures = hill.get("/metrics")[1].decode()
        accepted = f'arena_submissions{{hill="hill",state="accepted"}} {len(toll.sent):.1f}'
        assert accepted in figures
    await_(lambda: not list_command_lines(mark))
    examine_hill(hill, toll, tmp_path / "calm")
    assert toll.sent
    assert (toll.lost, toll.duplicates, toll.wrong_versions, toll.differing) == ([], [], [], [])
    assert toll.compared
    assert toll.matches >= 4
    shutil.rmtree(hill.home)
    again, first = RunningHill(tmp_path / "copy", hill.port, mark), toll.found[-1]
    with again.run(signal.SIGKILL):
        assert rows(again)[first.bot]["matches"] >= 4
        key = again.create_author_key(first.author_name)
        old = again.submit(key, first.bot, pack(tmp_path / "sent-0" / first.bot))
        assert old[0] == 200, "it is in already"
        new = pack(bot(tmp_path / "new", first.bot, f"{MATCH}# new\n"))
        assert again.submit(key, first.bot, new)[0] == 202
        again.wait_until(
            lambda: Counter(entry.name for entry in again.list_entries())[first.bot] == 2
        )
        assert all(again.find_process(part) for part in PARTS)
    await_(lambda: not list_command_lines(mark))
