"""Executors that play matches: worker processes on this machine, or those of a plugin.

Any `concurrent.futures.Executor` will do. Workers play and store nothing. A mark in the environment
of the programs that they start identifies those that outlive their worker.
"""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import connection, parent_process, reduction
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Protocol
from weakref import finalize

from attrs import frozen

from arena.host import PASSABLE_MODE, remove_folder
from arena.players import defer_signals, get_worker_context, kill_all, start_resource_tracker
from arena.wires import to_printable

MARK_VARIABLE = "ARENA_TOURNAMENT"
"""The environment variable that marks all processes of a tournament."""
EXECVE_TIMEOUT_SECONDS = 1.0
"""The longest wait for a process that is replacing its program; this takes microseconds."""
KERNEL_THREAD = 0x00200000
"""The flag of kernel threads (PF_KTHREAD), which never have an environment."""
SPARE_DESCRIPTORS = 4
"""Spare descriptors, so that a run without free descriptors can still clean up."""
STDERR = 2
"""The descriptor of standard error."""
MAX_STDERR_BYTES = 4000
"""How much is read of what workers wrote last."""
MAX_LINE_LENGTH = 300
"""How much is shown of their last line, in characters."""


class Workers(Protocol):
    """A source of executors; implementations are frozen attrs classes with parameters as fields."""

    @property
    def remote(self) -> bool:
        """Whether the workers have other disks than the coordinator."""

    def places(self) -> int | None:
        """Return the number of matches that can be played at once, or None to let arena choose."""

    def open(self, workers: int, bots: Path, mark: str) -> Executor:
        """Return an executor with this number of workers.

        `bots` is the folder of the entrants' copies by version; `mark` goes into the environment of
        every program that is started.
        """


@frozen
class LocalWorkers:
    """Worker processes on this machine."""

    remote = False

    def places(self) -> None:
        """Return None: the number depends on how many programs of a match think at once."""

    def open(self, workers: int, bots: Path, mark: str) -> Executor:
        """Start new worker processes, since a fork would copy the coordinator's threads."""
        stderr = StartupStderr()
        return _SignalSafePool(
            stderr, workers, mp_context=get_worker_context(), initializer=set_up_worker,
            initargs=(mark, stderr),
        )  # fmt: skip


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


def _receive_descriptor(sent: Any) -> int:
    descriptor: int = sent.detach()
    return descriptor


class _SignalSafePool(ProcessPoolExecutor):
    """A process pool whose workers ignore Ctrl-C while their interpreters start.

    A terminal sends the signal to all processes of a command. It is blocked while workers are
    started; they inherit this, and unblock it once they run.
    """

    def __init__(self, stderr: StartupStderr, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._stderr = stderr
        self._started: list[BaseProcess] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit a call; start workers if there are too few."""
        start_resource_tracker()  # because its start unblocks the signal
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with self._stderr.pass_on():
                return super().submit(fn, *args, **kwargs)
        finally:
            self._started = [*(self._processes or {}).values()] or self._started
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def describe_end(self) -> str:
        """Return how workers ended before they were up; ask once the pool is shut down."""
        codes = [process.exitcode for process in self._started]
        signals = [-code for code in codes if code and code < 0 and code != -signal.SIGTERM]
        killed = f"killed by signal {signals[0]}" if signals else ""
        return self._stderr.read_last_line() or killed


def describe_end(executor: Executor) -> str:
    """Return how the workers of an executor that is shut down ended before they were up.

    An empty string where nothing is known of it.
    """
    return executor.describe_end() if isinstance(executor, _SignalSafePool) else ""


def set_up_worker(mark: str, stderr: int) -> None:
    """Set up a worker process, which leaves Ctrl-C to the coordinator and dies with it.

    Any other signal ends the worker at once: an executor takes an exception for a result, and waits
    for ever for a worker that was told to end. The coordinator ends its programs. What goes wrong
    here is written to the standard error of workers that start.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    os.environ[MARK_VARIABLE] = mark
    tempfile.tempdir = str(make_scratch_folder(mark))
    threading.Thread(target=_die_with_parent, args=(mark,), daemon=True).start()
    os.dup2(stderr, STDERR)
    os.close(stderr)


def make_scratch_folder(mark: str) -> Path:
    """Return the folder for files that programs write during their matches."""
    path = Path(tempfile.gettempdir())
    path = path if path.name == f"arena-{mark}" else path / f"arena-{mark}"
    path.mkdir(mode=PASSABLE_MODE, exist_ok=True)
    return path


def _die_with_parent(mark: str) -> None:
    """Wait until the coordinator has died, then end all programs and this worker."""
    parent = parent_process()
    assert parent
    connection.wait([parent.sentinel])
    kill_programs(mark)
    os._exit(1)


@contextmanager
def mark_processes(mark: str, where: Path) -> Iterator[None]:
    """Mark the processes that this process starts, and set their temporary folder, in a block."""
    before, tempfile.tempdir = tempfile.tempdir, str(where)
    os.environ[MARK_VARIABLE] = mark
    try:
        yield
    finally:
        del os.environ[MARK_VARIABLE]
        tempfile.tempdir = before


@contextmanager
def clean_up_around(mark: str) -> Iterator[None]:
    """Clean up before and after a block, including the leftovers of an interrupted run."""
    spare = ExitStack()
    try:
        clean_up(mark)
        for _ in range(SPARE_DESCRIPTORS):
            spare.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        yield
    finally:
        spare.close()
        with defer_signals():
            clean_up(mark)


def clean_up(mark: str) -> None:
    """Kill the processes and remove the files that a run with this mark has left behind."""
    kill_programs(mark)
    remove_folder(make_scratch_folder(mark))


def kill_programs(mark: str) -> None:
    """Kill every process that a worker with this mark has started."""
    kill_all(lambda: _find_processes(mark))


def _find_processes(mark: str) -> Iterator[int]:
    """Return a pidfd for each process alive that carries the mark in its environment."""
    for name in os.listdir("/proc"):  # noqa: PTH208  # this is hot
        if name.isdigit() and int(name) != os.getpid():
            with suppress(OSError):
                descriptor = os.pidfd_open(int(name))
                if _has_mark(name, mark):  # the id was not reused meanwhile
                    yield descriptor
                else:
                    os.close(descriptor)


def _has_mark(process: str, mark: str) -> bool:
    try:
        environment = _read_environment(process)
    except OSError:  # it ended, or belongs to another user
        return False
    return f"{MARK_VARIABLE}={mark}".encode() in environment.split(b"\0")


def _read_environment(process: str) -> bytes:
    """Return the environment of a process; wait while the system call execve replaces it.

    During execve the kernel shows an empty environment: without the wait, a program that is just
    being started would not be found, and would outlive its match.
    """
    until = time.monotonic() + EXECVE_TIMEOUT_SECONDS
    while True:
        environment = Path("/proc", process, "environ").read_bytes()
        if environment or _has_no_environment(process) or time.monotonic() > until:
            return environment
        os.sched_yield()


def _has_no_environment(process: str) -> bool:
    """Return whether a process has an empty environment, or none, by proc_pid_stat(5).

    While execve has not finished, the start of the code is 0.
    """
    fields = Path("/proc", process, "stat").read_bytes().rpartition(b")")[2].split()
    state, flags, code, start, end = fields[0], int(fields[6]), fields[23], fields[47], fields[48]
    return state in b"ZX" or bool(flags & KERNEL_THREAD) or (code != b"0" and start == end)
