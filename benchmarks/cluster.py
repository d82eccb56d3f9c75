"""What it costs to play on a Dask cluster: both executors with two workers, on this machine.

`python -m benchmarks.cluster`
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic

from attrs import frozen

from arena.host import Limits
from arena.tournament.bots.copies import CopyFolder
from arena.tournament.entries import Entry, ReadyEntry
from arena.tournament.kept_transcripts import KeptTranscripts
from arena.tournament.workers.dispatcher import Dispatcher
from arena.tournament.workers.executors import ExecutorProvider
from arena.tournament.workers.leftovers import RunMark
from arena.tournament.workers.local_executors import LocalExecutors
from arena.tournament.workers.match_batch import BatchSettings, PlannedMatch
from arena.tournament.workers.run_workers import RunWorkers
from benchmarks.ratios import Ratio, print_medians
from tests.support.dask_cluster import LocalCluster

TURNS = 9
WORKERS = 2
MARK = "benchmark"
TASKS = 50
BUNDLED_MATCHES, PROGRAM_MATCHES = 2000, 40
BOT = Path(__file__).parent.parent / "examples" / "bots" / "gops-python"
BUNDLED = tuple(ReadyEntry(Entry(bot, "1", bot), None) for bot in ("random", "match"))


@frozen
class Side:
    """One executor, and a dispatcher that plays with it."""

    executor: Executor
    dispatcher: Dispatcher

    def measure_empty_task(self) -> float:
        """Return the seconds of a task that does nothing; tasks run one after the other."""
        start = monotonic()
        for number in range(TASKS):
            self.executor.submit(abs, number).result()
        return (monotonic() - start) / TASKS

    def measure_match(self, seats: tuple[ReadyEntry, ...], matches: int) -> float:
        """Return the seconds per match while many are played at once."""
        start = monotonic()
        for deal in range(matches):
            self.dispatcher.add(PlannedMatch(deal, 0, seats))
        ends = [
            done.end
            for _ in iter(lambda: self.dispatcher.idle, True)
            for done in self.dispatcher.collect(1)
        ]
        assert len(ends) == matches
        return (monotonic() - start) / matches


@contextmanager
def open_side(executors: ExecutorProvider, bots: Path) -> Iterator[Side]:
    """Start the workers of one side, and warm them up with some matches."""
    settings = BatchSettings(
        game="gops",
        variant={},
        secret="secret",  # noqa: S106  # of nothing
        limits=Limits(),
        transcripts=KeptTranscripts.ALL,
        home=bots,
        bots=bots,
        kept_folders=bots,
    )
    with executors.open(WORKERS, bots, MARK) as executor, RunMark(MARK).clean_up_around():
        workers = RunWorkers(lambda _: executor, RunMark(MARK), executors.remote)
        dispatcher = Dispatcher(workers, settings, WORKERS)
        side = Side(executor, dispatcher)
        side.measure_match(BUNDLED, BUNDLED_MATCHES)
        yield side


def measure(local: Side, cluster: Side, programs: tuple[ReadyEntry, ...]) -> list[Ratio]:
    """Return the ratios of one run."""
    return [
        Ratio(
            "a task without work, cluster / local",
            cluster.measure_empty_task() / local.measure_empty_task(),
        ),
        Ratio(
            "bundled bots, seconds a match, cluster / local",
            cluster.measure_match(BUNDLED, BUNDLED_MATCHES)
            / local.measure_match(BUNDLED, BUNDLED_MATCHES),
        ),
        Ratio(
            "Python programs, seconds a match, cluster / local",
            cluster.measure_match(programs, PROGRAM_MATCHES)
            / local.measure_match(programs, PROGRAM_MATCHES),
        ),
    ]


def main() -> None:
    """Measure both sides in turn, and print the medians."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        version = CopyFolder(folder / "bots").add(BOT)
        programs = tuple(
            ReadyEntry(Entry(name, version, str(BOT)), None) for name in ("one", "other")
        )
        machines = stack.enter_context(LocalCluster(folder))
        machines.add(WORKERS)
        local = stack.enter_context(open_side(LocalExecutors(), folder / "bots"))
        cluster = stack.enter_context(open_side(machines.dask, folder / "bots"))
        print_medians([measure(local, cluster, programs) for _ in range(TURNS)])


if __name__ == "__main__":
    main()
