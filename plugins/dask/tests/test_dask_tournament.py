"""Tournaments on a cluster: two workers as processes, a program and bundled bots."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import uuid4

import pytest
from attrs import define
from distributed import Client

from arena.rules import UserError
from arena.tournament.file.reader import load
from arena.tournament.match_record import MatchRecord
from arena.tournament.run.coordinator import Ending
from arena.tournament.run.monitor import Monitor
from arena.tournament.run.tournament_run import run
from arena.tournament.store import Store
from arena_dask import Dask, dask_executor
from tests.support.command import start_arena
from tests.support.dask_cluster import ClusterProcess, LocalCluster
from tests.support.hill.bots import SHELL
from tests.support.hill.hill_folders import bot
from tests.support.programs import MARK, TIMEOUT, environment, list_command_lines
from tests.support.tournaments.inline_workers import play_inline

MATCHES = 21
LOCAL = '"local"\nworkers = 1'
TOURNAMENT = f"""
game = "gops"
seed = "cluster"
check = false
matches = {MATCHES}
executor = EXECUTOR
[options]
cards = 3
[[entrant]]
bot = "random"
[[entrant]]
bot = "match"
[[entrant]]
bot = "bash"
"""


@define
class Killing(Monitor):
    """Kills a machine when a fifth of the matches are over; nobody waits for it to come back."""

    victim: ClusterProcess
    patch: pytest.MonkeyPatch
    over: int = 0

    def on_match(self, done: MatchRecord) -> None:
        self.over += 1
        if self.over == MATCHES // 5:
            self.victim.kill()
            wait = dask_executor._wait_for_scheduler
            self.patch.setattr(
                dask_executor, "_wait_for_scheduler", lambda address, _: wait(address, 0.1)
            )


def written(folder: Path, executor: str) -> Path:
    """Write the tournament's file, unless it is there, for another executor; return it."""
    folder.mkdir(exist_ok=True)
    if not (folder / "bash").exists():
        home = bot(folder, "bash", command="bash bot.sh")
        (home / "bot.sh").write_text(SHELL)
    file = folder / "tournament.toml"
    file.write_text(TOURNAMENT.replace("EXECUTOR", executor))
    return file


def held(folder: Path, executor: str) -> Sequence[object]:
    with play_inline():
        assert run(load(written(folder, executor)), Monitor()) is Ending.PLAYED
    return results(folder)


def results(folder: Path) -> Sequence[object]:
    """Return all that must not depend on where a match is played."""
    with Store.open(folder / "tournament.db", write=False) as store:
        return sorted(
            (
                match.match,
                match.end,
                match.rounds,
                [(seat.name, seat.score, seat.place) for seat in match.seats],
            )
            for match in store.matches.find_matches()
        )


@pytest.fixture
def mark() -> Iterator[str]:
    mark = uuid4().hex
    yield mark
    assert list_command_lines(mark) == []


@pytest.fixture
def machines(mark: str, tmp_path: Path) -> Iterator[LocalCluster]:
    with LocalCluster(tmp_path, environment(mark)) as machines:
        yield machines


def test_matches_are_those_of_the_local_executor(
    machines: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where matches are played changes nothing about them, and workers keep nothing of them.

    A scheduler without workers is refused, with the command that starts one.
    A worker that is killed costs time: every match is over once, and comes out the same; whoever
    runs the tournament reads of it alone, and nothing of Dask. A scheduler that goes away ends the
    run with a line; what was over then stays so.
    """
    see_no_workers(machines)
    machines.add(2)
    executor, here = named(machines), held(tmp_path / "here", LOCAL)
    assert len(here) == MATCHES
    assert held(tmp_path / "whole", executor) == here
    assert [*tmp_path.glob("worker-*/**/arena-*")] == []
    said = lose_worker(machines, written(tmp_path / "fewer", executor))
    assert results(tmp_path / "fewer") == here
    progress = rf"(\d+ of {MATCHES} matches, .*\n)*"  # where the machine is slow
    assert re.fullmatch(rf"{progress}{MATCHES} matches are over, \S+ a second\n", said)
    file = written(tmp_path / "part", executor)
    with pytest.raises(UserError, match=r"^dask: no scheduler at tcp://[^\n]+$"):
        run(load(file), Killing(machines.scheduler, monkeypatch))
    before = results(tmp_path / "part")
    assert 0 < len(before) < MATCHES
    assert held(tmp_path / "part", LOCAL) == here


def see_no_workers(machines: LocalCluster) -> None:
    dask = Dask(machines.dask.address, timeout=TIMEOUT)
    said = r"^dask: [^\n]+ has no workers; start some: python3 -P -m dask worker"
    wait = Client.wait_for_workers
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "wait_for_workers", lambda client, count, _: wait(client, count, 0.1))
        with pytest.raises(UserError, match=said):
            dask.places()


def lose_worker(machines: LocalCluster, file: Path) -> str:
    """Run a tournament by its command, and kill a worker; return what is on standard error."""
    words = ["tournament", "run", str(file), "--json"]
    variables = environment(machines.environment[MARK])
    with start_arena(words, file.parent, variables) as run:
        run.stdout.readline()
        machines.workers[0].kill()
        run.stdout.read()
        assert run.process.wait(TIMEOUT) == 0
        return run.stderr.read()


def named(machines: LocalCluster) -> str:
    return f'"dask:address={machines.dask.address}"'
