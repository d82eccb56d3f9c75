"""Tournaments whose matches are played by the process that runs them, where its workers are not the point."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.tournament.bots import seatable_entrants
from arena.tournament.workers import match_play
from arena.tournament.workers.leftovers import RunMark
from arena.tournament.workers.local_executors import LocalExecutors


class InlineExecutor(Executor):
    """Plays what it is given at once."""

    def __init__(self, mark: str) -> None:
        self._mark = RunMark(mark)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Return what a call came to."""
        future: Future[Any] = Future()
        with self._mark.mark_processes():
            future.set_result(fn(*args, **kwargs))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the programs, as a worker does that ends."""
        match_play.open_programs().close()
        match_play.open_programs.cache_clear()
        seatable_entrants.build_entrant.cache_clear()


@contextmanager
def play_inline() -> Iterator[None]:
    """Have tournaments with one worker played in this process within a block; others have real ones."""
    start = LocalExecutors.open

    def choose(local: LocalExecutors, workers: int, bots: Path, mark: str) -> Executor:
        return InlineExecutor(mark) if workers == 1 else start(local, workers, bots, mark)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LocalExecutors, "open", choose)
        yield


@pytest.fixture
def inline_workers() -> Iterator[None]:
    """Have them played so for a test."""
    with play_inline():
        yield
