"""Where executors come from: processes on this machine, or those of a plugin.

Any `concurrent.futures.Executor` will do. Its workers play the matches of a `MatchBatch` one after
the other (`play_batch`), return their records, and store nothing.
"""

from __future__ import annotations

from concurrent.futures import Executor
from pathlib import Path
from typing import Protocol


class ExecutorProvider(Protocol):
    """Provides executors; implementations are frozen attrs classes with parameters as fields."""

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
