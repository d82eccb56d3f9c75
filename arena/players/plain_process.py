"""A program without a sandbox, as the operating system starts it.

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
"""What a program that cannot be started may be blamed for; all else is the host's fault."""


class ProgramStartError(Exception):  # it is the entrant's error
    """The command cannot be started; the text says why."""


class PlainProcess:
    """A program that runs, seen from the host; `SandboxedProcess` is the other kind."""

    def __init__(
        self, command: Sequence[str], folder: Path | None, environment: Mapping[str, str]
    ) -> None:
        """Start it; raise ProgramStartError."""
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
    """No limit is watched here."""

    leftover_count = 0
    """Nobody counts what it leaves; it is to be looked for in its session."""

    def wait_until_ready(self) -> None:
        """Do nothing: it runs."""

    def note_end(self) -> None:
        """Note that it has ended; it is a zombie still, so that its number is its own."""
        self._ended = True

    def signal(self, number: int) -> None:
        """Send a signal to it and to all in its process group."""
        with suppress(ProcessLookupError):
            os.killpg(self.session, number)

    def release(self) -> None:
        """Do nothing: what it has left behind is looked for."""

    def close(self) -> None:
        """Take its exit status, if it has ended."""
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
