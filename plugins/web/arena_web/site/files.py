"""The files of a static site: their names, and how they are written."""

from __future__ import annotations

from pathlib import Path

from arena import UserError

SiteFile = tuple[str, bytes]
"""A file of the site: its path and its content."""


def name_data_file(letter: str, number: int) -> str:
    """Return the name of a data file.

    >>> name_data_file("r", 17)
    'r00017'
    """
    return f"{letter}{number:05}"


def write_file(path: Path, body: bytes) -> None:
    """Write a file atomically, unless its content is unchanged."""
    try:
        if path.exists() and path.read_bytes() == body:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.new")
        try:
            beside.write_bytes(body)
            beside.replace(path)
        except BaseException:  # a full disk, an interrupt
            beside.unlink(missing_ok=True)
            raise
    except OSError as problem:
        raise UserError(f"{path} cannot be written: {problem.strerror}") from None
