"""Keeping a hill running: its three processes, each started again when it ends.

The coordinator plays, the porter tries what was sent, the web shows. What one of them does not
survive is nothing to the others; all that matters is on the disk. Each ends when the one that
has started it is gone, whatever became of it: then its standard input ends.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event
from time import monotonic
from types import FrameType

import structlog
from attrs import define, field

from arena.players import handled

LOOK = 0.2  # seconds between two looks at who is alive
SHORTEST, LONGEST = 0.5, 30.0  # seconds until a part is started again
SOUND = 60.0  # seconds after which its end is a new misfortune
USAGE = 2  # the exit status of what cannot begin

log = structlog.get_logger()


@define
class Part:
    """One of the processes."""

    name: str
    words: Sequence[str]
    heart: Path  # the file that it makes when it has begun
    process: subprocess.Popen[bytes] | None = None
    began: float = 0.0
    pause: float = SHORTEST  # until it is started again
    due: float = 0.0  # when it is

    def start(self) -> None:
        """Start it, apart from the terminal: interrupts come from its keeper alone."""
        self.process = subprocess.Popen(self.words, stdin=subprocess.PIPE, start_new_session=True)
        self.began = monotonic()

    def ended(self) -> int | None:
        """Return its exit status, once it has one; None while it runs, or waits to be started."""
        status = None if self.process is None else self.process.poll()
        if status is not None and self.process and self.process.stdin:
            self.process.stdin.close()
            self.process = None
        return status

    def put_off(self, status: int) -> None:
        """Have it started again: soon if it was killed, else the later the sooner it has ended."""
        lived = monotonic() - self.began
        sound = status < 0 or lived > SOUND
        self.pause = SHORTEST if sound else min(LONGEST, 2 * self.pause)
        self.due = monotonic() + self.pause


@define
class Keeper:
    """Keeps parts running until it is told to end."""

    parts: Sequence[Part]
    _signals: int = field(default=0, init=False)
    _asked: Event = field(factory=Event, init=False)

    @classmethod
    def of(cls, parts: Mapping[str, Sequence[str]], alive: Path) -> Keeper:
        """Return the keeper of parts of the arena: by their names, what to add to `arena`.

        `alive` is the folder of their signs of life.
        """
        start = (sys.executable, "-m", "arena")
        return cls([Part(name, (*start, *words), alive / name) for name, words in parts.items()])

    def run(self) -> int:
        """Run all; return the exit status: 0 after an interrupt, else why it could not begin."""
        with handled(self._told):
            for part in self.parts:
                part.heart.unlink(missing_ok=True)
                part.start()
            status = 0
            while not self._signals and not status:
                status = self._look()
                self._asked.wait(LOOK)
            self._end()
            return status

    def _look(self) -> int:
        """Start again what has ended; return its status where that is no use.

        What could not begin is the host's to mend. What has begun, and cannot any more, may find
        again later what it lacks, such as a database's server.
        """
        for part in self.parts:
            status = part.ended()
            if status == USAGE and not part.heart.exists():
                return status
            if status is not None:
                part.put_off(status)
                log.warning("ended", part=part.name, status=status, again_in=part.pause)
            elif part.process is None and monotonic() >= part.due:
                part.start()
        return 0

    def _end(self) -> None:
        """End all, and wait; another interrupt is handed on, so that nothing is waited for."""
        told = 0
        while any(part.process for part in self.parts):
            if told <= self._signals:
                told = self._signals + 1
                for part in self.parts:
                    if part.process:
                        part.process.terminate()
            self._asked.clear()
            self._asked.wait(LOOK)
            for part in self.parts:
                part.ended()

    def _told(self, _: int, __: FrameType | None) -> None:
        """Count an interrupt."""
        self._signals += 1
        self._asked.set()
