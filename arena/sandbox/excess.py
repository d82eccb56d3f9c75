"""What a program uses beyond its bounds, as a keeper finds it by looking."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain

from arena.sandbox import tree
from arena.sandbox.request import NAMESPACES, Request

IN_MEMORY = ("tmp", "dev/shm")  # a program's own, in its namespace of mounts
BLOCK = 512  # bytes, as stat(2) counts them
SOCKET = 2 * 212_992  # bytes that may wait in one: no process has them mapped
HIDDEN = "a folder that cannot be looked into"
CLOSED = "a process that cannot be looked into"


def excess(request: Request, found: list[int], *, files: bool) -> str:
    """Say which bound a program has passed with all these processes; nothing where none.

    With `files` its files and sockets are counted, too, which takes longer where it has many.
    """
    passed = _of_processes(request, found)
    return next(chain(passed, _of_files(request, found)) if files else passed, "")


def _of_processes(request: Request, found: list[int]) -> Iterator[str]:
    bounds = request["bounds"]
    if tree.threads(found) > bounds["processes"]:
        yield f"more than {bounds['processes']} processes"
    memory, cpu = bounds["memory"], bounds["cpu"]
    if memory is not None and tree.resident(found) > memory:
        yield f"more than {memory >> 20} MB of memory"
    if cpu is not None and tree.cpu_seconds(found) > cpu:
        yield f"more than {cpu:g} s of the processor"
    if request["tier"] == NAMESPACES and _nodes(found) > bounds["files"]:
        yield f"more than {bounds['files']:,} files"


def _of_files(request: Request, found: list[int]) -> Iterator[str]:
    memory = request["bounds"]["memory"]
    try:
        nameless, sockets = _open(found)
    except PermissionError:
        yield CLOSED
        return
    if memory is not None and tree.resident(found) + sockets * SOCKET > memory:
        yield f"more than {memory >> 20} MB of memory"
    if written := _written(request, nameless):
        yield written


def _nodes(found: list[int]) -> int:
    """Return how many files are in its own folders in memory, whose size the kernel bounds."""
    count = 0
    for folder in IN_MEMORY if found else ():
        with suppress(OSError):  # the process has ended
            held = os.statvfs(f"/proc/{found[0]}/root/{folder}")
            count += held.f_files - held.f_ffree
    return count


def _written(request: Request, size: int) -> str:
    bounds = request["bounds"]
    files = 0
    try:
        for one in _entries(request["folder"]):
            size, files = size + one, files + 1
            if files > bounds["files"]:
                return f"more than {bounds['files']:,} files"
    except OSError:  # it may not be read, or lies too deep
        return HIDDEN
    return f"more than {bounds['disk'] >> 20} MB of files" if size > bounds["disk"] else ""


def _entries(folder: str) -> Iterator[int]:
    """Yield the size of all that is in a folder; raise OSError where that cannot be seen."""
    waiting = [folder]
    while waiting:
        with suppress(FileNotFoundError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    yield entry.stat(follow_symlinks=False).st_blocks * BLOCK
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)


def _open(found: list[int]) -> tuple[int, int]:
    """Return the bytes of open files that have no name any more, and the number of sockets.

    Raise PermissionError where that cannot be seen: a program may be of a kind that hides it.
    """
    nameless, sockets = {}, set()
    for one in found:
        with (
            suppress(FileNotFoundError, ProcessLookupError),
            os.scandir(f"/proc/{one}/fd") as entries,
        ):
            for entry in entries:
                with suppress(FileNotFoundError, ProcessLookupError):
                    held = entry.stat()
                    if stat.S_ISSOCK(held.st_mode):
                        sockets.add(held.st_ino)
                    elif held.st_nlink == 0 and stat.S_ISREG(held.st_mode):
                        nameless[held.st_dev, held.st_ino] = held.st_blocks * BLOCK
    return sum(nameless.values()), len(sockets)
