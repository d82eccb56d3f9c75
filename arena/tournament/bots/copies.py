"""Copies of bots' folders, each named by the hash of its contents.

A copy does not change while its owner works on the bot. It is built once, and has the same name on
workers of other machines. Nobody but the host may write to a copy that is built. Programs in a
sandbox cannot change it, so a run that finds it changed plays nothing from it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Self, Unpack

from attrs import frozen

from arena.host import (
    PASSABLE_MODE,
    BotError,
    BuildOptions,
    MachineError,
    blame_bot,
    build_bot,
    check_build_result,
    copy_folder,
    load_bot_file,
    make_readable,
    measure_bytes,
    remove_folder,
    seal_copy,
    temporary_folder,
)
from arena.rules import describe_error
from arena.sandbox import Sandbox
from arena.tournament.bots.hashes import FULL_HASH_DIGITS, VERSION_DIGITS, hash_folder
from arena.wires import to_printable

BUILD_SUFFIX = ".built"
CHECKSUM_SUFFIX = ".sum"
FRESH = ".fresh-"  # the prefix of an unfinished copy's folder
DISCARDED = ".discarded-"  # the prefix of a copy that is being removed


def get_copy_name(version: str) -> str:
    """Return the folder name of an entrant's copy: its version without its parameters.

    Entrants that differ by their parameters alone share a copy, which is built once.
    """
    return version[:VERSION_DIGITS]


@frozen
class BuildRecord:
    """What is recorded of a copy when it is built."""

    size: int  #: bytes
    hash: str  #: of all files

    @classmethod
    def measure(cls, copy: Path) -> Self:
        """Measure a copy; raise BotError or MachineError where it cannot be read."""
        with blame_bot(copy):
            return cls(measure_bytes(copy), hash_whole_copy(copy))

    @classmethod
    def read(cls, mark: Path) -> Self | None:
        """Read a record; return None where there is none, or only a part of one."""
        try:
            size, whole = mark.read_text().split()
            return cls(int(size), whole) if len(whole) == FULL_HASH_DIGITS else None
        except (FileNotFoundError, ValueError):
            return None

    def write(self, mark: Path) -> None:
        """Write the record."""
        mark.write_text(f"{self.size} {self.hash}")


def hash_whole_copy(copy: Path) -> str:
    """Return the hash of all files of a copy, also of those that its build has made."""
    return hash_folder(copy, FULL_HASH_DIGITS, whole=True)


@frozen
class CopyFolder:
    """A folder of copies; each is named by a version, without the parameters of that."""

    path: Path

    def get_path(self, version: str) -> Path:
        """Return the folder of the copy of a version, whether it exists or not."""
        return self.path / get_copy_name(version)

    def find(self, version: str) -> Path | None:
        """Return the folder of an entrant's copy; None for one that is not a folder."""
        copy = self.get_path(version)
        return copy if copy.is_dir() else None

    def add(self, folder: Path) -> str:
        """Copy a folder, unless the copy exists; return its version.

        Raises:
            BotError: if the folder cannot be copied as a bot.
            MachineError: if the machine fails to copy it.
        """
        try:
            return self._add(folder)
        except OSError as problem:
            source = to_printable(str(folder))
            raise MachineError(
                f"{source} cannot be copied to {self.path}: {describe_error(problem)}"
            ) from None

    def _add(self, folder: Path) -> str:
        """Make a copy, completely or not at all; return the version of the copy."""
        self._make_private()
        with temporary_folder(self.path, prefix=FRESH) as fresh:
            copy_folder(folder, fresh / "copy")
            version = hash_folder(fresh / "copy")
            if not self.get_path(version).exists():
                self._remove_marks(version)
                (fresh / "copy").rename(self.get_path(version))
        return version

    def _make_private(self) -> None:
        """Create the folder, which others may enter but not list."""
        self.path.mkdir(parents=True, exist_ok=True)
        self.path.chmod(PASSABLE_MODE)

    def clear_leftovers(self) -> None:
        """Remove unfinished copies; call this only when no copy is being made."""
        for leftover in self.path.glob(f"{FRESH}*"):
            remove_folder(leftover)

    def discard(self, version: str) -> bool:
        """Remove the copy of a version; return whether there was one."""
        copy = self.get_path(version)
        waste = self.path / f"{DISCARDED}{copy.name}"
        remove_folder(waste)  # from an interrupted removal
        is_present = copy.is_dir()
        if is_present:
            copy.rename(waste)  # atomically: nobody plays from an incomplete copy
            self._remove_marks(version)
            remove_folder(waste)
        return is_present

    def measure(self) -> dict[str, int]:
        """Return the size in bytes of each copy, by its name."""
        sizes: dict[str, int] = {}
        with suppress(FileNotFoundError), os.scandir(self.path) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                    with suppress(BotError, OSError):  # removed meanwhile, or not handed over
                        sizes[entry.name] = self._read_size(entry.name)
        return sizes

    def _read_size(self, name: str) -> int:
        """Return the size of a copy in bytes, as recorded when it was built."""
        record = BuildRecord.read(self.path / f"{name}{BUILD_SUFFIX}")
        return record.size if record else measure_bytes(self.path / name)

    def is_altered(self, version: str) -> bool:
        """Return whether a copy is not as it was when it was built."""
        record = BuildRecord.read(self._get_build_mark(version))
        return record is not None and record.hash != hash_whole_copy(self.get_path(version))

    def needs_build(self, version: str) -> bool:
        """Return whether a copy still has to be built; raise BotError for an invalid bot.toml."""
        is_built = self._get_build_mark(version).exists()
        return not is_built and bool(load_bot_file(self.get_path(version)).build)

    def build(
        self, version: str, sandbox: Sandbox | None = None, **terms: Unpack[BuildOptions]
    ) -> Path:
        """Build a copy unless it is built, in a sandbox if one is given; return its folder.

        Raises BuildError where that fails.
        """
        copy, mark = self.get_path(version), self._get_build_mark(version)
        if not mark.exists():
            command = load_bot_file(copy).build
            if command:
                build_bot(copy, command, sandbox, **terms)
                seal_copy(copy, copy)
                check_build_result(copy, sandbox, copy)
        if sandbox:
            make_readable(copy)
        if BuildRecord.read(mark) is None:
            BuildRecord.measure(copy).write(mark)
        return copy

    def move(self, version: str, folder: Path, to: CopyFolder) -> None:
        """Move a built copy to another folder of copies, unless it exists there.

        The move is atomic: an interrupted one leaves records without a copy, which the next copy of
        this version removes. Raise BotError if the existing copy was handed over for another
        `folder`, which then has a forged version.
        """
        to._make_private()
        checksum = to._get_mark(version, CHECKSUM_SUFFIX)
        digest = hash_folder(folder, FULL_HASH_DIGITS)
        if not to.get_path(version).exists():
            checksum.write_text(digest)
            to._get_build_mark(version).write_text(self._get_build_mark(version).read_text())
            self.get_path(version).rename(to.get_path(version))
        elif checksum.exists() and checksum.read_text() != digest:
            raise BotError(
                f"another bot has the same version, {get_copy_name(version)}: change a file of"
                " this one"
            )

    def _remove_marks(self, version: str) -> None:
        """Remove the records of a copy that no longer exists."""
        for kind in (BUILD_SUFFIX, CHECKSUM_SUFFIX):
            self._get_mark(version, kind).unlink(missing_ok=True)

    def _get_build_mark(self, version: str) -> Path:
        """Return the file that marks a copy as built."""
        return self._get_mark(version, BUILD_SUFFIX)

    def _get_mark(self, version: str, kind: str) -> Path:
        return self.path / f"{get_copy_name(version)}{kind}"
