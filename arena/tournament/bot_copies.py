"""Copies of bots' folders, each named by the hash of its contents.

A copy does not change while its owner works on the bot. It is built once, and has the same name on
workers of other machines. Nobody but the host may write to a copy that is built. Programs in a
sandbox cannot change it, so a run that finds it changed plays nothing from it.
"""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Self, Unpack

from attrs import frozen

from arena.host import (
    PASSABLE_MODE,
    BotError,
    BotFile,
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
    resolve_parameters,
    seal_copy,
    temporary_folder,
    walk_folder,
)
from arena.rules import describe_error
from arena.sandbox import Sandbox
from arena.wires import to_printable

VERSION_DIGITS = 12  # hexadecimal digits of a version
FULL_HASH_DIGITS = 64  # hexadecimal digits of a collision-resistant hash
CHUNK_BYTES = 2**20  # read into memory at a time
EXECUTABLE_BITS = 0o111  # of a file's mode, for user, group and others
BUILT = ".built"
SUM = ".sum"
FRESH = ".fresh-"  # the prefix of an unfinished copy's folder
DISCARDED = ".discarded-"  # the prefix of a copy that is being removed


def hash_parts(*parts: bytes) -> str:
    """Return the hash of a sequence of parts.

    >>> hash_parts(b"ab", b"c") == hash_parts(b"a", b"bc")
    False
    """
    digest = blake2b(digest_size=VERSION_DIGITS // 2)
    for part in parts:
        _add_part(digest, part)
    return digest.hexdigest()


def hash_folder(folder: Path, digits: int = VERSION_DIGITS, *, whole: bool = False) -> str:
    """Return the hash of a folder: the names, contents and executable bits of its files.

    Args:
        folder: to hash.
        digits: hexadecimal digits of the hash.
        whole: whether files count that are no part of a version, because they are not copied.

    Raises:
        BotError: where it cannot be read, or has what no bot may have.
        MachineError: where the machine fails to read it.
    """
    digest = blake2b(digest_size=digits // 2)
    with blame_bot(folder):
        for part in walk_folder(folder, ignore=()) if whole else walk_folder(folder):
            if not part.is_folder:
                _add_part(digest, os.fsencode(part.path))
                _add_contents(digest, folder / part.path, part.status)
    return digest.hexdigest()


def _add_contents(digest: blake2b, path: Path, status: os.stat_result) -> None:
    """Add the contents of a file; of a link its text, since its target is not copied."""
    if stat.S_ISLNK(status.st_mode):
        _add_part(digest, b"link")
        _add_part(digest, os.fsencode(path.readlink()))
    else:
        _add_part(digest, b"run" if status.st_mode & EXECUTABLE_BITS else b"")
        _add_file(digest, path, status.st_size)


def hash_settings(file: BotFile, parameters: str) -> str:
    """Return the hash of a bot's parameters, or an empty string if all have their defaults."""
    values = resolve_parameters(file.parameters, parameters)
    own = {
        name: values[name]
        for name, parameter in file.parameters.items()
        if values[name] != parameter.default
    }
    return hash_parts(json.dumps(own, sort_keys=True).encode()) if own else ""


def get_copy_name(version: str) -> str:
    """Return the folder name of an entrant's copy: its version without its parameters.

    Entrants that differ by their parameters alone share a copy, which is built once.
    """
    return version[:VERSION_DIGITS]


def find_copy(bots: Path, version: str) -> Path | None:
    """Return the folder of an entrant's copy; None for one that is not a folder, and has none."""
    folder = bots / get_copy_name(version)
    return folder if folder.is_dir() else None


def _add_part(digest: blake2b, part: bytes) -> None:
    digest.update(len(part).to_bytes(8, "big") + part)


def _add_file(digest: blake2b, path: Path, size: int) -> None:
    """Add the contents of a file to a hash, in chunks."""
    digest.update(size.to_bytes(8, "big"))
    with open(path, "rb", opener=_open_plain_file) as file:
        while part := file.read(CHUNK_BYTES):
            digest.update(part)


def _open_plain_file(path: str, flags: int) -> int:
    """Open a regular file; do not follow a link or wait for a pipe put in its place."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def copy_bot(folder: Path, bots: Path) -> str:
    """Copy a folder, unless the copy exists; return its version.

    Raises:
        BotError: if the folder cannot be copied as a bot.
        MachineError: if the machine fails to copy it.
    """
    try:
        return _make_copy(folder, bots)
    except OSError as problem:
        source = to_printable(str(folder))
        raise MachineError(
            f"{source} cannot be copied to {bots}: {describe_error(problem)}"
        ) from None


def _make_copy(folder: Path, bots: Path) -> str:
    """Make a copy, completely or not at all; return the version of the copy."""
    _make_private(bots)
    with temporary_folder(bots, prefix=FRESH) as fresh:
        copy_folder(folder, fresh / "copy")
        version = hash_folder(fresh / "copy")
        if not (bots / version).exists():
            _remove_marks(bots, version)
            (fresh / "copy").rename(bots / version)
    return version


def _make_private(bots: Path) -> None:
    """Create the folder of copies, which others may enter but not list."""
    bots.mkdir(parents=True, exist_ok=True)
    bots.chmod(PASSABLE_MODE)


def clear_leftovers(bots: Path) -> None:
    """Remove unfinished copies; call this only when no copy is being made."""
    for leftover in bots.glob(f"{FRESH}*"):
        remove_folder(leftover)


def discard_copy(bots: Path, version: str) -> bool:
    """Remove the copy of a version; return whether there was one."""
    name = get_copy_name(version)
    waste = bots / f"{DISCARDED}{name}"
    remove_folder(waste)  # from an interrupted removal
    is_present = (bots / name).is_dir()
    if is_present:
        (bots / name).rename(waste)  # atomically: nobody plays from an incomplete copy
        _remove_marks(bots, name)
        remove_folder(waste)
    return is_present


def measure_copies(bots: Path) -> dict[str, int]:
    """Return the size in bytes of each copy, by its name."""
    sizes: dict[str, int] = {}
    with suppress(FileNotFoundError), os.scandir(bots) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                with suppress(BotError, OSError):  # removed meanwhile, or not handed over
                    sizes[entry.name] = _read_size(bots, entry.name)
    return sizes


def _read_size(bots: Path, version: str) -> int:
    """Return the size of a copy in bytes, as recorded when it was built."""
    record = BuildRecord.read(_get_build_mark(bots, version))
    return record.size if record else measure_bytes(bots / version)


def _remove_marks(bots: Path, version: str) -> None:
    """Remove the records of a copy that no longer exists."""
    for mark in (BUILT, SUM):
        (bots / f"{version}{mark}").unlink(missing_ok=True)


def hash_whole_copy(copy: Path) -> str:
    """Return the hash of all files of a copy, also of those that its build has made."""
    return hash_folder(copy, FULL_HASH_DIGITS, whole=True)


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


def is_altered(bots: Path, version: str) -> bool:
    """Return whether a copy is not as it was when it was built."""
    record = BuildRecord.read(_get_build_mark(bots, version))
    return record is not None and record.hash != hash_whole_copy(bots / version)


def needs_build(bots: Path, version: str) -> bool:
    """Return whether a copy still has to be built; raise BotError for an invalid bot.toml."""
    return not _get_build_mark(bots, version).exists() and bool(load_bot_file(bots / version).build)


def build_copy(
    bots: Path, version: str, sandbox: Sandbox | None = None, **terms: Unpack[BuildOptions]
) -> None:
    """Build a copy unless it is built, in a sandbox if one is given; raise BuildError."""
    copy, mark = bots / version, _get_build_mark(bots, version)
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


def move_copy(bots: Path, version: str, folder: Path, to: Path) -> None:
    """Move a copy that was built elsewhere to the folder of copies, unless it exists there.

    The move is atomic: an interrupted one leaves records without a copy, which the next copy of
    this version removes. Raise BotError if the existing copy was handed over for another folder,
    which then has a forged version.
    """
    _make_private(to)
    checksum, digest = to / f"{version}{SUM}", hash_folder(folder, FULL_HASH_DIGITS)
    if not (to / version).exists():
        checksum.write_text(digest)
        _get_build_mark(to, version).write_text(_get_build_mark(bots, version).read_text())
        (bots / version).rename(to / version)
    elif checksum.exists() and checksum.read_text() != digest:
        raise BotError(f"another bot has the same version, {version}: change a file of this one")


def _get_build_mark(bots: Path, version: str) -> Path:
    """Return the file that marks a copy as built."""
    return bots / f"{version}{BUILT}"
