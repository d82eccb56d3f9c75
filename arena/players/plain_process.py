"""Programs that run without a sandbox.

A starter starts them, a small process of this host's (`starter_pool`). Each leads a session of
its own, so that no signal of the host's terminal reaches it. What it leaves behind becomes a child
of the starter, also where it has left the session.
"""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from arena.players.program_starter import ProgramStarter
from arena.players.starter_pool import STARTER_POOL

PROGRAM_ERRNOS = {
    errno.ENOENT, errno.EACCES, errno.ENOEXEC, errno.ENOTDIR, errno.EISDIR, errno.ELOOP,
    errno.E2BIG, errno.ENAMETOOLONG, errno.EPERM,
}  # fmt: skip
"""The errors that a program which cannot be started is to blame for; others are the host's."""

START_TIME = 19  # the field of /proc/PID/stat, from the third on


class ProgramStartError(Exception):  # it is the entrant's error
    """A command that cannot be started; the message says why."""


class PlainProcess:
    """A running program without a sandbox; the other kind is `SandboxedProcess`."""

    def __init__(
        self, command: Sequence[str], folder: Path | None, environment: Mapping[str, str]
    ) -> None:
        """Start the program; raise ProgramStartError."""
        ends = [os.pipe(), os.pipe(), os.pipe()]
        given = [ends[0][0], ends[1][1], ends[2][1]]
        kept = [ends[0][1], ends[1][0], ends[2][0]]
        try:
            started = STARTER_POOL.start(command, str(folder or Path.cwd()), environment, given)
            self.starter, self.session, self.is_warm = started
            self._exit = os.pidfd_open(self.session)
        except OSError as problem:
            _close_all(kept)
            if problem.errno not in PROGRAM_ERRNOS:
                raise
            raise ProgramStartError(f"{command[0]}: {problem.strerror}") from None
        except ValueError as problem:  # a NUL in the command
            _close_all(kept)
            raise ProgramStartError(f"{command[0]!r}: {problem}") from None
        except BaseException:
            _close_all(kept)
            raise
        finally:
            _close_all(given)
        self.streams: tuple[IO[bytes], IO[bytes], IO[bytes]] = (
            os.fdopen(kept[0], "wb", 0), os.fdopen(kept[1], "rb", 0), os.fdopen(kept[2], "rb", 0),
        )  # fmt: skip
        self.status: int | None = None
        self._ended = False

    @property
    def descriptor(self) -> int:
        """The descriptor that becomes readable when the program ends."""
        return self._exit

    stop_reason = discard_reason = ""
    """Always empty: there are no limits without a sandbox."""

    leftover_count = 0
    """Always 0: leftover processes are found by `find_leftovers`."""

    def wait_until_ready(self) -> None:
        """Do nothing: the program runs already."""

    def note_end(self) -> None:
        """Record that the program has ended; as a zombie it still keeps its process number."""
        self._ended = True

    def signal(self, number: int) -> None:
        """Send a signal to the program and its process group."""
        with suppress(ProcessLookupError):
            try:
                os.killpg(self.session, number)
            except ProcessLookupError:  # a fork that has no session yet, or it has ended
                signal.pidfd_send_signal(self._exit, number)

    def release(self) -> None:
        """Do nothing: leftover processes are searched for elsewhere."""

    def close(self) -> None:
        """Collect the exit status, if the program has ended."""
        os.close(self._exit)
        if self._ended:
            with suppress(OSError):
                self.status = self.starter.reap(self.session)
            STARTER_POOL.release(self.starter)


def find_leftovers(processes: Iterable[PlainProcess]) -> Iterator[int]:
    """Yield a pidfd for each process alive that these ended programs have left behind."""
    by_starter: dict[ProgramStarter, list[int]] = {}
    for process in processes:
        by_starter.setdefault(process.starter, []).append(process.session)
    for starter, sessions in by_starter.items():
        with suppress(OSError):  # the starter has been ended, and all programs with it
            for number, start in starter.find_leftovers(sessions):
                with suppress(ProcessLookupError):
                    descriptor = os.pidfd_open(number)
                    if _read_start(number) == start:  # the number is not somebody else's
                        yield descriptor
                    else:
                        os.close(descriptor)


def _read_start(process: int) -> str:
    try:
        with open(f"/proc/{process}/stat", errors="replace") as file:  # noqa: PTH123  # this is hot
            return file.read().rpartition(")")[2].split()[START_TIME]
    except OSError:
        return ""


def _close_all(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


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
