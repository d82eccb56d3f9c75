"""The rooms of a worker: a folder for each tournament's bots and their programs.

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
class WorkerRoom:
    """The room of a worker for one tournament, until it is closed."""

    mark: str  # of this worker alone: others on its machine may play on when it is killed
    room: Path
    cleaner: subprocess.Popen[bytes]
    closed: bool = False

    @classmethod
    def within(cls, folder: Path, tournament: str) -> WorkerRoom:
        """Create a room in this folder for the tournament with this mark."""
        mark = f"{tournament}-{uuid4().hex}"
        room = folder / f"arena-{mark}"
        room.mkdir(mode=0o700)
        return cls(mark, room, cleanup.start(mark, room))

    @property
    def bots(self) -> Path:
        """The folder for the copies of bots' folders."""
        return self.room / "bots"

    def close(self) -> None:
        """End the programs of a match in progress, and remove the room."""
        self.closed = True
        cleanup.dismiss(self.cleaner)

    def play(self, task: Task) -> list[MatchResult]:
        """Play a task match by match; raise Reschedule once the room is closed."""
        here = evolve(task, home=self.room, bots=self.bots, folders=self.room, live=None)
        done: list[MatchResult] = []
        with _MATCH_LOCK, mark_processes(self.mark, self.room):
            for job in task.jobs:
                if self.closed:
                    raise Reschedule
                done += play_task(evolve(here, jobs=(job,)))
        return done


_MATCH_LOCK = threading.Lock()
ROOMS: dict[str, WorkerRoom] = {}
"""The rooms of this worker, by the marks of the tournaments."""


def play_in_room(tournament: str, task: Task) -> list[MatchResult]:
    """Play a task of the tournament with this mark; raise Reschedule if it has no room here."""
    if tournament not in ROOMS:
        raise Reschedule
    return ROOMS[tournament].play(task)
