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

from arena.rules import in_words
from arena.wires import printable

LOG = logging.getLogger(__name__)  # a warning is a line on standard error, if nobody wants it else


@contextmanager
def temporary(within: Path | None = None, prefix: str = "arena-") -> Iterator[Path]:
    """Make a folder that goes with the block, whatever is in it then."""
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=within))
    try:
        yield folder
    finally:
        remove(folder)


def remove(folder: Path) -> None:
    """Remove a folder with all that is in it; warn in one line where that cannot be done."""
    with suppress(OSError):  # what is in the way is seen at last
        top = _opened(folder)
        try:
            _empty(top)
        finally:
            os.close(top)
    try:
        folder.rmdir()
    except FileNotFoundError:
        pass
    except OSError as problem:
        LOG.warning("%s", printable(f"arena: {folder} cannot be removed: {in_words(problem)}"))


def _empty(top: int) -> None:
    """Remove all that is in an open folder, as far as that can be done."""
    names = (f"{uuid4().hex}-{number}" for number in count())  # that nobody has chosen
    waiting = [*_cleared(top)]
    while waiting:
        name = waiting.pop()
        with suppress(OSError):
            folder = _opened(name, top)
            try:
                waiting += _moved(folder, top, names)
            finally:
                os.close(folder)
            os.rmdir(name, dir_fd=top)


def _cleared(folder: int) -> Iterator[str]:
    """Remove what is in an open folder but the folders, and yield their names."""
    with os.scandir(folder) as found:
        for entry in found:
            with suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    yield entry.name
                else:
                    os.unlink(entry.name, dir_fd=folder)


def _moved(folder: int, top: int, names: Iterator[str]) -> Iterator[str]:
    """Move the folders that are in one to the top, remove the rest, and yield their new names."""
    for name in _cleared(folder):
        with suppress(OSError):
            os.close(_opened(name, folder))  # what is locked cannot be moved
            fresh = next(names)
            os.rename(name, fresh, src_dir_fd=folder, dst_dir_fd=top)
            yield fresh


def _opened(name: str | Path, folder: int | None = None) -> int:
    """Open a folder, and no link to one; unlock it first."""
    found = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
    try:
        with suppress(OSError):  # somebody else's
            os.chmod(f"/proc/self/fd/{found}", stat.S_IRWXU)  # noqa: PTH101  # it has no other path
        return os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=found)
    finally:
        os.close(found)
