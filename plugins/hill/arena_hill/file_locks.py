"""Locks of a hill on its files, which end with the process that holds them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from arena import UserError
from arena.files import lock_open_file, open_private
from arena.rules import StorageError, describe_error


class FileHeldError(UserError):
    """A file that somebody else holds; the message says in one line what that means."""


@contextmanager
def hold_file(path: Path) -> Iterator[None]:
    """Hold a file for a block, once nobody else does; raise StorageError if it cannot be opened.

    The file is created if needed, in a folder that exists.
    """
    with _open(path) as file:
        lock_open_file(file, wait=True)
        yield


@contextmanager
def hold_free_file(path: Path, message: str) -> Iterator[None]:
    """Hold a file for a block if nobody else does, as `hold_file` does.

    Raises:
        FileHeldError: with the message, if somebody else holds it.
        StorageError: if the file cannot be opened.
    """
    with _open(path) as file:
        try:
            lock_open_file(file)
        except BlockingIOError:
            raise FileHeldError(message) from None
        yield


def _open(path: Path) -> IO[bytes]:
    try:
        return open(path, "ab", opener=open_private)
    except OSError as problem:
        raise StorageError(f"{path.parent}: {describe_error(problem)}") from None
