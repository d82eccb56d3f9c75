"""A program and all that it has started: finding them, measuring them, ending them.

They are the descendants of a keeper. It is their subreaper (prctl(2)), so that whoever lost
its parent is its child, however often it has forked and whatever session it is in.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import suppress

PAGE = os.sysconf("SC_PAGE_SIZE")
TICK = os.sysconf("SC_CLK_TCK")
FIRST_OF_STAT = 3  # the fields of /proc/PID/stat behind the name begin with the third
CPU_FIELDS = range(14, 18)  # of it and of those of its children that it has waited for


def descendants(process: int) -> Iterator[tuple[int, int]]:
    """Yield all that have come from a process, each with its depth: children have 1."""
    waiting = [(process, 0)]
    while waiting:
        parent, depth = waiting.pop()
        for child in children(parent):
            yield child, depth + 1
            waiting.append((child, depth + 1))


def children(process: int) -> list[int]:
    """Return those of all its threads."""
    found: list[int] = []
    with suppress(OSError):  # it has ended
        for thread in os.listdir(f"/proc/{process}/task"):
            with suppress(OSError), open(f"/proc/{process}/task/{thread}/children") as file:
                found += map(int, file.read().split())
    return found


def alive(process: int) -> list[int]:
    """Return the descendants that have not ended."""
    return [one for one, _ in descendants(process) if (_stat(one) or ["Z"])[0] not in "ZX"]


def resident(processes: list[int]) -> int:
    """Return the bytes of memory that these have, as far as it is not swapped out."""
    pages = 0
    for one in processes:
        with suppress(OSError), open(f"/proc/{one}/statm") as file:
            pages += int(file.read().split()[1])
    return pages * PAGE


def threads(processes: list[int]) -> int:
    """Return how many threads these have: each process has one at least."""
    count = 0
    for one in processes:
        with suppress(OSError):  # /proc/PID/task has a link for each, beside its own two
            count += os.stat(f"/proc/{one}/task").st_nlink - 2
    return count


def cpu_seconds(processes: list[int]) -> float:
    """Return the processor time of these, with that of children of theirs that have ended."""
    ticks = 0
    for one in processes:
        if fields := _stat(one):
            ticks += sum(int(fields[at - FIRST_OF_STAT]) for at in CPU_FIELDS)
    return ticks / TICK


def _stat(process: int) -> list[str]:
    """Return the fields of /proc/PID/stat from the third on; nothing once it is gone."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].decode().split()
    except OSError:
        return []


def kill(process: int) -> None:
    """End all descendants of this very process, and wait for them.

    All are stopped before the first is ended, or one could start others meanwhile.
    """
    while found := [one for one, _ in descendants(process)]:
        for number in (signal.SIGSTOP, signal.SIGKILL):
            send(number, found)
        with suppress(ChildProcessError):
            os.waitpid(-1, 0)
        reap()


def send(number: int, processes: Iterable[int]) -> None:
    """Send a signal to those of these that are there and can be reached."""
    for one in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(one, number)


def reap() -> None:
    """Take the exit status of all children that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
