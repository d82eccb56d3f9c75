"""The children of this process, and all that are below them, as proc(5) shows them."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import os

FIRST_OF_STAT = 3  # the fields of /proc/PID/stat behind the name begin with the third
STATE, SESSION, START_TIME = (field - FIRST_OF_STAT for field in (3, 6, 22))
SIGKILL = 9


def list_children(process: int) -> list[int]:
    """Return the children of all threads of a process."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/children") as file:
                found += map(int, file.read().split())
    except OSError:  # it has ended
        pass
    return found


def list_tree(process: int) -> list[tuple[int, str]]:
    """Return a process and all below it that are alive: their numbers and start times."""
    waiting, found = [process], []
    while waiting:
        member = waiting.pop()
        waiting += list_children(member)
        fields = read_stat(member)
        if fields and fields[STATE] not in "ZX":
            found.append((member, fields[START_TIME]))
    return found


def read_stat(process: int) -> list[str]:
    """Return the fields of a process's /proc/PID/stat from the third on, or none."""
    try:
        with open(f"/proc/{process}/stat", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return []


def read_session(process: int) -> int:
    """Return the session of a process, or 0."""
    fields = read_stat(process)
    return int(fields[SESSION]) if fields else 0


def kill_children(seconds: int) -> None:
    """Kill all below this process, until there is none; end this process if that takes longer."""
    _signal.alarm(seconds)  # its default is to end the process
    while children := list_children(os.getpid()):
        for child in children:
            for member, _ in list_tree(child):
                try:
                    os.kill(member, SIGKILL)
                except OSError:  # it has ended, or is another user's
                    pass
        for child in children:
            os.waitpid(child, 0)
