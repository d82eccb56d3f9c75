"""The workers of a run, which are replaced when they die."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from functools import partial
from multiprocessing import active_children
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Self

from attrs import define, field

from arena.host import describe_shortage
from arena.players import defer_signals
from arena.rules import UserError, describe_error
from arena.tournament.match_record import ReportedMatch
from arena.tournament.workers.executors import ExecutorProvider
from arena.tournament.workers.leftovers import RunMark
from arena.tournament.workers.local_executors import describe_end
from arena.tournament.workers.match_batch import MatchBatch
from arena.tournament.workers.match_play import play_batch


@define
class RunWorkers:
    """The workers of a run, from its first executor to its last."""

    open: Callable[[int], Executor]  # with this number of workers
    mark: RunMark  # of all their programs
    remote: bool = False  # whether they have other disks
    #: the error that lost the executor its workers, until they are buried
    failure: Exception | None = field(default=None, init=False)
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
        return self.failure is None

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
            self.failure = problem
            return None

    def record_failure(self, problem: Exception) -> None:
        """Record the error of a batch: workers that died are buried when no batch is left."""
        if isinstance(problem, BrokenExecutor):
            self.failure = problem

    def bury(self) -> tuple[Exception, str]:
        """Remove workers that were lost; return the error of that, and their last words."""
        problem, executor = self.failure, self._executor
        assert problem is not None
        assert executor is not None
        self.close()
        self.mark.kill_programs()
        self._executor = self.failure = None
        return problem, describe_end(executor) or describe_error(problem)

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
