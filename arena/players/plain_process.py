"""Programs that run without a sandbox.

It leads a session of its own, so that no signal of the host's terminal reaches it and
everything that it leaves behind in its session can be found. What leaves the session is out
of reach here.
"""

from __future__ import annotations

import errno
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

PROGRAM_ERRNOS = {
    errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR, errno.EISDIR, errno.ELOOP,
    errno.E2BIG, errno.ENAMETOOLONG, errno.EPERM,
}  # fmt: skip
"""The errors that a program which cannot be started is to blame for; others are the host's."""


class ProgramStartError(Exception):  # it is the entrant's error
    """A command that cannot be started; the message says why."""


class PlainProcess:
    """A running program without a sandbox; the other kind is `SandboxedProcess`."""

    def __init__(
        self, command: Sequence[str], folder: Path | None, environment: Mapping[str, str]
    ) -> None:
        """Start the program; raise ProgramStartError."""
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                command, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe,
                cwd=folder, env=environment, start_new_session=True,
            )  # fmt: skip
        except OSError as problem:
            if problem.errno not in PROGRAM_ERRNOS:
                raise
            raise ProgramStartError(f"{command[0]}: {problem.strerror}") from None
        except ValueError as problem:  # a NUL in the command
            raise ProgramStartError(f"{command[0]!r}: {problem}") from None
        streams = self._process.stdin, self._process.stdout, self._process.stderr
        assert streams[0]
        assert streams[1]
        assert streams[2]
        self.streams: tuple[IO[bytes], IO[bytes], IO[bytes]] = streams[0], streams[1], streams[2]
        self._exit = -1
        self._ended = False

    @property
    def session(self) -> int:
        """Return the number of its session, and of its first process."""
        return self._process.pid

    @property
    def descriptor(self) -> int:
        """The descriptor that becomes readable when the program ends."""
        if self._exit < 0:
            self._exit = os.pidfd_open(self.session)
        return self._exit

    @property
    def status(self) -> int | None:
        """Return its exit status, minus the number of a signal, once it is closed."""
        return self._process.returncode

    stop_reason = discard_reason = ""
    """Always empty: there are no limits without a sandbox."""

    leftover_count = 0
    """Always 0: leftover processes are counted by their session."""

    def wait_until_ready(self) -> None:
        """Do nothing: the program runs already."""

    def note_end(self) -> None:
        """Record that the program has ended; as a zombie it still keeps its process number."""
        self._ended = True

    def signal(self, number: int) -> None:
        """Send a signal to the program and its process group."""
        with suppress(ProcessLookupError):
            os.killpg(self.session, number)

    def release(self) -> None:
        """Do nothing: leftover processes are searched for elsewhere."""

    def close(self) -> None:
        """Collect the exit status, if the program has ended."""
        if self._exit >= 0:
            os.close(self._exit)
        if self._ended:
            self._process.wait()


def describe_end(status: int | None, stopped: str) -> str:
    """Return the reason for a program's end: its exit status, a limit, or the host."""
    if stopped:
        return f"it used {stopped}, and was ended"
    if status is None:
        return "the host ended it"
    if status < 0:
        known = {number.value: number.name for number in signal.Signals}
        return f"killed by {known.get(-status, f'signal {-status}')}"
    return f"exit status {status}"
