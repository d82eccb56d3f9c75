"""New Python processes for work of the arena, which import nothing from the current folder.

`multiprocessing` starts its processes with `python -c`, for which Python looks for all modules,
also its own, in the current folder first. That may be a bot's folder, and a file `signal.py` in it
would run as the host's user. What workers do need is in the path for imports of this process,
which they get: the folder of the main script, for example.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from threading import RLock

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


@contextmanager
def _hide_current_folder() -> Iterator[None]:
    """Have Python processes that are started in a block not import from the current folder."""
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
