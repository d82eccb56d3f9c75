"""The workspaces of a worker: a folder for each tournament's bots and their programs.

A worker is a process, and plays one match at a time, however many threads it has: programs
inherit the environment with the mark of their tournament, and measured times must be fair.
"""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path
from uuid import uuid4

from attrs import define, evolve
from distributed import Reschedule

from arena.extend import MatchResult, Task, mark_processes, play_task
from arena_dask import cleanup


@define(eq=False)
class WorkerWorkspace:
    """The workspace of a worker for one tournament, until it is closed."""

    mark: str  # of this worker alone: others on its machine may play on when it is killed
    folder: Path
    cleaner: subprocess.Popen[bytes]
    closed: bool = False

    @classmethod
    def within(cls, folder: Path, tournament: str) -> WorkerWorkspace:
        """Create a workspace in this folder for the tournament with this mark."""
        mark = f"{tournament}-{uuid4().hex}"
        workspace = folder / f"arena-{mark}"
        workspace.mkdir(mode=0o700)
        return cls(mark, workspace, cleanup.start(mark, workspace))

    @property
    def bots(self) -> Path:
        """The folder for the copies of bots' folders."""
        return self.folder / "bots"

    def close(self) -> None:
        """End the programs of a match in progress, and remove the workspace."""
        self.closed = True
        cleanup.dismiss(self.cleaner)

    def play(self, task: Task) -> list[MatchResult]:
        """Play a task match by match; raise Reschedule once the workspace is closed."""
        here = evolve(task, home=self.folder, bots=self.bots, folders=self.folder, live=None)
        done: list[MatchResult] = []
        with _MATCH_LOCK, mark_processes(self.mark, self.folder):
            for job in task.jobs:
                if self.closed:
                    raise Reschedule
                done += play_task(evolve(here, jobs=(job,)))
        return done


_MATCH_LOCK = threading.Lock()
WORKSPACES: dict[str, WorkerWorkspace] = {}
"""The workspaces of this worker, by the marks of the tournaments."""


def play_in_workspace(tournament: str, task: Task) -> list[MatchResult]:
    """Play a task of the tournament with this mark; raise Reschedule without a workspace for it."""
    if tournament not in WORKSPACES:
        raise Reschedule
    return WORKSPACES[tournament].play(task)
