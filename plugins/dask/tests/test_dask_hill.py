"""A hill on many machines: strangers' bots are contained there, too, and workers come and go."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.rules import UserError
from arena.sandbox import AUTO, find_sandbox
from arena.tournament.file import load
from arena.tournament.monitor import Monitor
from arena.tournament.run import run
from arena.tournament.store import Store
from arena_hill.archive import pack
from tests.support.command import mark
from tests.support.dask_cluster import LocalCluster
from tests.support.hill.hill_folders import MATCH, bot
from tests.support.hill.running_hill import HILL, RunningHill
from tests.support.programs import environment
from tests.support.requirements import require_sandbox

__all__ = ["mark"]

UNTRUSTED = """
game = "gops"
check = false
matches = 2
executor = "EXECUTOR"
[options]
cards = 3
[[entrant]]
bot = "match"
[[entrant]]
bot = "mine"
untrusted = true
"""
BARE = """
import arena_dask.workers
arena_dask.workers.find_obstacle = lambda tier: "nothing is installed here"
from distributed.cli.dask_worker import main
main()
"""
"""A worker on a machine on which nothing contains programs."""


@pytest.fixture
def machines(mark: str, tmp_path: Path) -> Iterator[LocalCluster]:
    with LocalCluster(tmp_path, environment(mark)) as machines:
        yield machines


def named(machines: LocalCluster) -> str:
    return f"dask:address={machines.dask.address}"


def held(folder: Path, machines: LocalCluster) -> Path:
    """Write a tournament with an untrusted bot, and hold it; return its file."""
    bot(folder)
    file = folder / "tournament.toml"
    file.write_text(UNTRUSTED.replace("EXECUTOR", named(machines)))
    run(load(file), Monitor())
    return file


def tiers(file: Path) -> set[str | None]:
    with Store.open(file.with_suffix(".db"), write=False) as store:
        seats = [seat for match in store.find_matches() for seat in match["seats"]]
    return {seat["sandbox"] for seat in seats if seat["name"] in ("mine", "late")}


def test_untrusted_bots_are_contained_by_workers(machines: LocalCluster, tmp_path: Path) -> None:
    """By the sandbox that holds at the coordinator, which each worker has proven.

    One that contains nothing is refused in a line, before any stranger's program has begun there.
    """
    require_sandbox()
    machines.add()
    found = find_sandbox(AUTO)
    assert found
    assert tiers(held(tmp_path / "here", machines)) == {found.tier}
    machines.add(1, "-c", BARE)
    with pytest.raises(UserError, match=r"sandbox '\w+' does not work there: nothing is installed"):
        held(tmp_path / "there", machines)
    with Store.open(tmp_path / "there" / "tournament.db", write=False) as store:
        assert store.count_matches().stored == 0


@pytest.mark.release  # test_dask_workers has workers that come and go, and bots that come late
def test_a_hill_whose_workers_come_and_go(
    machines: LocalCluster, tmp_path: Path, mark: str
) -> None:
    """One is killed and one joins late: whoever is sent plays its share, contained."""
    require_sandbox()
    machines.add()
    where = f'executor = "{named(machines)}"\n[options]'
    hill = RunningHill.create(tmp_path / "hill", HILL.replace("[options]", where, 1), mark)
    with hill.run():
        key = hill.create_author_key("ann")
        hill.submit(key, "mine", pack(bot(tmp_path / "one", "mine")))
        hill.wait_until(lambda: plays(hill, "mine"))
        machines.add()
        machines.workers[0].kill()
        hill.submit(key, "late", pack(bot(tmp_path / "two", "late", f"{MATCH}# {os.getpid()}\n")))
        hill.wait_until(lambda: plays(hill, "late") and plays(hill, "mine"))
    assert None not in tiers(hill.home / "hill.toml")


def plays(hill: RunningHill, name: str) -> bool:
    with Store.open(hill.home / "hill.db", write=False) as store:
        tallies = store.count_totals()
    return any(entry.startswith(f"{name}@") and tallies[entry].matches >= 4 for entry in tallies)
