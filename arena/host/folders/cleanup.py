"""Removing what programs leave behind: no tree is too deep, no name too odd.

`shutil.rmtree` calls itself for each level of folders and holds a descriptor for each;
`rm -rf` stops at a folder that may not be read, and starts a process for each match. Here
each folder that is found is moved to the top before anybody looks into it. So depth costs
neither stack nor descriptors nor length of a path. All is named by its name and its
folder's descriptor, so that no symbolic link is followed.
"""

from __future__ import annotations

import logging
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from uuid import uuid4

from arena.rules import describe_error
from arena.wires import to_printable

LOG = logging.getLogger(__name__)  # a warning is a line on standard error, if nobody wants it else


@contextmanager
def temporary_folder(within: Path | None = None, prefix: str = "arena-") -> Iterator[Path]:
    """Make a folder that goes with the block, whatever is in it then."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=within))
    try:
        yield folder
    finally:
        remove_folder(folder)


def remove_folder(folder: Path) -> None:
    """Remove a folder with all that is in it; warn in one line where that cannot be done."""
    with suppress(OSError):  # what is in the way is seen at last
        top = _open_folder(folder)
        try:
            _empty_folder(top)
        finally:
            os.close(top)
    try:
        folder.rmdir()
    except FileNotFoundError:
        pass
    except OSError as problem:
        LOG.warning(
            "%s", to_printable(f"arena: {folder} cannot be removed: {describe_error(problem)}")
        )


def _empty_folder(top: int) -> None:
    """Remove all that is in an open folder, as far as that can be done."""
    names = (f"{uuid4().hex}-{number}" for number in count())  # that nobody has chosen
    waiting = [*_remove_files(top)]
    while waiting:
        name = waiting.pop()
        with suppress(OSError):
            folder = _open_folder(name, top)
            try:
                waiting += _move_subfolders(folder, top, names)
            finally:
                os.close(folder)
            os.rmdir(name, dir_fd=top)


def _remove_files(folder: int) -> Iterator[str]:
    """Remove what is in an open folder but the folders, and yield their names."""
    with os.scandir(folder) as found:
        for entry in found:
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    yield entry.name
                else:
                    os.unlink(entry.name, dir_fd=folder)


def _move_subfolders(folder: int, top: int, names: Iterator[str]) -> Iterator[str]:
    """Move the folders that are in one to the top, remove the rest, and yield their new names."""
    for name in _remove_files(folder):
        with suppress(OSError):
            os.close(_open_folder(name, folder))  # what is locked cannot be moved
            fresh = next(names)
            os.rename(name, fresh, src_dir_fd=folder, dst_dir_fd=top)
            yield fresh


def _open_folder(name: str | Path, folder: int | None = None) -> int:
    """Open a folder, and no link to one; unlock it first."""
    found = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
    try:
        with suppress(OSError):  # somebody else's
            os.chmod(f"/proc/self/fd/{found}", stat.S_IRWXU)  # noqa: PTH101  # it has no other path
        return os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=found)
    finally:
        os.close(found)
