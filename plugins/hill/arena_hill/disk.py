"""The disks of a hill: which they are, whether they can be written, and the space that is free.

A hill keeps some room free, so that its databases can be written when strangers send much: below
the reserve nothing is taken and nothing is judged.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

from arena.rules import StorageError, describe_error
from arena.tournament.store.database import FileIdentities
from arena_hill.hill import Hill
from arena_hill.units import MB

RESERVE_BYTES = 512 * MB
RESERVE_FILES = 1000


def measure_free_bytes(place: Path) -> int:
    """Return the number of bytes that are free on the disk of a folder; raise OSError."""
    status = os.statvfs(place)
    return status.f_bavail * status.f_frsize


def find_shortage(place: Path) -> str:
    """Describe the shortage of a disk below its reserve; return "" if none; raise OSError."""
    status, free = os.statvfs(place), measure_free_bytes(place)
    if free < RESERVE_BYTES:
        return f"{free // MB} MB are free on the disk; the reserve is {RESERVE_BYTES // MB} MB"
    if status.f_files and status.f_favail < RESERVE_FILES:  # some file systems do not count files
        return f"{status.f_favail} more files fit on the disk; the reserve is {RESERVE_FILES}"
    return ""


def find_hill_shortage(hill: Hill) -> str:
    """Describe the shortage of the disk with a hill's data, or return ""; raise StorageError."""
    folder = hill.spec.data_folder
    try:
        return find_shortage(folder)
    except OSError as problem:
        raise StorageError(f"{folder}: {describe_error(problem)}") from None


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


def find_disks(hill: Hill) -> list[Path]:
    """Return a folder on each disk that a hill writes to, with those of its databases."""
    files = _list_database_files(hill)
    folders: dict[int, Path] = {}
    for path in (hill.spec.data_folder, *(file.parent for file in files)):
        with suppress(FileNotFoundError):  # it will be made beside the others
            folders.setdefault(path.stat().st_dev, path)
    return [*folders.values()]


def identify_files(hill: Hill) -> FileIdentities:
    """Return the identities of a hill's files: its databases, its lock, the folder of its data."""
    beside = (hill.spec.data_folder, hill.lock_file)
    return FileIdentities.of([*_list_database_files(hill), *beside])


def _list_database_files(hill: Hill) -> list[Path]:
    addresses = (hill.tournament_address, hill.database_address)
    return [address.path for address in addresses if address.path]
