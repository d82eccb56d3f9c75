"""The process tree of a program: finding, measuring and ending its processes.

They are the descendants of a keeper. It is their subreaper (prctl(2)), so that whoever lost
its parent is its child, however often it has forked and whatever session it is in. What is
read here is described in proc(5).
"""

from __future__ import annotations

import os
import resource
import signal
import socket
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from arena.sandbox.kernel import libc

TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
KB = 1024
FIRST_OF_STAT = 3  # the fields of /proc/PID/stat behind the name begin with the third
STATE, FLAGS, START_TIME = (field - FIRST_OF_STAT for field in (3, 9, 22))
OWN_CPU = range(14 - FIRST_OF_STAT, 16 - FIRST_OF_STAT)
CPU_WITH_CHILDREN = range(14 - FIRST_OF_STAT, 18 - FIRST_OF_STAT)  # those it has waited for
WAKEUP_BYTES = 4096  # that signals may have left: each leaves one
EXITING = 0x4  # PF_EXITING: it has no memory and no files any more, or soon will not
RESIDENT, SHARED, SWAPPED = "VmRSS", "RssShmem", "VmSwap"  # of /proc/PID/status
HUGE, TABLES, PINNED = "HugetlbPages", "VmPTE", "VmPin"


class ProcessStat(NamedTuple):
    """The status of a process or thread from /proc."""

    fields: list[str]  # of /proc/PID/stat, from the third on

    @property
    def is_running(self) -> bool:
        """Whether it has neither ended nor started to end."""
        return self.fields[STATE] not in "ZX" and not int(self.fields[FLAGS]) & EXITING

    @property
    def start(self) -> str:
        """The start time, which identifies it together with its number."""
        return self.fields[START_TIME]

    @property
    def own_ticks(self) -> int:
        """The CPU time that it has used itself, in clock ticks."""
        return sum(int(self.fields[at]) for at in OWN_CPU)

    @property
    def ticks(self) -> int:
        """The CPU time of it and of the children that it has waited for, in clock ticks."""
        return sum(int(self.fields[at]) for at in CPU_WITH_CHILDREN)


class Thread(NamedTuple):
    """A running thread of a process, whose files in /proc describe the process."""

    process: int
    path: str  # in /proc


class MemoryUsage(NamedTuple):
    """The memory of a process, in bytes."""

    resident_bytes: int  # what is swapped out counts, too
    shared_bytes: int  # of that: what is no file's, or a file's in memory, and not a process's own
    table_bytes: int  # page tables, and pages that are pinned or huge


def iter_descendants(process: int) -> Iterator[tuple[int, int]]:
    """Yield all descendants of a process, each with its depth; children have 1."""
    waiting = [(process, 0)]
    while waiting:
        parent, depth = waiting.pop()
        for child in list_children(parent):
            yield child, depth + 1
            waiting.append((child, depth + 1))


def list_children(process: int) -> list[int]:
    """Return the children of all threads of a process."""
    found: list[int] = []
    with suppress(OSError):  # it has ended
        for thread in os.listdir(f"/proc/{process}/task"):
            with suppress(OSError), open(f"/proc/{process}/task/{thread}/children") as file:
                found += map(int, file.read().split())
    return found


def list_alive(process: int) -> list[int]:
    """Return the descendants that have not ended."""
    return [
        descendant for descendant, _ in iter_descendants(process) if find_running_thread(descendant)
    ]


def find_running_thread(process: int) -> Thread | None:
    """Return a running thread of a process, or None if all have ended.

    It is the first thread in all but odd cases: that one may end before the others.
    """
    first = Thread(process, f"/proc/{process}")
    if _is_running(first.path):
        return first
    with suppress(OSError):
        for name in os.listdir(f"/proc/{process}/task"):
            path = f"/proc/{process}/task/{name}"
            if _is_running(path):
                return Thread(process, path)
    return None


def _is_running(path: str) -> bool:
    found = _read_stat(path)
    return found is not None and found.is_running


def count_threads(processes: list[int]) -> int:
    """Return the number of threads of these processes."""
    count = 0
    for process in processes:
        with suppress(OSError):  # /proc/PID/task has a link for each, beside its own two
            count += os.stat(f"/proc/{process}/task").st_nlink - 2
    return count


def read_memory(thread: Thread) -> MemoryUsage:
    """Return the memory of a thread's process; zero once it has ended."""
    found = dict.fromkeys((RESIDENT, SHARED, SWAPPED, HUGE, TABLES, PINNED), 0)
    with suppress(OSError), open(f"{thread.path}/status", errors="replace") as file:
        for line in file:
            name, _, value = line.partition(":")
            if name in found:
                found[name] = int(value.split()[0]) * KB
    resident, shared = found.pop(RESIDENT) + found.pop(SWAPPED), found.pop(SHARED)
    return MemoryUsage(resident, shared, sum(found.values()))


def read_shared_out_bytes(thread: Thread, otherwise: int, *, with_shared: bool) -> int:
    """Return the proportional memory (PSS) of a process, in bytes."""
    with suppress(OSError), open(f"{thread.path}/smaps_rollup") as file:
        values = dict(line.split()[:2] for line in file if line.endswith("kB\n"))
        total = int(values["Pss:"]) + int(values.get("SwapPss:", 0))
        return KB * (total - (0 if with_shared else int(values.get("Pss_Shmem:", 0))))
    return otherwise


def cpu_seconds(processes: Iterable[int]) -> float:
    """Return the CPU seconds of these processes and of the children they have waited for."""
    return sum(found.ticks for found in map(read_stat, processes) if found) / TICKS_A_SECOND


def read_stat(process: int) -> ProcessStat | None:
    """Return the status of a process from /proc, or None once it is gone."""
    return _read_stat(f"/proc/{process}")


def _read_stat(path: str) -> ProcessStat | None:
    try:
        with open(f"{path}/stat", "rb") as file:
            return ProcessStat(file.read().rpartition(b")")[2].decode().split())
    except OSError:
        return None


def kill(process: int) -> None:
    """End all descendants of this process, and wait for them.

    All are stopped before the first is ended, or one could start others meanwhile.
    """
    while found := [descendant for descendant, _ in iter_descendants(process)]:
        for number in (signal.SIGSTOP, signal.SIGKILL):
            send(number, found)
        with suppress(ChildProcessError):
            os.waitpid(-1, 0)
        reap()


def signal_namespace(first: int, number: int) -> bool:
    """Send a signal at once to all in a namespace of processes but its first one.

    However fast they fork, none is missed: the kernel does it for whoever is inside, and a fork of
    this process is for a moment. Return whether it was done.
    """
    helper = os.fork()
    if helper == 0:
        status = 1
        try:
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
            libc.setns(os.open(f"/proc/{first}/ns/pid", os.O_RDONLY), libc.NEW_PROCESSES)
            inside = os.fork()  # the first in that namespace to have this parent
            if inside == 0:
                if os.getppid() == 0:  # which is not in it
                    os.kill(-1, number)
                    status = 0
            else:
                status = os.waitpid(inside, 0)[1]
        finally:
            os._exit(1 if status else 0)
    return os.waitpid(helper, 0)[1] == 0


def send(number: int, processes: Iterable[int]) -> None:
    """Send a signal to the processes that exist and may be signalled."""
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, number)


def reap(kept: int = 0) -> None:
    """Collect the exit status of all children that have ended, until one has that is kept."""
    with suppress(ChildProcessError):
        while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            if ended.si_pid == kept:
                break
            os.waitpid(ended.si_pid, 0)


def read_cpu_seconds_of_children() -> float:
    """Return the CPU seconds of all children that have ended and were waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class ChildAlarm:
    """A descriptor that becomes readable when a child of this process ends."""

    def __init__(self) -> None:
        self._ends, self._signals = socket.socketpair()
        for end in (self._ends, self._signals):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # it only wakes: nothing is done meanwhile
        signal.set_wakeup_fd(self._signals.fileno(), warn_on_full_buffer=False)

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._ends.fileno()

    def clear(self) -> None:
        """Have it not be readable until the next child ends."""
        with suppress(BlockingIOError):
            self._ends.recv(WAKEUP_BYTES)

    def close(self) -> None:
        """Have SIGCHLD be ignored again, as it is by default."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._ends.close()
        self._signals.close()
