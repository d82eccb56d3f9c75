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
    """Start the process with which `multiprocessing` removes leftovers, unless it runs."""
    with _hide_current_folder():
        resource_tracker.ensure_running()


@contextmanager
def _hide_current_folder() -> Iterator[None]:
    """Have Python processes that are started in a block not import from the current folder.

    The variable is set for them alone: it is not in `os.environ`, from which bots get theirs.
    """
    with _LOCK:
        path = sys.path
        is_set = SAFE_PATH in os.environ
        if "" in path:  # of a notebook or `python -c`, which workers would get as this folder
            sys.path = [entry for entry in path if entry]
        if not is_set:
            os.putenv(SAFE_PATH, "1")
        try:
            yield
        finally:
            sys.path = path
            if not is_set:
                os.unsetenv(SAFE_PATH)
