"""Archives of bots: packing a folder for upload, and unpacking uploads in a sandbox."""

from __future__ import annotations

import os
import stat
import sys
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from attrs import evolve

from arena import UserError
from arena.host import BOT_FILE, run_in_sandbox, walk_folder
from arena.rules import describe_error
from arena.sandbox import Resources, Sandbox
from arena.wires import to_printable
from arena_hill import unzip
from arena_hill.units import MB
from arena_hill.unzip import (
    MAX_UPLOAD_BYTES,
    ArchiveRuleError,
    check_names,
    check_unpacked_size,
    quote,
)

MEMBER_DATE = (1980, 1, 1, 0, 0, 0)  # of all files: the first that a zip file can say
UNPACK_COMMAND = (sys.executable, "-I", "-S", unzip.__file__)
UNPACK_RESOURCES = Resources(memory_mb=512, cpu_seconds=10.0, processes=8, disk_mb=64, files=8192)
UNPACK_SECONDS = 120.0  # for a very busy machine: what counts is the processor's time
MAX_ERROR_LENGTH = 500  # characters of what went wrong
UNIX_SYSTEM = 3  # who made it, so that its modes are read


class BadArchiveError(UserError):
    """A rejected archive; the message gives the reason in one line."""


def pack_bot(folder: Path) -> bytes:
    """Return the zip file of a bot's folder, the same for the same files.

    Raises:
        UserError: where no hill would take it, or it cannot be read.
    """
    try:
        return _pack(folder)
    except OSError as problem:
        raise UserError(f"{folder} cannot be read: {describe_error(problem)}") from None
    except ArchiveRuleError as problem:
        raise BadArchiveError(f"{folder}: {problem}") from None


def _pack(folder: Path) -> bytes:
    if not (folder / BOT_FILE).is_file():
        raise ArchiveRuleError(f"{BOT_FILE} is missing")
    files = [entry for entry in walk_folder(folder) if not entry.is_folder]
    if link := next((entry for entry in files if entry.is_link), None):
        raise ArchiveRuleError(
            f"{quote(str(link.path))}: is a link; only files and folders are allowed"
        )
    names = [entry.path.as_posix() for entry in files]
    check_unpacked_size(len(files), sum(entry.status.st_size for entry in files))
    check_names(names)
    data = _zip(folder, names)
    if len(data) > MAX_UPLOAD_BYTES:
        raise ArchiveRuleError(
            f"the archive has {len(data):,} bytes; at most {MAX_UPLOAD_BYTES // MB} MB are allowed"
        )
    return data


def _zip(folder: Path, names: list[str]) -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name in sorted(names):
            path = folder / name
            member = ZipInfo(name, MEMBER_DATE)
            member.create_system = UNIX_SYSTEM
            member.compress_type = ZIP_DEFLATED
            mode = 0o755 if os.access(path, os.X_OK) else 0o644
            member.external_attr = (stat.S_IFREG | mode) << 16
            archive.writestr(member, path.read_bytes())
    return buffer.getvalue()


def unpack_in_sandbox(data: bytes, folder: Path, sandbox: Sandbox | None) -> None:
    """Unpack an untrusted zip file into an empty folder, in a sandbox if there is one.

    Raises:
        BadArchiveError: where it breaks a rule, or takes more than an archive may.
        OSError: where the sandbox or the machine fails.
    """
    if sandbox is None:
        _unpack(data, folder)
        return
    bounded = evolve(sandbox, resources=UNPACK_RESOURCES)
    result = run_in_sandbox(UNPACK_COMMAND, folder, bounded, UNPACK_SECONDS, stdin=data)
    if not result.in_time:
        raise TimeoutError(f"unpacking: {result.problem}")
    if result.exit_status == unzip.REJECTED_STATUS:
        raise BadArchiveError(to_printable(result.stderr.strip()))
    if result.exit_status:  # of an interpreter that could not do its work
        error = to_printable(result.stderr.strip()[-MAX_ERROR_LENGTH:])
        raise OSError(f"unpacking: {result.problem}: {error}")
    if result.problem:
        raise BadArchiveError(f"unpacking failed: {result.problem}")


def _unpack(data: bytes, folder: Path) -> None:
    try:
        unzip.unpack(data, folder)
    except ArchiveRuleError as problem:
        raise BadArchiveError(str(problem)) from None
