"""Executors on this machine: worker processes, and what they say before they are up."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from multiprocessing import reduction
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any
from weakref import finalize

from attrs import frozen

from arena.players import WorkerPool, set_up_worker
from arena.tournament.workers.leftovers import MARK_VARIABLE, RunMark
from arena.wires import to_printable

STDERR = 2
"""The descriptor of standard error."""
MAX_STDERR_BYTES = 4000
"""How much is read of what workers wrote last."""
MAX_LINE_LENGTH = 300
"""How much is shown of their last line, in characters."""


@frozen
class LocalExecutors:
    """Provides executors whose workers are processes on this machine."""

    remote = False

    def places(self) -> None:
        """Return None: the number depends on how many programs of a match think at once."""

    def open(self, workers: int, bots: Path, mark: str) -> Executor:
        """Start new worker processes, since a fork would copy the coordinator's threads."""
        stderr = StartupStderr()
        return LocalPool(
            stderr, workers, initializer=set_up_tournament_worker, initargs=(mark, stderr)
        )


class LocalPool(WorkerPool):
    """A process pool that knows how workers ended before they were up."""

    def __init__(self, stderr: StartupStderr, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stderr = stderr
        self._started: list[BaseProcess] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit a call; start workers if there are too few."""
        try:
            with self._stderr.pass_on():
                return super().submit(fn, *args, **kwargs)
        finally:
            self._started = [*(self._processes or {}).values()] or self._started

    def describe_end(self) -> str:
        """Return a text on the end of workers before they were up; ask after the shutdown."""
        codes = [process.exitcode for process in self._started]
        signals = [-code for code in codes if code and code < 0 and code != -signal.SIGTERM]
        reason = f"killed by signal {signals[0]}" if signals else ""
        return self._stderr.read_last_line() or reason


def describe_end(executor: Executor) -> str:
    """Return a text on the end of an executor's workers before they were up, after the shutdown.

    An empty string where nothing is known of it.
    """
    return executor.describe_end() if isinstance(executor, LocalPool) else ""


class StartupStderr:
    """What workers write to standard error before they are up, in a file without a name.

    It says why a worker did not start. Once it is up, a worker writes to the coordinator's standard
    error.
    """

    def __init__(self) -> None:
        self._file = os.memfd_create("stderr")
        finalize(self, os.close, self._file)
        self._original = _duplicate_stderr()
        finalize(self, os.close, self._original)

    def __reduce__(self) -> tuple[Callable[[Any], int], tuple[Any]]:
        """Travel to a new process as the descriptor of the original standard error."""
        return _receive_descriptor, (reduction.DupFd(self._original),)

    @contextmanager
    def pass_on(self) -> Iterator[None]:
        """Give the processes that are started within a block this file as standard error."""
        os.dup2(self._file, STDERR)
        try:
            yield
        finally:
            os.dup2(self._original, STDERR)

    def read_last_line(self) -> str:
        """Return the last line that is not blank, or an empty string."""
        start = max(0, os.fstat(self._file).st_size - MAX_STDERR_BYTES)
        lines = os.pread(self._file, MAX_STDERR_BYTES, start).decode(errors="replace").split("\n")
        line = next((line.strip() for line in reversed(lines) if line.strip()), "")
        return to_printable(line[:MAX_LINE_LENGTH])


def _duplicate_stderr() -> int:
    try:
        return os.dup(STDERR)
    except OSError:  # it is closed
        return os.open(os.devnull, os.O_WRONLY)


def _receive_descriptor(handle: Any) -> int:
    descriptor: int = handle.detach()
    return descriptor


def set_up_tournament_worker(text: str, stderr: int) -> None:
    """Set up a worker process, whose programs the coordinator ends, or the worker if that has died.

    What goes wrong here is written to the standard error of workers that start.
    """
    mark = RunMark(text)
    set_up_worker(mark.kill_programs)
    os.environ[MARK_VARIABLE] = mark.text
    tempfile.tempdir = str(mark.make_scratch_folder())
    os.dup2(stderr, STDERR)
    os.close(stderr)
