"""The workers of a run, which are replaced when they die.

If a worker dies before it has begun a match, the host is at fault: no match starts for a while, and
after a few such deaths in a row the run ends, as it does if the machine lacks processes or another
resource.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from functools import partial
from multiprocessing import active_children
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import monotonic, sleep
from typing import Self

from attrs import Factory, define, field

from arena.host import describe_shortage
from arena.players import defer_signals
from arena.rules import UserError, describe_error
from arena.tournament.entries import Id
from arena.tournament.match_record import ReportedMatch
from arena.tournament.workers.executors import ExecutorProvider
from arena.tournament.workers.leftovers import RunMark
from arena.tournament.workers.local_executors import describe_end
from arena.tournament.workers.loss_record import LossRecord
from arena.tournament.workers.match_batch import MatchBatch, PlannedMatch
from arena.tournament.workers.match_play import play_batch

MIN_SECONDS, MAX_SECONDS = 0.5, 8.0  # each pause is twice as long as the last
GIVE_UP_SECONDS = 30.0  # in pauses without a match between them


@define
class Backoff:
    """Consecutive pauses without a finished match between them."""

    _until: float = 0.0
    _next: float = field(factory=lambda: MIN_SECONDS)
    _sum: float = 0.0

    @property
    def is_active(self) -> bool:
        """Whether a pause is in progress."""
        return monotonic() < self._until

    def begin(self, lacking: str) -> None:
        """Begin a pause; raise UserError if pauses have not helped for too long."""
        if self.is_active:  # running matches meet the same limit
            return
        if self._sum >= GIVE_UP_SECONDS:
            raise UserError(f"{lacking}; run this again to play the remaining matches")
        self._until = monotonic() + self._next
        self._sum += self._next
        self._next = min(MAX_SECONDS, 2 * self._next)

    def wait(self, seconds: float) -> None:
        """Wait for the end of the pause, at most `seconds`."""
        sleep(max(0.0, min(seconds, self._until - monotonic())))


@define
class RunWorkers:
    """The workers of a run, from its first executor to its last."""

    open: Callable[[int], Executor]  # with this number of workers
    mark: RunMark  # of all their programs
    remote: bool = False  # whether they have other disks
    _losses: LossRecord = Factory(LossRecord)
    _backoff: Backoff = Factory(Backoff)
    _failure: Exception | None = None  # the error that lost the executor its workers
    _others: set[BaseProcess] = field(factory=lambda: {*active_children()})  # that are not ours
    _executor: Executor | None = None
    _size: int = 0  # the number of workers of the executor

    @classmethod
    def of(cls, executors: ExecutorProvider, bots: Path, mark: RunMark) -> Self:
        """Return the workers of such executors, which find the copies of bots in a folder."""
        start = partial(executors.open, bots=bots, mark=mark.text)
        return cls(start, mark, executors.remote)

    @property
    def can_take_more(self) -> bool:
        """Whether batches may be handed over: not once the workers are lost, until `bury`."""
        return self._failure is None

    def provide(self, workers: int) -> None:
        """Provide at least so many workers, in another executor if need be; raise UserError."""
        if self._executor is None or self._size < workers:
            self.close()
            try:
                self._executor, self._size = self.open(workers), workers
            except OSError as problem:
                why = describe_shortage(problem) or describe_error(problem)
                raise UserError(f"cannot start a worker: {why}") from None

    def submit(self, batch: MatchBatch) -> Future[list[ReportedMatch]] | None:
        """Hand a batch to the workers; return None where that fails, and they are lost."""
        assert self._executor is not None, "call provide() before"
        try:
            return self._executor.submit(play_batch, batch)
        except UserError:
            raise
        except Exception as problem:  # noqa: BLE001  # whatever an executor may raise
            self._failure = problem
            if lacking := describe_shortage(problem):
                self.pause(lacking)
            return None

    def count_end(self, match: PlannedMatch) -> None:
        """Count a match that came to its end: workers live, and the machine has what they need."""
        self._backoff = Backoff()
        self._losses.count_end(match)

    def count_loss(self, match: PlannedMatch, problem: Exception) -> bool:
        """Count a match that was begun and lost by this error; return whether it is given up."""
        return self._losses.count_loss(match, problem)

    def pop_culprits(self) -> Iterator[tuple[Id, tuple[str, ...]]]:
        """Yield each entrant whose matches kill workers, with these matches, and forget it."""
        return self._losses.crashes.pop_culprits()

    @property
    def is_pausing(self) -> bool:
        """Whether no match is to be handed over for a while."""
        return self._backoff.is_active

    def pause(self, lacking: str) -> None:
        """Begin a pause, as a resource is lacking; raise UserError if pauses do not help."""
        self._backoff.begin(lacking)

    def wait_for_pause(self, seconds: float) -> None:
        """Wait for the end of the pause, if there is one, at most `seconds`."""
        self._backoff.wait(seconds)

    def record_failure(self, problem: Exception) -> None:
        """Record the error of a batch: workers that died are buried when no batch is left."""
        if isinstance(problem, BrokenExecutor):
            self._failure = problem

    def bury(self) -> None:
        """Remove workers that died; raise UserError if they keep dying."""
        problem, executor = self._failure, self._executor
        assert problem is not None
        assert executor is not None
        self.close()
        self.mark.kill_programs()
        end = describe_end(executor) or describe_error(problem)
        self._executor = self._failure = None
        if describe_shortage(problem):
            self._losses.forgive()
        elif reason := self._losses.count_death(problem, end):
            self.pause(reason)

    def close(self) -> None:
        """Shut the workers down, as far as they could be started."""
        if self._executor is not None:
            with suppress(RuntimeError):  # a pool cannot shut down if its thread never started
                self._executor.shutdown(cancel_futures=True)

    def abandon(self) -> None:
        """Kill the workers in the middle of their matches; a further interrupt waits for that."""
        with defer_signals():
            for worker in {*active_children()} - self._others:
                worker.kill()
            self.close()  # frees descriptors, in case there were too few
            self.mark.kill_programs()
