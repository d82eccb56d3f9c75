"""Workers that are forks of one process, which has imported all they need: they start at once.

They play, die and are started again as those of `LocalExecutors`. How a new process starts is not
tried with them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import Executor
from multiprocessing import forkserver, get_context, resource_tracker
from pathlib import Path

import pytest

from arena.tournament.workers.local_executors import (
    LocalExecutors,
    LocalPool,
    StartupStderr,
    set_up_tournament_worker,
)

IMPORTED = ["arena.tournament.workers.match_play", "arena_kuhn"]


def start_fork_server() -> None:
    """Start the process that forks: it lives on, and is not to carry a test's mark."""
    resource_tracker.ensure_running()
    forkserver.set_forkserver_preload(IMPORTED)
    forkserver.ensure_running()


def open_forked_workers(workers: int, mark: str) -> Executor:
    """Return an executor with this number of workers, in the environment of this process."""
    stderr = StartupStderr()
    return LocalPool(
        stderr, workers, get_context("forkserver"), initializer=set_up_fork,
        initargs=({**os.environ}, mark, stderr),
    )  # fmt: skip


@pytest.fixture
def forked_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the workers of tournaments be forks."""
    start_fork_server()

    def start(_: LocalExecutors, workers: int, bots: Path, mark: str) -> Executor:  # noqa: ARG001
        return open_forked_workers(workers, mark)

    monkeypatch.setattr(LocalExecutors, "open", start)


def set_up_fork(environment: Mapping[str, str], mark: str, stderr: int) -> None:
    """Set up a worker with the environment that a new process would have."""
    os.environ.clear()
    os.environ.update(environment)
    set_up_tournament_worker(mark, stderr)
