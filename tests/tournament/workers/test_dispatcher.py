"""Whatever becomes of workers: each match is over exactly once, and nobody else is blamed."""

from __future__ import annotations

import os
import resource
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import active_children, get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Thread

import pytest
from attrs import define, field

from arena.host import Limits
from arena.rules import End, UserError
from arena.tournament.entries import Entry, ReadyEntry
from arena.tournament.kept_transcripts import KeptTranscripts
from arena.tournament.match_record import ReportedMatch, VoidCause
from arena.tournament.workers import backoff, loss_record
from arena.tournament.workers import dispatcher as dispatcher_module
from arena.tournament.workers.dispatcher import MAX_ATTEMPTS, Dispatcher
from arena.tournament.workers.leftovers import RunMark
from arena.tournament.workers.local_executors import LocalExecutors
from arena.tournament.workers.match_batch import (
    BatchSettings,
    MatchBatch,
    PlannedMatch,
)
from arena.tournament.workers.run_workers import RunWorkers
from tests.support.command import Install
from tests.support.programs import MARK
from tests.support.tournaments.forked_workers import open_forked_workers, start_fork_server

pytestmark = pytest.mark.slow  # workers, some of which are killed

DEADLY = """
import os, signal
from attrs import evolve, frozen
from arena import hookimpl
from arena_kuhn import GAME, RandomPlayer, Kuhn

def first(what, times):
    "Say whether this is among so many first times, in whatever process."
    with open(what, "a") as file:
        file.write("x")
        return file.tell() <= times

class Killer(RandomPlayer):
    "Kills its worker, each time."
    def choose(self, question):
        os.kill(os.getpid(), signal.SIGKILL)

class Once(RandomPlayer):
    "Kills its worker, once."
    def choose(self, question):
        if first("killed", 1):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().choose(question)

class Hunted(RandomPlayer):
    "Says in a pipe which process it is in, and waits there for its end, the first times."
    def choose(self, question):
        if first("hunted", int(os.environ["HUNTED"])):
            with open("pipe", "w") as pipe:
                pipe.write(f"{os.getpid()}\\n")
            signal.pause()
        return super().choose(question)

@frozen
class Faulty(Kuhn):
    "Fails at the first deals, and takes down which they were."
    faults: int = 0
    async def deal(self, table):
        dealt = await super().deal(table)
        with open("deals", "a") as file:
            print(table.random.random(), file=file)
        if first("dealt", self.faults):
            raise ZeroDivisionError("a bug in the rules")
        return dealt

@hookimpl
def arena_games():
    return [evolve(GAME, name="deadly", variant=Faulty,
                   bots={**GAME.bots, "killer": Killer, "once": Once, "hunted": Hunted})]
"""


@define
class RecordedWorkers(RunWorkers):
    """Workers that take down what they are handed."""

    tasks: list[tuple[PlannedMatch, ...]] = field(factory=list)

    def submit(self, batch: MatchBatch) -> Future[list[ReportedMatch]] | None:
        self.tasks.append(batch.matches)
        return super().submit(batch)


@define
class Driver:
    """Dispatchers, in a folder of their own: forks, where it does not say new processes."""

    folder: Path
    mark: str
    made: list[Dispatcher]
    tasks: list[tuple[PlannedMatch, ...]]

    def dispatcher(self, workers: int = 2, faults: int = 0,
             start: Callable[[int], Executor] | None = None) -> Dispatcher:  # fmt: skip
        settings = BatchSettings(
            game="deadly", variant={"faults": faults}, secret=self.folder.name, limits=Limits(),
            transcripts=KeptTranscripts.NONE, home=self.folder, bots=self.folder, kept_folders=self.folder,
        )  # fmt: skip
        start = start or partial(open_forked_workers, mark=self.mark)
        recorded = RecordedWorkers(start, RunMark(self.mark), tasks=self.tasks)
        self.made.append(Dispatcher(recorded, settings, workers))
        return self.made[-1]

    def open_new(self, workers: int) -> Executor:
        return LocalExecutors().open(workers, self.folder, self.mark)


@pytest.fixture
def driver(
    tmp_path: Path, mark: str, install: Install, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Driver]:
    """Return a driver, whose dispatchers are abandoned in the end."""
    start_fork_server()
    monkeypatch.syspath_prepend(install("deadly", DEADLY))
    monkeypatch.setenv(MARK, mark)
    monkeypatch.setattr(backoff, "MIN_SECONDS", 0.01)
    monkeypatch.chdir(tmp_path)
    driver = Driver(tmp_path, mark[:16], [], [])
    yield driver
    for dispatcher in driver.made:
        dispatcher.workers.abandon()
    RunMark(driver.mark).clean_up()


def build_entrant(bot: str, *, keeps: bool = False) -> ReadyEntry:
    return ReadyEntry(Entry(bot, "1", bot, keeps=keeps), None)


def build_matches(
    count: int, *bots: str, first: int = 0, keeps: bool = False
) -> list[PlannedMatch]:
    seats = tuple(build_entrant(bot, keeps=keeps) for bot in bots or ("random", "careful"))
    return [PlannedMatch(deal, 0, seats) for deal in range(first, first + count)]


def play_all(dispatcher: Dispatcher, planned: Sequence[PlannedMatch] = ()) -> list[ReportedMatch]:
    """Play these matches, and return their records in the order in which they end."""
    for match in planned:
        dispatcher.add(match)
    found: list[ReportedMatch] = []
    while not dispatcher.idle:
        found += dispatcher.collect(1.0)
    return found


def list_ends(found: Sequence[ReportedMatch]) -> dict[int, End]:
    assert max(Counter(done.deal for done in found).values()) == 1
    return {done.deal: End(done.end) for done in found}


def expect_finished(*deals: int) -> dict[int, End]:
    return dict.fromkeys(deals, End.FINISHED)


def test_a_worker_that_is_killed_costs_nothing(driver: Driver) -> None:
    """Each match is over once, also if it was in progress when its worker was killed."""
    dispatcher = driver.dispatcher(start=driver.open_new)
    for match in build_matches(40):
        dispatcher.add(match)
    found = [*dispatcher.collect(5.0)]
    os.kill(active_children()[0].pid or 0, signal.SIGKILL)
    assert list_ends(found + play_all(dispatcher)) == expect_finished(*range(40))


def test_a_match_that_kills_its_worker_each_time_is_void(driver: Driver) -> None:
    """A match that kills its worker is played once more alone, and all others are played."""
    planned = (
        build_matches(3) + build_matches(1, "killer", "random", first=3) + build_matches(6, first=4)
    )
    found = play_all(driver.dispatcher(), planned)
    assert list_ends(found) == {**expect_finished(*range(10)), 3: End.VOID}
    (void,) = [done for done in found if done.is_void]
    assert void.detail == "its worker died twice, with killer and random at the table"
    assert void.cause is VoidCause.WORKER
    assert void.entrants == ("killer@1", "random@1")
    assert count_tasks(driver, 3) == loss_record.MAX_LOSSES


def count_tasks(driver: Driver, deal: int) -> int:
    return sum(match.deal == deal for task in driver.tasks for match in task)


def test_a_match_that_was_not_begun_is_not_suspected(driver: Driver) -> None:
    """A match that waits behind the killer of its worker is lost with it, and played once more."""
    found = play_all(
        driver.dispatcher(workers=1),
        build_matches(1, "killer", "random") + build_matches(1, first=1),
    )
    assert list_ends(found) == {0: End.VOID, 1: End.FINISHED}
    assert [[match.deal for match in task] for task in driver.tasks] == [[0], [1], [0], [1]]


def test_what_had_ended_in_a_lost_task_is_no_suspect(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a lost batch only the match in progress is played alone."""
    monkeypatch.setattr(dispatcher_module, "BATCH_SECONDS", 1000.0)
    dispatcher = driver.dispatcher(workers=1)
    planned = (
        build_matches(5)
        + build_matches(1, "killer", "random", first=5)
        + build_matches(20, first=6)
    )
    assert list_ends(play_all(dispatcher, planned)) == {**expect_finished(*range(26)), 5: End.VOID}
    tasks = [[match.deal for match in task] for task in driver.tasks]
    assert tasks == [[*range(26)], [5], [*range(5), *range(6, 26)]]


@pytest.fixture
def hunt(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Return a function that has so many workers killed from outside, each in the middle of a match."""
    threads: list[Thread] = []

    def kill(count: int) -> None:
        with os.fdopen(os.open("pipe", os.O_RDWR)) as pipe:
            for _ in range(count):
                os.kill(int(pipe.readline()), signal.SIGKILL)

    def begin(count: int) -> None:
        os.mkfifo("pipe")
        monkeypatch.setenv("HUNTED", str(count))
        threads.append(Thread(target=kill, args=(count,)))
        threads[0].start()

    yield begin
    for thread in threads:
        thread.join()


def test_workers_that_are_killed_in_matches(driver: Driver, hunt: Callable[[int], None]) -> None:
    """A match that is killed twice is void, the rest is played, and nobody is suspected."""
    hunt(3)
    dispatcher = driver.dispatcher(workers=1)
    found = play_all(dispatcher, build_matches(4, "hunted", "random"))
    assert list_ends(found) == {**expect_finished(1, 2, 3), 0: End.VOID}
    assert [*dispatcher.pop_culprits()] == []


@pytest.mark.parametrize("faults", [MAX_ATTEMPTS - 1, MAX_ATTEMPTS])
def test_a_void_match_is_played_again(driver: Driver, faults: int) -> None:
    """A void match is played again from the same deal, up to the limit, and then stays void."""
    (found,) = play_all(driver.dispatcher(workers=1, faults=faults), build_matches(1))
    assert found.end == (End.FINISHED if faults < MAX_ATTEMPTS else End.VOID)
    assert found.cause is (None if faults < MAX_ATTEMPTS else VoidCause.GAME)
    assert "ZeroDivisionError: a bug in the rules" in found.detail or faults < MAX_ATTEMPTS
    assert len({*read_deals()}) == 1
    assert len(read_deals()) == MAX_ATTEMPTS


@pytest.mark.parametrize(("bot", "faults"), [("careful", 2), ("once", 0)])
def test_who_may_remember_does_not_see_a_deal_twice(driver: Driver, bot: str, faults: int) -> None:
    """A keeper's match that was void or lost is played from another deal."""
    dispatcher = driver.dispatcher(workers=1, faults=faults)
    found = play_all(dispatcher, build_matches(1, bot, "random", keeps=True))
    assert list_ends(found) == expect_finished(0)
    assert len(read_deals()) == len({*read_deals()}) > 1


def read_deals() -> list[str]:
    return Path("deals").read_text().split()


def test_an_executor_that_takes_nothing(driver: Driver) -> None:
    """A new executor is opened after any error of the last one."""
    pools = [open_forked_workers(2, driver.mark) for _ in range(2)]
    pools[0].shutdown()
    dispatcher = driver.dispatcher(start=lambda _: pools.pop(0))
    assert list_ends(play_all(dispatcher, build_matches(3))) == expect_finished(0, 1, 2)


@pytest.fixture
def broken(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file that stands where workers, and they alone, need their scratch folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(driver.folder))
    elsewhere = driver.folder / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setenv("TMPDIR", str(elsewhere))
    (elsewhere / f"arena-{driver.mark}").touch()
    return elsewhere / f"arena-{driver.mark}"


def test_workers_that_do_not_start_end_the_run(
    driver: Driver, broken: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers that do not start end the run with one line of their output, and no match is void."""
    monkeypatch.setattr(loss_record, "MAX_FAILED_STARTS", 2)
    dispatcher = driver.dispatcher(workers=1, start=driver.open_new)
    line = (
        rf"no worker starts \(FileExistsError: .* File exists: '{broken}'\);"
        " put that right, and run this again"
    )
    with pytest.raises(UserError, match=f"^{line}$"):
        play_all(dispatcher, build_matches(5))
    assert capfd.readouterr().err == ""
    broken.unlink()
    assert list_ends(play_all(dispatcher)) == expect_finished(*range(5))


def test_workers_that_are_killed_as_they_start(driver: Driver) -> None:
    """No match is lost, and the run goes on when workers live again."""
    dispatcher = driver.dispatcher(workers=1, start=driver.open_new)
    found = play_all(dispatcher, build_matches(2))
    for child in active_children():
        child.kill()
        child.join()
    for match in build_matches(
        40, first=2
    ):  # a busy machine may kill them when they have played some
        dispatcher.add(match)
    for _ in range(4):
        found += kill_workers(dispatcher)
    assert list_ends(found + play_all(dispatcher)) == expect_finished(*range(42))


def kill_workers(dispatcher: Dispatcher) -> list[ReportedMatch]:
    """Start workers, kill them before they are ready, and return the matches that ended meanwhile."""
    found: list[ReportedMatch] = []
    children: list[BaseProcess] = []
    while not children:
        found += dispatcher.collect(0.0)
        children = active_children()
    for child in children:
        child.kill()
        child.join()
    return found


def test_workers_that_only_die(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run ends with a message when no match ends any more."""
    monkeypatch.setattr(loss_record, "MAX_DEATHS", 3)
    with pytest.raises(UserError, match="every worker dies, whatever it plays: BrokenProcessPool"):
        play_all(driver.dispatcher(workers=1), build_matches(9, "killer", "random"))


@contextmanager
def few_descriptors() -> Iterator[None]:
    """Limit the descriptors of the process for a block."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_workers_that_cannot_be_started(driver: Driver) -> None:
    """The error of a worker that the machine refuses to start is one line."""
    with (
        few_descriptors(),
        pytest.raises(UserError, match="cannot start a worker: a process may open at most 3 files"),
    ):
        play_all(driver.dispatcher(start=driver.open_new), build_matches(1))


def test_who_keeps_a_folder_plays_one_match_at_a_time(driver: Driver) -> None:
    """A keeper plays one match at a time, while others play beside it."""
    dispatcher = driver.dispatcher(workers=3)
    for match in build_matches(8, "careful", "random", keeps=True) + build_matches(8, first=8):
        dispatcher.add(match)
    found: list[ReportedMatch] = []
    while not dispatcher.idle:
        dispatcher._hand_over()
        keepers = [
            task
            for task in dispatcher._running.values()
            if any(match.keepers for match in task.matches)
        ]
        assert len(keepers) <= 1
        found += dispatcher.collect(1.0)
    assert list_ends(found) == expect_finished(*range(16))


def test_matches_are_over_in_their_order_where_one_worker_plays(driver: Driver) -> None:
    """Short matches go to a worker in batches, and none is lost between batches."""
    found = play_all(driver.dispatcher(workers=1), build_matches(300))
    assert [done.deal for done in found] == [*range(300)]
    sizes = [len(task) for task in driver.tasks]
    assert sizes[0] == 1
    assert max(sizes) > 1


def test_finishing_begins_nothing_more(driver: Driver) -> None:
    """Matches in progress end; those that wait or are lost afterwards are not played."""
    dispatcher = driver.dispatcher(workers=1)
    for match in (
        build_matches(1)
        + build_matches(1, "killer", "random", first=1)
        + build_matches(50, first=2)
    ):
        dispatcher.add(match)
    found = [*dispatcher.collect(5.0)]
    dispatcher.finish()
    found += play_all(dispatcher)
    assert {*list_ends(found)} <= {0, 1, 2}
    assert len(driver.tasks) <= 3


def poor() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")), 4096))  # noqa: PTH208


def open_poor_pool(_: int) -> Executor:
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=poor)


def test_where_descriptors_lack_nothing_is_void(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run without descriptors pauses between its tries, and ends with a message that names the limit."""
    monkeypatch.setattr(backoff, "MIN_SECONDS", 0.01)
    monkeypatch.setattr(backoff, "GIVE_UP_SECONDS", 0.05)
    dispatcher = driver.dispatcher(start=open_poor_pool)
    with pytest.raises(
        UserError, match=r"files .raise the limit with `ulimit -n`.; run this again"
    ):
        play_all(dispatcher, build_matches(5, "program:random", "careful"))
    assert len(driver.tasks) < 10


def test_when_descriptors_are_there_again_all_is_played(
    driver: Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A match that lacked descriptors is played later, once, and is not void."""
    monkeypatch.setenv("PYTHONPATH", str(driver.folder / "site"))
    dispatcher = driver.dispatcher(start=open_poor_pool)
    for match in build_matches(3, "program:random", "careful"):
        dispatcher.add(match)
    while not dispatcher._backoff.is_active:
        assert not [*dispatcher.collect(1.0)]
    (worker,) = active_children()
    resource.prlimit(worker.pid or 0, resource.RLIMIT_NOFILE, (4096, 4096))
    assert list_ends(play_all(dispatcher)) == expect_finished(0, 1, 2)
