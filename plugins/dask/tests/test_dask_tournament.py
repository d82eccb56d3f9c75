"""Tournaments on a cluster: two workers as processes, a program and bundled bots."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import uuid4

import pytest
from attrs import Factory, define

from arena.rules import UserError
from arena.tournament.config.spec import load
from arena.tournament.models.records import MatchResult
from arena.tournament.monitor import Monitor
from arena.tournament.run.coordinator import Ending
from arena.tournament.run.tournament_run import run
from arena_dask.testing import ClusterProcess, LocalCluster
from tests.support.programs import MARK, environment, list_command_lines

BOTS = Path(__file__).parents[3] / "examples" / "bots"
ARENA = str(Path(sys.executable).parent / "arena")
MATCHES = 21
TOURNAMENT = f"""
game = "gops"
seed = "cluster"
check = false
matches = {MATCHES}
executor = "EXECUTOR"
[[entrant]]
bot = "random"
[[entrant]]
bot = "match"
[[entrant]]
bot = "{BOTS / "gops-bash"}"
"""


@define
class Seeing(Monitor):
    """Takes down what is over; kills a machine when so much of it is."""

    seen: list[MatchResult] = Factory(list)
    victim: ClusterProcess | None = None

    def on_match(self, done: MatchResult) -> None:
        self.seen.append(done)
        if self.victim and len(self.seen) == MATCHES // 5:
            self.victim.kill()

    @property
    def results(self) -> Sequence[object]:
        """Return all that must not depend on where a match is played."""
        return sorted(
            (
                message.deal,
                message.rotation,
                message.seats,
                message.end,
                message.rounds,
                message.scores,
                message.places,
            )
            for message in self.seen
        )


def held(folder: Path, executor: str, victim: ClusterProcess | None = None) -> Seeing:
    """Hold the tournament."""
    folder.mkdir(exist_ok=True)
    file = folder / "tournament.toml"
    file.write_text(TOURNAMENT.replace("EXECUTOR", executor))
    monitor = Seeing(victim=victim)
    assert run(load(file), monitor) is Ending.PLAYED
    return monitor


@pytest.fixture
def here(tmp_path: Path) -> Seeing:
    """Return the tournament as it goes on this machine."""
    return held(tmp_path / "here", "local")


@pytest.fixture
def mark() -> Iterator[str]:
    """Return a mark for processes, of which none may be left."""
    mark = uuid4().hex
    yield mark
    assert list_command_lines(mark) == []


@pytest.fixture
def machines(mark: str, tmp_path: Path) -> Iterator[LocalCluster]:
    """Return a scheduler with two workers."""
    with LocalCluster(tmp_path, environment(mark)) as machines:
        machines.add(2)
        yield machines


def test_matches_are_those_of_the_local_executor(
    machines: LocalCluster, here: Seeing, tmp_path: Path
) -> None:
    """Where matches are played changes nothing about them, and workers keep nothing of them.

    A worker that is killed costs time: every match is over once, and comes out the same. A
    scheduler that goes away ends the run with a line; what was over then stays so.
    """
    executor = named(machines)
    assert held(tmp_path / "whole", executor).results == here.results
    assert [*tmp_path.glob("worker-*/**/arena-*")] == []
    assert held(tmp_path / "fewer", executor, machines.workers[0]).results == here.results
    with pytest.raises(UserError, match=r"^dask: no scheduler at tcp://[^\n]+$"):
        held(tmp_path / "part", f"{executor},timeout=2", machines.scheduler)
    after = held(tmp_path / "part", "local")
    assert 0 < len(after.seen) < MATCHES
    assert set(after.results) < set(here.results)


def test_nothing_of_dask_is_on_the_terminal(machines: LocalCluster, tmp_path: Path) -> None:
    """Whoever runs a tournament reads of the tournament alone, even where a worker is lost."""
    file = tmp_path / "tournament.toml"
    file.write_text(TOURNAMENT.replace("EXECUTOR", named(machines)))
    process = subprocess.Popen(
        [ARENA, "tournament", "run", file, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(machines.environment[MARK]),
        text=True,
    )
    assert process.stdout
    process.stdout.readline()
    machines.workers[0].kill()
    _, said = process.communicate()
    assert process.returncode == 0
    progress = rf"(\d+ of {MATCHES} matches, .*\n)*"  # where the machine is slow
    assert re.fullmatch(rf"{progress}{MATCHES} matches are over, \S+ a second\n", said)


def named(machines: LocalCluster) -> str:
    """Return the executor as a tournament's file names it."""
    return f"dask:address={machines.dask.address}"
