"""Bots' folders: looking through them and copying them, within bounds.

Whoever enters a folder decides what is in it: a pipe that never ends, a disk full of
zeros, a link to somebody's home. Links are copied as links, and never followed.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from attrs import frozen

from arena.host.botfile import BadBot
from arena.host.remains import temporary

DEPTH = 64  # folders in folders
NUMBER = 100_000  # files and folders
SIZE = 4 * 2**30  # bytes
NO_PART = ("__pycache__", ".git")  # what comes and goes without anybody's doing


@frozen
class Found:
    """Something in a folder."""

    path: Path  # from that folder
    status: os.stat_result  # its own, where it is a link

    @property
    def is_folder(self) -> bool:
        """Is it a folder, and no link to one?"""
        return stat.S_ISDIR(self.status.st_mode)

    @property
    def is_link(self) -> bool:
        """Is it a symbolic link?"""
        return stat.S_ISLNK(self.status.st_mode)


def look_through(folder: Path) -> Iterator[Found]:
    """Yield all that is in a folder, always in the same order, each folder before what it holds.

    Raise BadBot where it is too much, or is neither file nor folder nor link; OSError where
    it cannot be read.
    """
    number = size = 0
    waiting = [Path()]
    while waiting:
        base = waiting.pop()
        found = _listed(folder, base, NUMBER - number)
        number += len(found)
        size += sum(one.status.st_size for one in found if not one.is_folder)
        _see_bounds(folder, len(base.parts), number, size)
        yield from found
        waiting += [one.path for one in reversed(found) if one.is_folder]


def see_through(folder: Path) -> None:
    """Raise BadBot if a folder cannot be copied."""
    try:
        for _ in look_through(folder):
            pass
    except OSError as problem:
        raise BadBot(f"{folder} cannot be read: {problem.strerror}") from None


def copy(folder: Path, to: Path) -> None:
    """Copy a folder to where nothing is yet; raise BadBot or OSError."""
    to.mkdir(mode=_mode(folder.stat()))
    for found in look_through(folder):
        if found.is_folder:
            (to / found.path).mkdir(mode=_mode(found.status))
        else:
            shutil.copy2(folder / found.path, to / found.path, follow_symlinks=False)


def furnish(folder: Path, home: Path) -> None:
    """Put a copy of a bot's home into an empty folder; leave alone one that it has kept."""
    try:
        kept = any(folder.iterdir())
    except OSError:  # it has locked what it keeps, and cannot be started
        return
    if kept:
        return
    with temporary(folder.parent, prefix=".") as fresh:
        copy(home, fresh / "copy")
        (fresh / "copy").rename(folder)  # as a whole: a run that is cut leaves no half


def _listed(folder: Path, base: Path, most: int) -> list[Found]:
    """Return what is in one of the folders, sorted; one more than `most` if it is too much."""
    with os.scandir(folder / base) as entries:
        parts = (entry for entry in entries if entry.name not in NO_PART)
        found = [
            Found(base / entry.name, entry.stat(follow_symlinks=False))
            for entry in islice(parts, most + 1)
        ]
    for one in found:
        if not (one.is_folder or one.is_link or stat.S_ISREG(one.status.st_mode)):
            where = folder / one.path
            raise BadBot(f"{where} is neither a file nor a folder, and cannot be copied")
    return sorted(found, key=lambda one: one.path.name)


def _see_bounds(folder: Path, depth: int, number: int, size: int) -> None:
    for has, most, what in (
        (depth, DEPTH, "folders inside each other"),
        (number, NUMBER, "files and folders"),
        (size, SIZE, "bytes"),
    ):
        if has > most:
            raise BadBot(f"{folder} has more than {most:,} {what}, and cannot be copied")


def _mode(status: os.stat_result) -> int:
    """Return a copied folder's mode: private where it is, and writable, for a build."""
    return stat.S_IMODE(status.st_mode) | stat.S_IRWXU
