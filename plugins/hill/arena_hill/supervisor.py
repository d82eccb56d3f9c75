"""The supervisor of processes: it restarts what ends, and ends all when files are replaced.

A hill ends when one of its databases is deleted or replaced while it runs: only its host knows
which one counts.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from threading import Event
from time import monotonic
from types import FrameType

import structlog
from attrs import define, field

from arena.players import build_module_command, handle_signals
from arena.rules import describe_error
from arena.tournament.store.database import FileIdentities
from arena_hill.heartbeat import Heartbeat
from arena_hill.hill import Hill
from arena_hill.pauses import Pause

POLL_SECONDS = 0.2  # between two looks at who is alive
MIN_RESTART_SECONDS, MAX_RESTART_SECONDS = 0.5, 30.0  # until a process is started again
STABLE_SECONDS = 60.0  # after which its end is a new misfortune
USAGE_STATUS = 2  # the exit status of what cannot begin


@define
class HillSupervisor:
    """Keeps processes running until a signal arrives, or files are replaced."""

    children: Sequence[ChildProcess]
    files: FileIdentities = field(factory=FileIdentities)  #: that stay while the hill runs
    _signals: int = field(default=0, init=False)
    _wake_up: Event = field(factory=Event, init=False)

    @classmethod
    def of(
        cls, hill: Hill, arguments: Mapping[str, Sequence[str]], files: FileIdentities
    ) -> HillSupervisor:
        """Create a supervisor; `arguments` are those of `arena`, by the names of the processes."""
        children = [
            ChildProcess(name, build_module_command("arena", *words), Heartbeat.of(hill, name))
            for name, words in arguments.items()
        ]
        return cls(children, files)

    def run(self) -> int:
        """Run all processes; return 0 after a signal, or the status of one that cannot start.

        Raises:
            ReplacedFileError: after all have ended, if one of the files was replaced.
        """
        with handle_signals(self._count_signal):
            for child in self.children:
                child.heartbeat.stop()
                child.try_start()
            status = 0
            try:
                while not self._signals and not status:
                    self.files.check()
                    status = self._restart_children()
                    self._wake_up.wait(POLL_SECONDS)
            finally:
                self._end_children()
            return status

    def _restart_children(self) -> int:
        """Restart ended processes; return the status of one for which that is useless.

        The host has to fix a process that never started. One that did start may work again later,
        for example when a database server is back.
        """
        for child in self.children:
            status = child.poll()
            if status == USAGE_STATUS and not child.heartbeat.has_begun:
                return status
            if status is not None:
                child.schedule_restart(was_killed=status < 0)
                _log_warning(
                    "process ended", part=child.name, status=status, again_in=child.restart_seconds
                )
            elif child.process is None and child.pause.is_over:
                child.try_start()
        return 0

    def _end_children(self) -> None:
        """Terminate all processes and wait; further signals are passed on to abandon matches."""
        terminations = 0
        while any(child.process for child in self.children):
            if terminations <= self._signals:
                terminations = self._signals + 1
                for child in self.children:
                    if child.process:
                        child.process.terminate()
            self._wake_up.clear()
            self._wake_up.wait(POLL_SECONDS)
            for child in self.children:
                child.poll()

    def _count_signal(self, _: int, __: FrameType | None) -> None:
        """Count a signal."""
        self._signals += 1
        self._wake_up.set()


@define
class ChildProcess:
    """One of the supervised processes."""

    name: str
    arguments: Sequence[str]
    heartbeat: Heartbeat  # which it starts when it has begun
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    restart_seconds: float = field(default=MIN_RESTART_SECONDS, init=False)  # until the next start
    pause: Pause = field(factory=Pause, init=False)  # of that length
    _began: float = field(default=0.0, init=False)

    def try_start(self) -> None:
        """Start the process, or schedule that if this machine has no room for one now."""
        try:
            self._start()
        except OSError as problem:
            self.schedule_restart()
            _log_warning(
                "process cannot start",
                part=self.name,
                why=describe_error(problem),
                again_in=self.restart_seconds,
            )

    def _start(self) -> None:
        """Start the process in its own session, which no terminal interrupts; raise OSError."""
        self._began = monotonic()
        self.process = subprocess.Popen(
            self.arguments, stdin=subprocess.PIPE, start_new_session=True
        )

    def poll(self) -> int | None:
        """Return the exit status once it has ended; None while it runs or waits for a start."""
        status = None if self.process is None else self.process.poll()
        if status is not None and self.process and self.process.stdin:
            self.process.stdin.close()
            self.process = None
        return status

    def schedule_restart(self, *, was_killed: bool = False) -> None:
        """Schedule a restart: soon after a kill, and with backoff after quick failures."""
        sound = was_killed or monotonic() - self._began > STABLE_SECONDS
        self.restart_seconds = (
            MIN_RESTART_SECONDS if sound else min(MAX_RESTART_SECONDS, 2 * self.restart_seconds)
        )
        self.pause.begin(self.restart_seconds)


def _log_warning(event: str, **fields: object) -> None:
    structlog.wrap_logger(structlog.PrintLogger(sys.stderr)).warning(event, **fields)
