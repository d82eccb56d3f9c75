"""Starting programs, and ending them together, with all that they started.

Each program leads a session of its own, so that no signal of the host's terminal reaches
it and everything that it leaves behind in its session can be found. What leaves the
session is out of reach here.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import subprocess
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import IO

from arena.interrupts import deferred
from arena.players.loop import Loop
from arena.players.pipes import Pipes

PATIENCE = 0.5  # seconds that SIGTERM may take
MERCY = 5.0  # seconds that SIGKILL may take, where the machine is very busy
SWEEP = 2.0  # seconds for what a program left behind to be gone
ITS_OWN = {
    errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR, errno.EISDIR, errno.ELOOP,
    errno.E2BIG, errno.ENAMETOOLONG, errno.EPERM,
}  # fmt: skip
"""What a program that cannot be started may be blamed for; all else is the host's fault."""


class NotStarted(Exception):  # noqa: N818  # it is the entrant's error
    """The command cannot be started; the text says why."""


class Process:
    """A running program: its pipes, and its end."""

    def __init__(
        self,
        command: Sequence[str],
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        log: IO[bytes] | None = None,
    ) -> None:
        """Start it; raise NotStarted where the command is at fault."""
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                command, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe,
                cwd=folder, env=environment, start_new_session=True,
            )  # fmt: skip
        except OSError as problem:
            if problem.errno not in ITS_OWN:
                raise
            raise NotStarted(f"{command[0]}: {problem.strerror}") from None
        except ValueError as problem:  # a NUL in the command
            raise NotStarted(f"{command[0]!r}: {problem}") from None
        streams = self._process.stdin, self._process.stdout, self._process.stderr
        assert streams[0]
        assert streams[1]
        assert streams[2]
        self.pipes = Pipes((streams[0], streams[1], streams[2]), log)
        self.session = self._process.pid
        self.running = True
        self.reaped = False
        self._exit = -1
        self._signalled = False

    @property
    def epitaph(self) -> str:
        """How it ended, when it has been reaped: by itself, or because the host ended it."""
        status = self._process.returncode
        if self._signalled or status is None:
            return "the host ended it"
        if status < 0:
            known = {number.value: number.name for number in signal.Signals}
            return f"killed by {known.get(-status, f'signal {-status}')}"
        return f"exit status {status}"

    def signal(self, number: int) -> None:
        """Send a signal to it and to all in its process group, while it has not ended."""
        if self.running:
            self._signalled = True
            with suppress(ProcessLookupError):
                os.killpg(self.session, number)

    def wind_up(self, loop: Loop) -> None:
        """End its input when all is sent, and have this loop see it out."""
        self._exit = os.pidfd_open(self.session)
        self.pipes.join(loop)
        self.pipes.finish()
        loop.watch(self._exit, select.POLLIN, lambda: self._ended(loop))

    def reap(self) -> None:
        """Close its pipes and take its exit status, if it has ended."""
        self.reaped = True
        self.pipes.close()
        if self._exit >= 0:
            os.close(self._exit)
        if not self.running:
            self._process.wait()

    def _ended(self, loop: Loop) -> None:
        """Note that it has ended; it is a zombie still, so that its number is its own."""
        loop.forget(self._exit)
        self.running = False


def end(processes: Sequence[Process], grace: float) -> None:
    """End programs together: end of input, some grace, SIGTERM, SIGKILL; then the rest.

    An interrupt on the way only makes it shorter: nothing is left running.
    """
    processes = [process for process in processes if not process.reaped]
    if not processes:
        return
    loop = Loop()
    try:
        for process in processes:
            process.wind_up(loop)
        see_out(processes, loop, grace)
        for process in processes:
            process.signal(signal.SIGTERM)
        see_out(processes, loop, PATIENCE)
    finally:
        with deferred():
            _end_at_once(processes, loop)


def _end_at_once(processes: Sequence[Process], loop: Loop) -> None:
    for process in processes:
        process.signal(signal.SIGKILL)
    see_out(processes, loop, MERCY)
    sweep({process.session for process in processes})
    for process in processes:
        process.reap()


def see_out(processes: Sequence[Process], loop: Loop, seconds: float) -> None:
    """Wait until all have ended, or for so long."""
    until = monotonic() + seconds
    while any(process.running for process in processes) and monotonic() < until:
        loop.wait(until)


def sweep(sessions: Collection[int]) -> None:
    """Kill all that is left in these sessions, whose leaders have ended and are not reaped."""
    kill_all(lambda: members(sessions))


def kill_all(find: Callable[[], Iterable[int]]) -> None:
    """Kill what is found, as pidfds, until nothing more is, and see it gone."""
    until = monotonic() + SWEEP
    while (left := list(find())) and monotonic() < until:
        poll = select.poll()
        for descriptor in left:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
            poll.register(descriptor, select.POLLIN)
        poll.poll(max(0.0, until - monotonic()) * 1000)
        for descriptor in left:
            os.close(descriptor)


def members(sessions: Collection[int]) -> Iterator[int]:
    """Give a pidfd for each process alive in these sessions, but their leaders."""
    for name in os.listdir("/proc"):  # noqa: PTH208  # this is hot
        if name.isdigit() and int(name) not in sessions and _session(name) in sessions:
            with suppress(ProcessLookupError):
                descriptor = os.pidfd_open(int(name))
                if _session(name) in sessions:  # still: the number is not somebody else's
                    yield descriptor
                else:
                    os.close(descriptor)


def _session(process: str) -> int | None:
    """Give the session of a process that is alive (proc(5), stat: fields 3 and 6)."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:  # noqa: PTH123  # this is hot
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return None if fields[0] in b"ZX" else int(fields[3])
