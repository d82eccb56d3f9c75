"""Locks on open files, which keep other processes out."""

from __future__ import annotations

import fcntl
from typing import IO, Any


def lock_open_file(file: int | IO[Any], *, wait: bool = False) -> None:
    """Lock an open file, or a descriptor, until it is closed, to keep other processes out.

    The lock belongs to the open file, not to its path or to the process: it ends with its process,
    however that ends. Nothing is left to clean up after a kill, as there would be with a file whose
    mere existence is the lock.

    Args:
        file: the file; whoever has opened it again, also in this process, is somebody else.
        wait: whether to wait until nobody else has the lock.

    Raises:
        BlockingIOError: if somebody else has the lock, and `wait` is not set.
    """
    fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
