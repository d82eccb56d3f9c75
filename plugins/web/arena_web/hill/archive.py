"""Archives of bots: packing a folder to be sent, and unpacking what was sent in a sandbox."""

from __future__ import annotations

import os
import stat
import sys
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from attrs import evolve

from arena.host import FILE, look_through, run_contained
from arena.rules import UserError, in_words
from arena.sandbox import Resources, Sandbox
from arena.wires import printable
from arena_web.hill import unpacking
from arena_web.hill.unpacking import Broken, see_bounds, see_names, shown

PACKED = 5 << 20  # bytes of an archive, as it is sent
DATE = (1980, 1, 1, 0, 0, 0)  # of all files: the first that a zip file can say
UNPACK = (sys.executable, "-I", "-S", unpacking.__file__)
BOUNDS = Resources(memory_mb=512, cpu_seconds=10.0, processes=8, disk_mb=64, files=8192)
LONGEST = 120.0  # seconds, on a machine that is very busy: what counts is the processor's time
LAST_WORDS = 500  # characters of what went wrong
ON_UNIX = 3  # who made it, so that its modes are read


class BadArchive(UserError):
    """An archive that is refused; the text says why, in one line."""


def pack(folder: Path) -> bytes:
    """Return the zip file of a bot's folder, the same for the same files.

    Raises:
        UserError: where no hill would take it, or it cannot be read.
    """
    try:
        return _packed(folder)
    except OSError as problem:
        raise UserError(f"{folder} cannot be read: {in_words(problem)}") from None
    except Broken as problem:
        raise BadArchive(f"{folder}: {problem}") from None


def _packed(folder: Path) -> bytes:
    if not (folder / FILE).is_file():
        raise Broken(f"there is no {FILE}")
    found = [one for one in look_through(folder) if not one.is_folder]
    if link := next((one for one in found if one.is_link), None):
        raise Broken(f"{shown(str(link.path))}: is a link; files and folders are allowed")
    names = [one.path.as_posix() for one in found]
    see_bounds(len(found), sum(one.status.st_size for one in found))
    see_names(names)
    data = _zipped(folder, names)
    if len(data) > PACKED:
        raise Broken(f"packed it has {len(data):,} bytes; {PACKED >> 20} MB are allowed")
    return data


def _zipped(folder: Path, names: list[str]) -> bytes:
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for name in sorted(names):
            path = folder / name
            member = ZipInfo(name, DATE)
            member.create_system = ON_UNIX
            member.compress_type = ZIP_DEFLATED
            mode = 0o755 if os.access(path, os.X_OK) else 0o644
            member.external_attr = (stat.S_IFREG | mode) << 16
            archive.writestr(member, path.read_bytes())
    return packed.getvalue()


def unpack_contained(data: bytes, folder: Path, sandbox: Sandbox | None) -> None:
    """Unpack a stranger's zip file into an empty folder, in a sandbox where there is one.

    Raises:
        BadArchive: where it breaks a rule, or takes more than an archive may.
        OSError: where the sandbox or the machine fails.
    """
    if sandbox is None:
        _unpack(data, folder)
        return
    bounded = evolve(sandbox, resources=BOUNDS)
    ran = run_contained(UNPACK, folder, bounded, LONGEST, given=data)
    if not ran.in_time:
        raise TimeoutError(f"unpacking: {ran.why}")
    if ran.why == f"exit status {unpacking.REFUSED}":
        raise BadArchive(printable(ran.said.strip()))
    if ran.why.startswith("exit status"):  # of an interpreter that could not do its work
        raise OSError(f"unpacking: {ran.why}: {printable(ran.said.strip()[-LAST_WORDS:])}")
    if ran.why:
        raise BadArchive(f"unpacking it was given up: {ran.why}")


def _unpack(data: bytes, folder: Path) -> None:
    try:
        unpacking.unpack(data, folder)
    except Broken as problem:
        raise BadArchive(str(problem)) from None
