"""Bots' folders: looking through them and copying them, within bounds.

Whoever enters a folder decides what is in it: a pipe that never ends, a disk full of
zeros, a link to somebody's home. Links are copied as links, and never followed; holes and
several names of one file take no more room in a copy than in its original.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Container, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from arena.host.botfile import BotError, blame_bot
from arena.host.folders.cleanup import temporary_folder
from arena.sandbox import ResourceBounds, TransferLimitError, copy_tree
from arena.wires import to_printable

if TYPE_CHECKING:
    from arena.sandbox import Sandbox

MAX_DEPTH = 64  # folders in folders
MAX_ENTRIES = 100_000  # files and folders
MAX_BYTES = 4 * 2**30  # bytes
IGNORED_NAMES = ("__pycache__", ".git")  # what comes and goes without anybody's doing
COPY_BITS = 0o755  # at most: nobody but the owner may change a copy
BLOCK_BYTES = 512  # as stat(2) counts them


@frozen
class DirectoryEntry:
    """Something in a folder."""

    path: Path  # from that folder
    status: os.stat_result  # its own, where it is a link

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, and not a link to one."""
        return stat.S_ISDIR(self.status.st_mode)

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link."""
        return stat.S_ISLNK(self.status.st_mode)


def walk_folder(folder: Path, ignore: Container[str] = IGNORED_NAMES) -> Iterator[DirectoryEntry]:
    """Yield all that is in a folder, always in the same order, each folder before what it holds.

    What is called as in `ignore` is passed over. Raise BotError where it is too much, or is
    neither file nor folder nor link; OSError where it cannot be read.
    """
    count = size = 0
    waiting = [Path()]
    while waiting:
        base = waiting.pop()
        entries = _list_entries(folder, base, MAX_ENTRIES - count, ignore)
        count += len(entries)
        size += sum(entry.status.st_size for entry in entries if not entry.is_folder)
        _check_bounds(folder, len(base.parts), count, size)
        yield from entries
        waiting += [entry.path for entry in reversed(entries) if entry.is_folder]


def check_copyable(folder: Path, sandbox: Sandbox | None, shown: Path) -> None:
    """Raise BotError if a program cannot work in a copy of this folder.

    In a sandbox, the copy counts as written by the program. Raise MachineError if the machine
    fails to read the folder. Errors call it `shown`.
    """
    with blame_bot(shown):
        size = sum(found.status.st_size for found in walk_folder(folder) if not found.is_folder)
    if sandbox:
        _check_size(
            size,
            sandbox,
            f"{to_printable(str(shown))}: the bot works in a copy of its folder, which has",
        )


def measure_bytes(folder: Path) -> int:
    """Return the bytes of all files in a folder, whatever they are called.

    A file counts as it is read or as it lies on the disk, whichever comes to more for all of
    them; one that has several names is read by each of them, and lies there once.

    Raises:
        BotError: where there is more than can be copied, or something that is no file.
        OSError: where it cannot be read.
    """
    read, blocks = 0, {}
    for found in walk_folder(folder, ignore=()):
        status = found.status
        read += 0 if found.is_folder else status.st_size
        blocks[status.st_dev, status.st_ino] = status.st_blocks
    return max(read, sum(blocks.values()) * BLOCK_BYTES)


def check_build_result(folder: Path, sandbox: Sandbox | None, shown: Path) -> None:
    """See that what a build has left in a folder can be kept.

    A build that ran in no sandbox is trusted. Errors call the folder `shown`.

    Raises:
        BotError: where it is too large, cannot be read, or holds something that is no file.
        MachineError: where the machine fails to read it.
    """
    if sandbox is None:
        return
    with blame_bot(shown):
        size = measure_bytes(folder)
    _check_size(size, sandbox, f"{to_printable(str(shown))}: its build produced")


def copy_folder(folder: Path, to: Path) -> None:
    """Copy a folder, whoever may change it meanwhile, to where nothing is yet.

    Holes stay holes, and hard links stay links. The copy has no setuid and setgid bits; its
    folders are as private as they were, and its owner alone can write to them, for a build.

    Raises:
        BotError: where it is nothing that can be copied.
        MachineError: where the machine fails to read or to write it.
        OSError: where no folder can be made for the copy.
    """
    with blame_bot(folder):
        for _ in walk_folder(folder):
            pass  # it says what cannot be copied
    copy_without_special_files(folder, to, IGNORED_NAMES)


def copy_without_special_files(folder: Path, to: Path, ignore: Container[str] = ()) -> None:
    """Copy a folder like `copy`, but without what is no file, folder or link.

    Raises:
        BotError: where there is too much, or what cannot be copied.
        MachineError: where the machine fails to read or to write it.
        OSError: where no folder can be made for the copy.
    """
    bounds = ResourceBounds(memory=None, cpu=None, processes=1, disk=MAX_BYTES, files=MAX_ENTRIES)
    to.mkdir(mode=stat.S_IRWXU)
    with ExitStack() as stack, blame_bot(folder, "cannot be copied"):
        source = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        stack.callback(os.close, source)
        target = os.open(to, os.O_RDONLY | os.O_DIRECTORY)
        stack.callback(os.close, target)
        try:
            copy_tree(source, target, bounds, ignore=ignore, folder_mode=stat.S_IRWXU)
        except TransferLimitError as problem:
            raise BotError(f"{to_printable(str(folder))} cannot be copied: {problem}") from None
        os.fchmod(target, os.fstat(source).st_mode & COPY_BITS | stat.S_IRWXU)


def fill_working_folder(folder: Path, home: Path) -> None:
    """Put a copy of a bot's home into an empty folder; leave alone one that it has kept."""
    try:
        kept = any(folder.iterdir())
    except OSError:  # it has locked what it keeps, and cannot be started
        return
    if kept:
        return
    with temporary_folder(folder.parent, prefix=".") as fresh:
        copy_folder(home, fresh / "copy")
        (fresh / "copy").rename(folder)  # as a whole: a run that is cut leaves no half


def _list_entries(
    folder: Path, base: Path, most: int, ignore: Container[str]
) -> list[DirectoryEntry]:
    """Return the entries of a subfolder by name, at most `most` and one more."""
    with os.scandir(folder / base) as entries:
        parts = (entry for entry in entries if entry.name not in ignore)
        found_entries = [
            DirectoryEntry(base / entry.name, entry.stat(follow_symlinks=False))
            for entry in islice(parts, most + 1)
        ]
    for entry in found_entries:
        if not (entry.is_folder or entry.is_link or stat.S_ISREG(entry.status.st_mode)):
            where = folder / entry.path
            raise BotError(f"{where} is neither a file nor a folder, and cannot be copied")
    return sorted(found_entries, key=lambda entry: entry.path.name)


def _check_bounds(folder: Path, depth: int, number: int, size: int) -> None:
    for has, most, description in (
        (depth, MAX_DEPTH, "nested folders"),
        (number, MAX_ENTRIES, "files and folders"),
        (size, MAX_BYTES, "bytes"),
    ):
        if has > most:
            raise BotError(f"{folder} has more than {most:,} {description}, and cannot be copied")


def _check_size(size: int, sandbox: Sandbox, prefix: str) -> None:
    """Raise BotError where there are more bytes than may be written in a sandbox."""
    allowed = sandbox.resources.disk_mb
    if size > allowed << 20:
        raise BotError(f"{prefix} {size / (1 << 20):,.0f} MB of files; {allowed} MB are allowed")
