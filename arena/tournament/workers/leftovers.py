"""What a run may leave behind: programs, found by a mark in their environment, and their files.

Every process that a run starts inherits the mark, so that those that outlive it can be found in
`/proc`, also by the next run after one that was killed.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import monotonic

from attrs import frozen

from arena.host import PASSABLE_MODE, remove_folder
from arena.players import defer_signals, kill_all

MARK_VARIABLE = "ARENA_TOURNAMENT"
"""The environment variable that marks all processes of a tournament."""
MARK_LENGTH = 16
"""How many digits of a hash are a mark."""
EXECVE_TIMEOUT_SECONDS = 5.0
"""The longest wait for a process that is replacing its program; this takes microseconds."""
KERNEL_THREAD = 0x00200000
"""The flag of kernel threads (PF_KTHREAD), which never have an environment."""
SPARE_DESCRIPTORS = 4
"""Spare descriptors, so that a run without free descriptors can still clean up."""


@frozen
class RunMark:
    """The mark of a run, which all processes that it starts carry in their environment."""

    text: str

    @classmethod
    def shorten(cls, digits: str) -> RunMark:
        """Return the mark from the hexadecimal digits of a hash."""
        return cls(digits[:MARK_LENGTH])

    @contextmanager
    def clean_up_around(self) -> Iterator[None]:
        """Clean up before and after a block, including the leftovers of an interrupted run."""
        spare = ExitStack()
        try:
            self.clean_up()
            for _ in range(SPARE_DESCRIPTORS):
                spare.callback(os.close, os.open(os.devnull, os.O_RDONLY))
            yield
        finally:
            spare.close()
            with defer_signals():
                self.clean_up()

    def clean_up(self) -> None:
        """Kill the processes and remove the files that a run with this mark has left behind."""
        self.kill_programs()
        remove_folder(self.make_scratch_folder())

    @contextmanager
    def mark_processes(self, folder: Path | None = None) -> Iterator[None]:
        """Mark what this process starts within a block, and set the folder of temporary files.

        That is the scratch folder, where no other one is given.
        """
        before, tempfile.tempdir = tempfile.tempdir, str(folder or self.make_scratch_folder())
        os.environ[MARK_VARIABLE] = self.text
        try:
            yield
        finally:
            del os.environ[MARK_VARIABLE]
            tempfile.tempdir = before

    def make_scratch_folder(self) -> Path:
        """Return the folder for files that programs write during their matches."""
        path = Path(tempfile.gettempdir())
        path = path if path.name == f"arena-{self.text}" else path / f"arena-{self.text}"
        path.mkdir(mode=PASSABLE_MODE, exist_ok=True)
        return path

    def kill_programs(self) -> None:
        """Kill every process with this mark but this one."""
        kill_all(self._find_processes)

    def _find_processes(self) -> Iterator[int]:
        """Yield a pidfd for each process alive that carries the mark in its environment."""
        for name in os.listdir("/proc"):  # noqa: PTH208  # this is hot
            if name.isdigit() and int(name) != os.getpid():
                with suppress(OSError):
                    descriptor = os.pidfd_open(int(name))
                    if self._is_carried_by(name):  # the id was not reused meanwhile
                        yield descriptor
                    else:
                        os.close(descriptor)

    def _is_carried_by(self, process: str) -> bool:
        try:
            environment = _read_environment(process)
        except OSError:  # it ended, or belongs to another user
            return False
        return f"{MARK_VARIABLE}={self.text}".encode() in environment.split(b"\0")


def _read_environment(process: str) -> bytes:
    """Return the environment of a process; wait while the system call execve replaces it.

    During execve the kernel shows an empty environment: without the wait, a program that is just
    being started would not be found, and would outlive its match.
    """
    until = monotonic() + EXECVE_TIMEOUT_SECONDS
    while True:
        environment = Path("/proc", process, "environ").read_bytes()
        if environment or _has_no_environment(process) or monotonic() > until:
            return environment
        os.sched_yield()


def _has_no_environment(process: str) -> bool:
    """Return whether a process has an empty environment, or none, by proc_pid_stat(5).

    While execve has not finished, the start of the code is 0.
    """
    fields = Path("/proc", process, "stat").read_bytes().rpartition(b")")[2].split()
    state, flags, code, start, end = fields[0], int(fields[6]), fields[23], fields[47], fields[48]
    return state in b"ZX" or bool(flags & KERNEL_THREAD) or (code != b"0" and start == end)
