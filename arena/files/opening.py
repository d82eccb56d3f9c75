"""Files that users name, opened with care.

A pipe that nobody holds at its other end would hold up who opens it, a device such as `/dev/zero`
never ends, and a symbolic link of a stranger's may lead anywhere.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def open_without_waiting(path: str, flags: int) -> int:
    """Open a file without waiting for the other end of a pipe: an `opener` for `open`.

    Raises OSError where nobody reads the pipe that is to be written.
    """
    try:
        descriptor = os.open(path, flags | os.O_NONBLOCK, 0o666)
    except OSError as problem:
        if problem.errno == errno.ENXIO:
            raise OSError(problem.errno, "nobody reads from this pipe", path) from None
        raise
    os.set_blocking(descriptor, True)
    return descriptor


def open_without_following(path: str, flags: int) -> int:
    """Open as `open_without_waiting` does, but raise OSError for a symbolic link."""
    return open_without_waiting(path, flags | os.O_NOFOLLOW)


PRIVATE_MODE = 0o600


def open_private(path: str | Path, flags: int) -> int:
    """Open a file; a new one is accessible to its owner alone: an `opener` for `open`.

    Its mode is then 0600, whatever the umask; a file that is there keeps its own.
    """
    if not flags & os.O_CREAT:
        return os.open(path, flags)
    try:
        descriptor = os.open(path, flags | os.O_EXCL, PRIVATE_MODE)
    except FileExistsError:
        return os.open(path, flags, PRIVATE_MODE)
    os.fchmod(descriptor, PRIVATE_MODE)
    return descriptor


def read_text(path: Path) -> str:
    """Return the text of a file or a pipe; raise OSError or ValueError."""
    with open(path, "rb", opener=open_without_waiting) as file:
        if stat.S_ISCHR(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "this is a device, not a file", str(path))
        return file.read().decode("utf-8-sig")  # some editors put a mark before the first line
