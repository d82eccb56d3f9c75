"""Where a worker plays: a room for a tournament's bots and their programs, and what is in it.

A worker is a process, and plays one match at a time, whatever its threads: programs get the
process's environment, in which the mark is for whom they play, and times are to be fair.
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
class Place:
    """A room of a worker for one tournament, until it is closed."""

    mark: str  # of this worker alone: others on its machine may play on when it is killed
    room: Path
    keeper: subprocess.Popen[bytes]
    closed: bool = False

    @classmethod
    def within(cls, folder: Path, tournament: str) -> Place:
        """Make one in this folder for the tournament of this mark."""
        mark = f"{tournament}-{uuid4().hex}"
        room = folder / f"arena-{mark}"
        room.mkdir(mode=0o700)
        return cls(mark, room, cleanup.start(mark, room))

    @property
    def bots(self) -> Path:
        """Return the folder for copies of bots' folders."""
        return self.room / "bots"

    def close(self) -> None:
        """End the programs of a match under way, and remove all."""
        self.closed = True
        cleanup.dismiss(self.keeper)

    def play(self, task: Task) -> list[MatchResult]:
        """Play a task here, match by match, until the place is closed."""
        here = evolve(task, home=self.room, bots=self.bots, folders=self.room, live=None)
        done: list[MatchResult] = []
        with _ALONE, mark_processes(self.mark, self.room):
            for job in task.jobs:
                if self.closed:
                    raise Reschedule
                done += play_task(evolve(here, jobs=(job,)))
        return done


_ALONE = threading.Lock()
PLACES: dict[str, Place] = {}
"""This worker's places, by the marks of the tournaments."""


def work(tournament: str, task: Task) -> list[MatchResult]:
    """Play a task of the tournament of this mark; where there is no place for it, give it back."""
    if tournament not in PLACES:
        raise Reschedule
    return PLACES[tournament].play(task)
