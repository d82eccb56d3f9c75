"""Locks of a hill on its files, which end with the process that holds them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena import UserError
from arena.files import lock_open_file, open_private
from arena.rules import StorageError, describe_error


class FileHeldError(UserError):
    """A file that somebody else holds; the message says in one line what that means."""


@contextmanager
def hold_file(path: Path, message: str = "") -> Iterator[None]:
    """Hold a file for a block, in a folder that exists; the file is created if needed.

    Args:
        path: of the file.
        message: what is said if somebody else holds it; if empty, wait until nobody does.

    Raises:
        FileHeldError: with the message.
        StorageError: if the file cannot be opened.
    """
    try:
        file = open(path, "ab", opener=open_private)  # noqa: SIM115  # closed below
    except OSError as problem:
        raise StorageError(f"{path.parent}: {describe_error(problem)}") from None
    with file:
        try:
            lock_open_file(file, wait=not message)
        except BlockingIOError:
            raise FileHeldError(message) from None
        yield
