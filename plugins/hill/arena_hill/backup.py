"""Backups of a running hill: its databases by SQLite's own backup, and its folder.

The order matters. The tournament's database is copied first: it may then be older than the hill's
database, and the coordinator carries out again the commands that it lacks. The other way round, the
numbers of commands that it has carried out would be used a second time. No upload and no copy of a
bot is deleted meanwhile: what has left since its database was copied takes part in the backup.

Each file has the path in the backup that it has in the hill's folder, so that the backup is copied
back as a whole. A database that is not in that folder has its whole path below `elsewhere`. What
else the hill's file names is copied from that folder alone: the host's own bots, and the secret of
the provider with which authors sign in.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from attrs import frozen

from arena import UserError
from arena.host import BotError, copy_without_special_files, remove_folder
from arena.rules import StorageError, describe_error
from arena.tournament.store.connection import DatabaseAddress
from arena_hill.disk import RESERVE_BYTES, find_disks, measure_free_bytes
from arena_hill.disk_usage import DiskMeter
from arena_hill.file_locks import hold_file
from arena_hill.hill import Hill
from arena_hill.units import MB

PAGES_PER_STEP = 1000  # pages of a database that are copied while its writers wait
BLOCK_BYTES = 512  # of `st_blocks`
ELSEWHERE = "elsewhere"  # the folder of a backup for what is not in the hill's folder


@frozen
class HillBackup:
    """A backup of a hill in a folder of its own."""

    hill: Hill
    file: Path  #: of the hill
    folder: Path  #: of the backup

    def write(self) -> Iterator[str]:
        """Copy the hill into the folder; yield a line for each part that was copied or skipped.

        Raises:
            UserError: where there is something already, there is no room, or something cannot be
                copied. Then nothing is left.
        """
        folder = self.folder
        self.hill.spec.make_data_folder()  # which a hill that never ran does not have
        try:
            self._check_room()
        except OSError as problem:  # of a file that is deleted meanwhile, for example
            raise StorageError(f"{self.hill.spec.home}: {describe_error(problem)}") from None
        try:
            folder.mkdir(mode=0o700, parents=True)
        except FileExistsError:
            raise UserError(f"{folder} already exists; name a new folder for the backup") from None
        except OSError as problem:
            raise UserError(f"{folder} cannot be created: {problem.strerror}") from None
        try:
            with hold_file(self.hill.deletion_lock_file):
                yield from self._copy_databases()
                shutil.copy2(self.file, folder / self.file.name)
                yield self.file.name
                yield from self._copy_named_files()
                yield from self._copy_folders()
        except OSError as problem:
            remove_folder(folder)
            raise StorageError(f"{folder} cannot be written: {describe_error(problem)}") from None
        except BaseException:  # also if nobody asks for the other lines
            remove_folder(folder)
            raise

    def _check_room(self) -> None:
        """Raise UserError if a copy does not fit; on the hill's own disk the reserve stays free."""
        usage = DiskMeter(self.hill).measure()
        place = next(parent for parent in self.folder.absolute().parents if parent.exists())
        named = sum(map(_measure_bytes, filter(self._can_copy, self.hill.list_named_files())))
        needed = usage.uploads + usage.copies + usage.database + named
        free = measure_free_bytes(place)
        if any(place.stat().st_dev == disk.stat().st_dev for disk in find_disks(self.hill)):
            free = max(0, free - RESERVE_BYTES)
        if needed > free:
            raise UserError(
                f"{self.folder}: the backup may take {needed / MB:,.1f} MB, and {free // MB:,} MB"
                f" can be had there (on the hill's own disk {RESERVE_BYTES // MB} MB stay free)"
            )

    def _copy_databases(self) -> Iterator[str]:
        """Copy the two databases, that of the tournament first."""
        for address in (self.hill.tournament_address, self.hill.database_address):
            if address.path is None:
                yield "databases on a server are not copied: run pg_dump, for the tournament first"
                continue
            database = _normalize(address.path)
            place = self._find_place(database)
            if not database.exists():
                yield f"{place} does not exist yet"
                continue
            _copy_database(database, self.folder / place)
            is_elsewhere = place.parts[0] == ELSEWHERE
            yield f"{place} (to restore it, copy it to {database})" if is_elsewhere else f"{place}"

    def _copy_named_files(self) -> Iterator[str]:
        """Copy the files and folders that the hill's file names, or say which are not copied."""
        for path in self.hill.list_named_files():
            place = self._find_place(path)
            if not self._can_copy(path):
                if not _is_installed_program(path):
                    yield (
                        f"{_normalize(path)} is outside of the hill's folder and not copied:"
                        " copy it yourself"
                    )
                continue
            to = self.folder / place
            if to.exists():  # in a folder that was copied
                continue
            to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                _copy_path(path, to)
            except (BotError, PermissionError) as problem:
                remove_folder(to)
                yield f"{place} is not copied: {describe_error(problem)}"
            else:
                yield f"{place}/" if path.is_dir() else f"{place}"

    def _can_copy(self, path: Path) -> bool:
        """Whether a path is in the hill's folder, and neither the hill nor the backup is in it."""
        whole = _normalize(path)
        inside = (_normalize(self.hill.spec.home), _normalize(self.folder))
        return whole.is_relative_to(inside[0]) and not any(
            folder.is_relative_to(whole) for folder in inside
        )

    def _copy_folders(self) -> Iterator[str]:
        """Copy the games of visitors, the uploads and the copies of bots."""
        if (games := self.hill.tables_file).exists():
            place = self._find_place(games)
            _copy_database(games, self.folder / place)
            yield f"{place}"
        for source in (self.hill.uploads_folder, self.hill.copies.path):
            if source.is_dir():
                place = self._find_place(source)
                (self.folder / place).mkdir(mode=0o700, parents=True, exist_ok=True)
                for path in sorted(source.iterdir()):
                    if not path.name.startswith("."):  # a lock, or not whole yet
                        with suppress(FileNotFoundError):  # of a process that was still at it
                            _copy_path(path, self.folder / place / path.name)
                yield f"{place}/"

    def _find_place(self, path: Path) -> Path:
        return find_place(self.hill.spec.home, path)


def find_place(home: Path, path: Path) -> Path:
    """Return the place in a backup of a path of the hill whose folder is `home`.

    >>> find_place(Path("/srv/hill"), Path("/srv/hill/db/hill.db"))
    PosixPath('db/hill.db')
    >>> find_place(Path("/srv/hill"), Path("/srv/hill/../hill.db"))
    PosixPath('elsewhere/srv/hill.db')
    """
    whole, folder = _normalize(path), _normalize(home)
    if whole.is_relative_to(folder):
        return whole.relative_to(folder)
    return ELSEWHERE / whole.relative_to(whole.anchor)


def _normalize(path: Path) -> Path:
    """Return the absolute path of a file, with symbolic links as they are named."""
    return Path(os.path.normpath(path.absolute()))


def _copy_path(path: Path, to: Path) -> None:
    """Copy a file or a folder; raise FileNotFoundError, and leave nothing, if it is deleted."""
    try:
        if path.is_dir():
            copy_without_special_files(path, to)
        else:
            shutil.copy2(path, to)
    except FileNotFoundError:
        remove_folder(to)
        raise


def _is_installed_program(path: Path) -> bool:
    """Whether a path is that of a program in the search path, such as an interpreter."""
    return str(path.parent) in os.get_exec_path() and os.access(path, os.X_OK)


def _measure_bytes(path: Path) -> int:
    """Return the bytes on the disk of a file, or of a folder with all that is in it."""
    paths = [path, *path.rglob("*")] if path.is_dir() else [path]
    return sum(path.lstat().st_blocks * BLOCK_BYTES for path in paths)


def _copy_database(database: Path, to: Path) -> None:
    """Copy a consistent snapshot of a database, even during writes."""
    try:
        to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with DatabaseAddress.of(database).connect() as source:
            source.copy_file(to, PAGES_PER_STEP)
    except (OSError, sqlite3.Error) as problem:
        raise StorageError(f"{database} cannot be copied to {to}: {problem}") from None
