"""A hill on many machines: strangers' bots are contained there, too, and workers come and go."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.rules import UserError
from arena.sandbox import AUTO, sandbox
from arena.tournament import Store
from arena.tournament.file import load
from arena.tournament.opening import run
from arena.tournament.runner import Monitor
from arena_dask.machines import Machines
from arena_web.hill.archive import pack
from tests.conftest import mark
from tests.held_hill import HILL, HeldHill
from tests.hill import MATCH, bot
from tests.programs import environment
from tests.requirements import require_sandbox

__all__ = ["mark"]

UNTRUSTED = """
game = "gops"
check = false
matches = 4
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
import arena_dask.equipment
arena_dask.equipment.why_not = lambda tier: "nothing is installed here"
from distributed.cli.dask_worker import main
main()
"""
"""A worker on a machine on which nothing contains programs."""


@pytest.fixture
def machines(mark: str, tmp_path: Path) -> Iterator[Machines]:
    """Return a scheduler without workers yet."""
    with Machines(tmp_path, environment(mark)) as machines:
        yield machines


def named(machines: Machines) -> str:
    """Return what a tournament's file says."""
    return f"dask:address={machines.dask.address}"


def held(folder: Path, machines: Machines) -> Path:
    """Write a tournament with an untrusted bot, and hold it; return its file."""
    bot(folder)
    file = folder / "tournament.toml"
    file.write_text(UNTRUSTED.replace("EXECUTOR", named(machines)))
    run(load(file), Monitor())
    return file


def tiers(file: Path) -> set[str | None]:
    """Return what has held for the bots called mine, in all matches."""
    with Store.open(file.with_suffix(".db"), write=False) as store:
        seats = [one for match in store.matches() for one in match["seats"]]
    return {one["sandbox"] for one in seats if one["name"] in ("mine", "late")}


def test_untrusted_bots_are_contained_by_workers(machines: Machines, tmp_path: Path) -> None:
    """By the sandbox that holds at the coordinator, which each worker has proven.

    One that contains nothing is refused in a line, before any stranger's program has begun there.
    """
    require_sandbox()
    machines.add()
    found = sandbox(AUTO)
    assert found
    assert tiers(held(tmp_path / "here", machines)) == {found.tier}
    machines.add(1, "-c", BARE)
    with pytest.raises(UserError, match=r"sandbox '\w+' does not hold there: nothing is installed"):
        held(tmp_path / "there", machines)
    with Store.open(tmp_path / "there" / "tournament.db", write=False) as store:
        assert store.counts().stored == 0


def test_a_hill_whose_workers_come_and_go(machines: Machines, tmp_path: Path, mark: str) -> None:
    """One is killed and one joins late: whoever is sent plays its share, contained."""
    require_sandbox()
    machines.add()
    where = f'executor = "{named(machines)}"\n[options]'
    hill = HeldHill.made(tmp_path / "hill", HILL.replace("[options]", where, 1), mark)
    with hill.held():
        key = hill.author("ann")
        hill.send(key, "mine", pack(bot(tmp_path / "one", "mine")))
        hill.until(lambda: plays(hill, "mine"))
        machines.add()
        machines.workers[0].kill()
        hill.send(key, "late", pack(bot(tmp_path / "two", "late", f"{MATCH}# {os.getpid()}\n")))
        hill.until(lambda: plays(hill, "late") and plays(hill, "mine"))
    assert None not in tiers(hill.home / "hill.toml")


def plays(hill: HeldHill, name: str) -> bool:
    """Has a bot played its share?"""
    with Store.open(hill.home / "hill.db", write=False) as store:
        tallies = store.tallies()
    return any(one.startswith(f"{name}@") and tallies[one].matches >= 4 for one in tallies)
