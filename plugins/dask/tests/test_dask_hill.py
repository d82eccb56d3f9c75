"""A hill on many machines: strangers' bots are contained there, too, and workers come and go."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.tournament.store import Store
from arena_hill.bot_archive import pack_bot
from tests.support.command import mark
from tests.support.dask_cluster import LocalCluster
from tests.support.hill.hill_folders import MATCH, bot
from tests.support.hill.running_hill import HILL, RunningHill
from tests.support.programs import environment
from tests.support.requirements import require_sandbox

__all__ = ["mark"]


@pytest.fixture
def machines(mark: str, tmp_path: Path) -> Iterator[LocalCluster]:
    with LocalCluster(tmp_path, environment(mark)) as machines:
        yield machines


def named(machines: LocalCluster) -> str:
    return f"dask:address={machines.dask.address}"


def tiers(file: Path) -> set[str | None]:
    with Store.open(file.with_suffix(".db"), write=False) as store:
        seats = [seat for match in store.matches.find_matches() for seat in match.seats]
    return {seat.sandbox for seat in seats if seat.name in ("mine", "late")}


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
        hill.submit(key, "mine", pack_bot(bot(tmp_path / "one", "mine")))
        hill.wait_until(lambda: plays(hill, "mine"))
        machines.add()
        machines.workers[0].kill()
        hill.submit(
            key, "late", pack_bot(bot(tmp_path / "two", "late", f"{MATCH}# {os.getpid()}\n"))
        )
        hill.wait_until(lambda: plays(hill, "late") and plays(hill, "mine"))
    assert None not in tiers(hill.home / "hill.toml")


def plays(hill: RunningHill, name: str) -> bool:
    with Store.open(hill.home / "hill.db", write=False) as store:
        tallies = store.seats.count_totals()
    return any(entry.startswith(f"{name}@") and tallies[entry].matches >= 4 for entry in tallies)
