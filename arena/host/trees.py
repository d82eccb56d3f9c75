"""Bots' folders: looking through them and copying them, within bounds.

Whoever enters a folder decides what is in it: a pipe that never ends, a disk full of
zeros, a link to somebody's home. Links are copied as links, and never followed; holes and
several names of one file take no more room in a copy than in its original.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Container, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from arena.host.botfile import BadBot
from arena.host.remains import temporary
from arena.host.shortage import MachineError
from arena.sandbox import Bounds, TransferLimitError, copy_tree
from arena.wires import printable

if TYPE_CHECKING:
    from arena.sandbox import Sandbox

DEPTH = 64  # folders in folders
NUMBER = 100_000  # files and folders
SIZE = 4 * 2**30  # bytes
NO_PART = ("__pycache__", ".git")  # what comes and goes without anybody's doing
SPECIAL_BITS = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX
BLOCK_BYTES = 512  # as stat(2) counts them


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


def look_through(folder: Path, left_out: Container[str] = NO_PART) -> Iterator[Found]:
    """Yield all that is in a folder, always in the same order, each folder before what it holds.

    What is called as in `left_out` is passed over. Raise BadBot where it is too much, or is
    neither file nor folder nor link; OSError where it cannot be read.
    """
    number = size = 0
    waiting = [Path()]
    while waiting:
        base = waiting.pop()
        found = _listed(folder, base, NUMBER - number, left_out)
        number += len(found)
        size += sum(one.status.st_size for one in found if not one.is_folder)
        _see_bounds(folder, len(base.parts), number, size)
        yield from found
        waiting += [one.path for one in reversed(found) if one.is_folder]


def check_copied(folder: Path, sandbox: Sandbox | None, shown: Path) -> None:
    """Raise BadBot if a program cannot work in a copy of this folder.

    In a sandbox, the copy counts as written by the program. Raise MachineError if the machine
    cannot read the folder. Errors call it `shown`.
    """
    try:
        size = sum(found.status.st_size for found in look_through(folder) if not found.is_folder)
    except OSError as problem:
        raise MachineError(f"{printable(str(shown))} cannot be read: {problem.strerror}") from None
    if sandbox:
        _check_size(
            size,
            sandbox,
            f"{printable(str(shown))}: the bot works in a copy of its folder, which has",
        )


def measure(folder: Path) -> int:
    """Return the bytes of all files in a folder, whatever they are called.

    A file counts as it is read or as it lies on the disk, whichever comes to more for all of
    them; one that has several names is read by each of them, and lies there once.

    Raises:
        BadBot: where there is more than can be copied, or something that is no file.
        OSError: where it cannot be read.
    """
    read, blocks = 0, {}
    for found in look_through(folder, left_out=()):
        status = found.status
        read += 0 if found.is_folder else status.st_size
        blocks[status.st_dev, status.st_ino] = status.st_blocks
    return max(read, sum(blocks.values()) * BLOCK_BYTES)


def check_built(folder: Path, sandbox: Sandbox | None, shown: Path) -> None:
    """See that what a build has left in a folder can be kept; no setuid or setgid bit stays.

    A build that ran in no sandbox is trusted. Errors call the folder `shown`.

    Raises:
        BadBot: where it is too large, or holds something that is no file.
        MachineError: where the machine cannot read it.
    """
    if sandbox is None:
        return
    try:
        for found in look_through(folder, left_out=()):
            if found.status.st_mode & SPECIAL_BITS and not found.is_link:
                (folder / found.path).chmod(found.status.st_mode & 0o777)
        size = measure(folder)
    except OSError as problem:
        raise MachineError(f"{printable(str(shown))} cannot be read: {problem.strerror}") from None
    _check_size(size, sandbox, f"{printable(str(shown))}: its build has left")


def copy(folder: Path, to: Path) -> None:
    """Copy a folder, whoever may change it meanwhile, to where nothing is yet.

    Holes stay holes, and hard links stay links. The copy has no setuid and setgid bits; its
    folders are as private as they were, and can be written, for a build.

    Raises:
        BadBot: where it is nothing that can be copied.
        OSError: where it cannot be read or written.
    """
    for _ in look_through(folder):
        pass  # it says what cannot be copied
    copy_all(folder, to, NO_PART)


def copy_all(folder: Path, to: Path, left_out: Container[str] = ()) -> None:
    """Copy a folder like `copy`, but without what is no file, folder or link.

    Raises:
        BadBot: where there is too much.
        OSError: where it cannot be read or written.
    """
    bounds = Bounds(memory=None, cpu=None, processes=1, disk=SIZE, files=NUMBER)
    to.mkdir(mode=stat.S_IRWXU)
    source = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        target = os.open(to, os.O_RDONLY | os.O_DIRECTORY)
        try:
            copy_tree(source, target, bounds, left_out=left_out, folder_mode=stat.S_IRWXU)
            os.fchmod(target, os.fstat(source).st_mode & 0o777 | stat.S_IRWXU)
        finally:
            os.close(target)
    except TransferLimitError as problem:
        raise BadBot(f"{printable(str(folder))} has {problem}, and cannot be copied") from None
    finally:
        os.close(source)


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


def _listed(folder: Path, base: Path, most: int, left_out: Container[str]) -> list[Found]:
    """Return what is in one of the folders, sorted; one more than `most` if it is too much."""
    with os.scandir(folder / base) as entries:
        parts = (entry for entry in entries if entry.name not in left_out)
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


def _check_size(size: int, sandbox: Sandbox, said: str) -> None:
    """Raise BadBot where there are more bytes than may be written in a sandbox."""
    allowed = sandbox.resources.disk_mb
    if size > allowed << 20:
        raise BadBot(f"{said} {size / (1 << 20):,.0f} MB of files; {allowed} MB are allowed")
