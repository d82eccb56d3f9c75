"""Files that are whole or not there, whatever is killed, and that a loss of power does not lose."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from arena.files.opening import open_private


@contextmanager
def write_durably(path: Path) -> Iterator[BinaryIO]:
    """Yield a file, private to its owner, that gets its name once it is on the disk.

    Until then it is called `.NAME.part`. Raises OSError.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        with open(part, "wb", opener=open_private) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    folder = os.open(path.absolute().parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
