"""Worker processes of the arena: how they start, what signals do to them, and when they end.

New ones import nothing from the current folder.

`multiprocessing` starts its processes with `python -c`, for which Python looks for all modules,
also its own, in the current folder first. That may be a bot's folder, and a file `signal.py` in it
would run as the host's user. What workers do need is in the path for imports of this process,
which they get: the folder of the main script, for example.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import connection, parent_process, resource_tracker
from multiprocessing.context import BaseContext, SpawnContext, SpawnProcess
from threading import RLock, Thread
from typing import Any

from arena.players.interrupts import defer_signals, reset_signals

SAFE_PATH = "PYTHONSAFEPATH"
WARNINGS = "PYTHONWARNINGS"
QUIET = "ignore:resource_tracker:UserWarning"
"""What the process that removes leftovers says after a kill: it is what this process is for."""
_LOCK = RLock()


class WorkerProcess(SpawnProcess):
    """A new Python process that imports nothing from the current folder.

    What it starts itself, such as bots, is not bound by that: they may import what stands beside
    them.
    """

    _hides_variable = False

    def start(self) -> None:
        """Start the process."""
        self._hides_variable = SAFE_PATH not in os.environ
        with _hide_current_folder():
            super().start()

    def run(self) -> None:
        """Run the target, in the new process."""
        if self._hides_variable:
            del os.environ[SAFE_PATH]
        super().run()


class WorkerContext(SpawnContext):
    """The context of `multiprocessing` for workers."""

    Process = WorkerProcess


CONTEXT = WorkerContext()


def get_worker_context() -> WorkerContext:
    """Return the context in which to start workers."""
    start_resource_tracker()  # which queues and locks would start otherwise
    return CONTEXT


def start_resource_tracker() -> None:
    """Start the process with which `multiprocessing` removes leftovers, unless it runs.

    It does so without a word.
    """
    warnings = ",".join(filter(None, [os.environ.get(WARNINGS), QUIET]))
    with _hide_current_folder(), _set_variable(WARNINGS, warnings):
        resource_tracker.ensure_running()


class WorkerPool(ProcessPoolExecutor):
    """A process pool whose workers ignore Ctrl-C from the start, and end when this process has.

    A terminal sends the signal to all processes of a command. It is blocked while workers are
    started; they inherit this until they ignore it. This process defers it meanwhile, also where
    another thread gets it: a worker that is told half of what to do says so at length. Whoever
    names an `initializer` has it call `set_up_worker`.
    """

    def __init__(
        self,
        workers: int,
        context: BaseContext | None = None,
        initializer: Callable[..., object] | None = None,
        initargs: tuple[Any, ...] = (),
    ) -> None:
        context = context or get_worker_context()
        super().__init__(workers, context, initializer or set_up_worker, initargs)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit a call; start workers if there are too few."""
        with defer_signals():
            start_resource_tracker()  # because its start unblocks the signal
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                return super().submit(fn, *args, **kwargs)
            finally:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def set_up_worker(on_orphaned: Callable[[], object] = lambda: None) -> None:
    """Set up a worker of a pool; it ends when its parent has died, after `on_orphaned`."""
    reset_signals()
    Thread(target=_die_with_parent, args=(on_orphaned,), daemon=True).start()


def _die_with_parent(on_orphaned: Callable[[], object]) -> None:
    parent = parent_process()
    assert parent
    connection.wait([parent.sentinel])
    on_orphaned()
    os._exit(1)


@contextmanager
def _hide_current_folder() -> Iterator[None]:
    """Keep Python processes that a block starts from importing from the current folder."""
    with _LOCK, _set_variable(SAFE_PATH, os.environ.get(SAFE_PATH, "1")):
        path = sys.path
        if "" in path:  # of a notebook or `python -c`, which workers would get as this folder
            sys.path = [entry for entry in path if entry]
        try:
            yield
        finally:
            sys.path = path


@contextmanager
def _set_variable(name: str, value: str) -> Iterator[None]:
    """Set an environment variable of processes that are started in a block, and of them alone.

    It is not in `os.environ`, from which bots get theirs.
    """
    os.putenv(name, value)
    try:
        yield
    finally:
        if name in os.environ:
            os.putenv(name, os.environ[name])
        else:
            os.unsetenv(name)
