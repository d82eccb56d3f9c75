"""`arena hill run`: bots come in while it plays, whatever is killed; all ends with its keeper."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path
from random import Random

from arena.tournament import Summary
from arena.tournament.store import Store
from arena_hill.bot_archive import pack_bot
from arena_hill.hill_access import HillAccess
from tests.support.command import Cli
from tests.support.hill.hill_access import sign_in
from tests.support.hill.hill_folders import MATCH, await_, bot
from tests.support.hill.kills import BUSY, Toll, examine_hill, kill_processes
from tests.support.hill.running_hill import RunningHill
from tests.support.programs import list_command_lines

SEVERAL = 3  # kills, one of each part; `python -m tests.support.hill.kills 100` does more


def test_a_hill_takes_bots_whatever_is_killed(tmp_path: Path, mark: str, cli: Cli) -> None:
    """Web, judge and coordinator are killed while bots are sent: each comes in, once, and plays.

    All of it is copied in a backup. Where the keeper is killed, no process is left.
    """
    hill, toll = RunningHill.create(tmp_path / "hill", BUSY, mark), Toll(SEVERAL)
    with hill.run(signal.SIGKILL):
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
    check_backup(tmp_path / "copy", toll, tmp_path)


def test_a_hill_ends_when_its_database_is_replaced(tmp_path: Path, mark: str) -> None:
    """An older copy in its place costs no match: those since then are saved beside it."""
    hill = RunningHill.create(tmp_path / "hill", mark=mark)
    hill.start()
    hill.wait_until(lambda: hill.get("/healthz")[0] == 200)
    shutil.copy(hill.home / "hill.db", tmp_path / "copy.db")
    hill.wait_until(lambda: count_matches(hill.home / "hill.db"))
    (tmp_path / "copy.db").rename(hill.home / "hill.db")
    assert hill.wait() == 2
    (saved,) = hill.home.glob("hill.db.saved-*")
    assert count_matches(saved)
    log = (hill.home / "log").read_text()
    assert f"what the run had stored is saved in {saved.name}" in log
    assert "Traceback" not in log
    assert not list_command_lines(mark)


def count_matches(database: Path) -> int:
    with Store.open(database, write=False) as store:
        return store.progress.count_matches().stored


def check_backup(copy: Path, toll: Toll, folder: Path) -> None:
    """See that a hill in a backup knows its bots and their matches, and takes new ones."""
    again, first = HillAccess.open(copy / "hill.toml"), toll.found[-1]
    with Store.open(again.hill.spec.database, write=False) as store:
        standings = {standing.name: standing for standing in Summary.of(store).standings}
    assert standings[first.bot.name].matches >= 4
    author = sign_in(again.store, first.author_name)
    old = again.intake.submit(author, first.bot.name, pack_bot(folder / "sent-0" / first.bot.name))
    assert (old.submission.id, old.is_new) == (first.id, False), "it is in already"
    assert again.intake.submit(
        author, first.bot.name, pack_bot(bot(folder / "new", first.bot.name, f"{MATCH}# new\n"))
    ).is_new
