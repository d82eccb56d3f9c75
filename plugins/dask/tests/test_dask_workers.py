"""What workers are given, what they play, and what is left behind, match by match."""

from __future__ import annotations

import os
import select
import tempfile
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from attrs import define, field
from distributed import KilledWorker, Reschedule, Scheduler

from arena.host import Limits, join_team
from arena.rules import UserError
from arena.sandbox import AUTO, find_sandbox
from arena.tournament.bots.copies import CopyFolder
from arena.tournament.entries import Entry, ReadyEntry
from arena.tournament.file.reader import load
from arena.tournament.kept_transcripts import KeptTranscripts
from arena.tournament.match_record import ReportedMatch
from arena.tournament.run.monitor import Monitor
from arena.tournament.run.tournament_run import run
from arena.tournament.store import Store
from arena.tournament.workers.leftovers import MARK_VARIABLE
from arena.tournament.workers.match_batch import (
    BatchSettings,
    MatchBatch,
    PlannedMatch,
)
from arena.tournament.workers.match_play import play_batch
from arena_dask import workers
from tests.support.dask_cluster import WORKER, LocalCluster
from tests.support.hill.hill_folders import bot
from tests.support.programs import TIMEOUT, environment, list_command_lines
from tests.support.requirements import require_sandbox

WITHOUT_ARENA = """
import sys
sys.modules["arena_dask"] = None
from distributed.cli.dask_worker import main
main()
"""
BARE = """
import arena_dask.workers
arena_dask.workers.find_obstacle = lambda tier: "nothing is installed here"
from distributed.cli.dask_worker import main
main()
"""
"""A worker on a machine on which nothing contains programs."""
UNTRUSTED = """
game = "gops"
check = false
matches = 2
executor = "dask:address=ADDRESS"
[options]
cards = 3
[[entrant]]
bot = "match"
[[entrant]]
bot = "mine"
untrusted = true
"""
TOURNAMENT = "the-mark-of-the-tournament"
RANDOM = Entry("random", "1", "random")
MATCHING = Entry("match", "1", "match")
STUBBORN = """
trap '' TERM HUP
setsid bash -c 'while :; do read -t 1000 <> /dev/ptmx; done' &
echo $$ $! > FIFO
while :; do read -t 1000 <> /dev/ptmx; done
"""
"""Answers nothing, ends by itself never, and leaves a child behind that has left its session."""


def task(*entries: Entry, game: str = "gops", table: int = 2) -> MatchBatch:
    nowhere = Path("nowhere")
    match = PlannedMatch(0, 0, tuple(ReadyEntry(entry, None) for entry in entries))
    settings = BatchSettings(
        game, {}, "secret", Limits(), KeptTranscripts.NONE, nowhere, nowhere, nowhere, table=table
    )
    return MatchBatch((match,), settings)


def entered(bots: Path, script: str) -> Entry:
    folder = bots.parent / "source"
    folder.mkdir(exist_ok=True)
    (folder / "bot.sh").write_text(script)
    (folder / "bot.toml").write_text('name = "bot"\ncommand = "bash bot.sh"\n')
    version = CopyFolder(bots).add(folder)
    return Entry("bot", version, "source")


@define(eq=False)
class Stubborn:
    """A bot that says who it is when it has started, and has to be killed."""

    bots: Path
    entry: Entry = field(init=False)
    _fifo: int = field(init=False)

    def __attrs_post_init__(self) -> None:
        path = self.bots.parent / "fifo"
        os.mkfifo(path)
        self._fifo = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self.entry = entered(self.bots, STUBBORN.replace("FIFO", str(path)))

    def close(self) -> None:
        os.close(self._fifo)

    def started(self) -> list[int]:
        assert select.select([self._fifo], [], [], TIMEOUT)[0], "it has not started"
        return [os.pidfd_open(int(word)) for word in os.read(self._fifo, 100).split()]


def see_ended(processes: list[int]) -> None:
    for process in processes:
        assert select.select([process], [], [], TIMEOUT)[0], "it has not ended"
        os.close(process)


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    return tmp_path / "bots"


@pytest.fixture
def stubborn(bots: Path) -> Iterator[Stubborn]:
    with closing(Stubborn(bots)) as stubborn:
        yield stubborn


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    """Return a scheduler that gives a task up with its worker, and a worker; each test leaves one.

    They leave nothing behind.
    """
    mark, once = uuid4().hex, {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
    with LocalCluster(tmp_path_factory.mktemp("machines"), environment(mark, **once)) as machines:
        machines.add()
        yield machines
    assert list_command_lines(mark) == []


@pytest.fixture
def cluster(machines: LocalCluster, bots: Path) -> Iterator[Executor]:
    with machines.dask.open(1, bots, TOURNAMENT) as cluster:
        yield cluster


def played(cluster: Executor, *seats: Entry) -> ReportedMatch:
    (done,) = cluster.submit(play_batch, task(*seats)).result(TIMEOUT)
    assert not done.is_void, done.detail
    return done


def test_each_bot_of_a_team_is_sent(cluster: Executor, bots: Path) -> None:
    """A team plays on another machine, with the copies of all its bots."""
    first, second = entered(bots, "exit 1"), entered(bots, "exit 2")
    team = Entry("team", f"{first.version}-{second.version}", join_team([first.bot, second.bot]))
    random = Entry("random", "1-1", join_team(["random", "random"]))
    future = cluster.submit(play_batch, task(team, random, game="briscola", table=4))
    (record,) = future.result(TIMEOUT)
    assert not record.is_void, record.detail
    assert record.seats[0].verdict == "crashed"


def test_what_is_handed_over_counts_as_begun(cluster: Executor) -> None:
    """A first Ctrl-C cancels what has not begun; what a worker may be playing is seen out."""
    future = cluster.submit(play_batch, task(RANDOM, MATCHING))
    assert not future.cancel()
    assert len(future.result(TIMEOUT)) == 1


def test_the_same_match_again(cluster: Executor) -> None:
    """A match that is played again is played again: Dask does not give what it remembers."""
    first, second = (played(cluster, RANDOM, MATCHING) for _ in range(2))
    assert first.seconds != second.seconds


def test_any_function(cluster: Executor) -> None:
    """It is an executor like any other, for whatever is not a match."""
    assert cluster.submit(divmod, 7, 2).result(TIMEOUT) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        cluster.submit(divmod, 7, 0).result(TIMEOUT)


def test_a_worker_dies_and_another_comes(
    machines: LocalCluster, cluster: Executor, bots: Path, stubborn: Stubborn
) -> None:
    """Its programs are killed, wherever they went; its task is lost, and nothing else.

    Who comes in the middle of a tournament is given all that the others have.
    """
    program = entered(bots, "read line; exit")
    before = played(cluster, program, RANDOM)
    future = cluster.submit(play_batch, task(stubborn.entry, RANDOM))
    processes = stubborn.started()
    machines.workers[-1].kill()
    assert isinstance(future.exception(TIMEOUT), KilledWorker)
    see_ended(processes)
    machines.add()
    after = played(cluster, program, RANDOM)
    assert (before.rank(), before.rounds) == (after.rank(), after.rounds)
    assert before.seats[0].verdict == after.seats[0].verdict == "crashed"


def test_programs_of_a_run_that_is_abandoned(cluster: Executor, stubborn: Stubborn) -> None:
    """A second Ctrl-C ends the programs of matches under way, without waiting for these."""
    cluster.submit(play_batch, task(stubborn.entry, RANDOM))
    processes = stubborn.started()
    cluster.shutdown(cancel_futures=True)
    see_ended(processes)


def test_tournament_that_begins_again(
    machines: LocalCluster, cluster: Executor, stubborn: Stubborn
) -> None:
    """A tournament whose coordinator was killed finds its workers clean when it begins again."""
    cluster.submit(play_batch, task(stubborn.entry, RANDOM))
    processes = stubborn.started()
    with machines.dask.open(1, stubborn.bots, TOURNAMENT) as again:
        played(again, RANDOM, MATCHING)
        see_ended(processes)
    cluster.shutdown(cancel_futures=True)


def test_late_worker_without_a_language(
    machines: LocalCluster, cluster: Executor, bots: Path
) -> None:
    """Such a worker that comes late leaves again, and the others play on."""
    program = entered(bots, "read line")
    played(cluster, program, RANDOM)
    machines.add(PATH="/nowhere")
    late = machines.workers.pop()
    late.process.join(TIMEOUT)
    assert late.process.exitcode == 0
    late.end()
    played(cluster, program, RANDOM)


def test_workers_that_lack_something(machines: LocalCluster, bots: Path) -> None:
    """Where what a bot's command names is not installed, or Dask alone is, a worker is refused.

    The scheduler keeps nothing of it, which workers that come later would get.
    """
    program = entered(bots, "read line")
    for code, cannot, seats in [
        (WITHOUT_ARENA, r"a worker cannot be used.*arena_dask[^\n]*$", (RANDOM,)),
        (WORKER, r"worker tcp\S+: \S+bot.toml: .*program 'bash' not found$", (program,)),
    ]:
        machines.add(1, code, PATH="/nowhere")
        with machines.dask.open(1, bots, TOURNAMENT) as cluster:
            with pytest.raises(UserError, match=f"^dask: {cannot}"):
                cluster.submit(play_batch, task(*seats, MATCHING))
            machines.workers.pop().end()
    with machines.dask.open(1, bots, TOURNAMENT) as cluster:
        assert cluster._client.run_on_scheduler(list_equipment) == []  # type: ignore[attr-defined]


def list_equipment(dask_scheduler: Scheduler) -> list[str]:
    """Return what a scheduler gives to each worker that comes."""
    return [name for name in dask_scheduler.worker_plugins if name.startswith("arena-")]


def test_untrusted_bots_are_contained_by_workers(machines: LocalCluster, tmp_path: Path) -> None:
    """By the sandbox that holds at the coordinator, which each worker has proven.

    One that contains nothing is refused in a line, before any stranger's program has begun there.
    """
    require_sandbox()
    found = find_sandbox(AUTO)
    assert found
    seats = [seat for match in hold(tmp_path / "here", machines) for seat in match["seats"]]
    assert {seat["sandbox"] for seat in seats if seat["name"] == "mine"} == {found.tier}
    machines.add(1, BARE)
    with pytest.raises(UserError, match=r"sandbox '\w+' does not work there: nothing is installed"):
        hold(tmp_path / "there", machines)
    assert machines.scheduler.process.is_alive(), "a run that fails ends its own processes alone"
    machines.workers.pop().end()
    with Store.open(tmp_path / "there" / "tournament.db", write=False) as store:
        assert store.progress.count_matches().stored == 0


def hold(folder: Path, machines: LocalCluster) -> list[dict[str, Any]]:
    """Hold a tournament with an untrusted bot; return its matches."""
    bot(folder)
    file = folder / "tournament.toml"
    file.write_text(UNTRUSTED.replace("ADDRESS", machines.dask.address))
    run(load(file), Monitor())
    with Store.open(folder / "tournament.db", write=False) as store:
        return [match.pack() for match in store.matches.find_matches()]


def test_other_versions(cluster: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version of the arena, of a game or of Python, anywhere, is refused."""
    monkeypatch.setattr("arena_dask.dask_executor.list_versions", lambda: {"arena-gops": "0.0.1"})
    with pytest.raises(
        UserError, match=r"^dask: .*arena-gops has version \S+, but the coordinator has 0.0.1$"
    ):
        cluster.submit(play_batch, task(RANDOM, MATCHING))


def test_task_of_a_tournament_that_is_over() -> None:
    """A worker without a workspace for a tournament gives its tasks back."""
    with pytest.raises(Reschedule):
        workers.play_in_workspace("another tournament", task(RANDOM, MATCHING))


def test_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a match is played, alone, programs get the worker's own mark and its workspace."""
    seen: list[tuple[str, str, bool]] = []
    there = workers.WorkerWorkspace.within(tmp_path, TOURNAMENT)

    def playing(_: MatchBatch) -> list[ReportedMatch]:
        seen.append(
            (os.environ[MARK_VARIABLE], tempfile.gettempdir(), workers._MATCH_LOCK.locked())
        )
        return []

    monkeypatch.setattr(workers, "play_batch", playing)
    there.play(task(RANDOM, MATCHING))
    assert seen == [(there.mark, str(there.folder), True)]
    assert MARK_VARIABLE not in os.environ
    assert tempfile.gettempdir() != str(there.folder)
    there.close()
    assert not there.folder.exists()
    with pytest.raises(Reschedule):
        there.play(task(RANDOM, MATCHING))
