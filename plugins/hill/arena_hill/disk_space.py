"""The free space on the disks of a hill.

A hill keeps some room free, so that its databases can be written when strangers send much: below
the reserve nothing is taken and nothing is tried.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from arena.extend import get_data_folder
from arena_hill.hill_paths import get_database_address

if TYPE_CHECKING:
    from arena.extend import TournamentSpec

MB = 1 << 20
RESERVE_BYTES = 512 * MB
RESERVE_FILES = 1000


def measure_free_bytes(place: Path) -> int:
    """Return the number of bytes that are free on the disk of a folder; raise OSError."""
    found = os.statvfs(place)
    return found.f_bavail * found.f_frsize


def find_shortage(place: Path) -> str:
    """Describe the shortage of a disk below its reserve; return "" if none; raise OSError."""
    found, free = os.statvfs(place), measure_free_bytes(place)
    if free < RESERVE_BYTES:
        return f"{free // MB} MB are free on the disk; the reserve is {RESERVE_BYTES // MB} MB"
    if found.f_files and found.f_favail < RESERVE_FILES:  # some file systems do not count files
        return f"{found.f_favail} more files fit on the disk; the reserve is {RESERVE_FILES}"
    return ""


def find_problem(place: Path) -> str:
    """Return the reason why a disk should not be written, or ""."""
    try:
        with TemporaryFile(dir=place) as file:
            file.write(b"x")
            file.flush()
            os.fsync(file.fileno())
        return find_shortage(place)
    except OSError as problem:
        return f"the disk cannot be written: {problem.strerror}"


def find_disks(spec: TournamentSpec) -> list[Path]:
    """Return a folder on each disk that a hill writes to, with those of its databases."""
    addresses = (spec.database, get_database_address(spec))
    files = [Path(address) for address in addresses if "://" not in str(address)]
    found: dict[int, Path] = {}
    for path in (get_data_folder(spec), *(file.absolute().parent for file in files)):
        with suppress(FileNotFoundError):  # it will be made beside the others
            found.setdefault(path.stat().st_dev, path)
    return [*found.values()]
