"""Unpacking a stranger's zip file: plain files with plain names, within bounds, nothing else.

An archive that breaks a rule is refused as a whole, before anything is written. As a program
this reads the zip file from its input and unpacks it into the folder where it works; a porter
runs it so, in a sandbox. That is why nothing but Python's own library is imported here.
"""

from __future__ import annotations

import os
import stat
import struct
import sys
import unicodedata
import zlib
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

FILE = "bot.toml"
MEMBERS = 500  # files and folders of an archive
SIZE = 20 << 20  # bytes, of all files together
DEPTH = 8  # folders inside each other
WORDS = 64 << 10  # bytes of a bot.toml, which the host itself reads
LONGEST_PART = 255  # bytes of a name between two slashes, as file systems have it

LONGEST_WORDS = 100  # characters of somebody else's

REFUSED = 3
"""The exit status for an archive that breaks a rule; the rule stands on standard error."""

NOT_SO_NAMED = "__MACOSX/"  # what another system puts beside the files, and no bot needs
ENCRYPTED = 0x1 | 0x40 | 0x2000  # flags of a member (APPNOTE 4.4.4)
IN_UTF8 = 0x800
UNFLAGGED = "cp437"  # how `zipfile` reads a name without that flag
LOCAL_HEADER = struct.Struct("<26x2H")  # the lengths of a name and of what is extra
WRONG_INSIDE = (
    BadZipFile, EOFError, LookupError, ArithmeticError, RuntimeError, ValueError,
    struct.error, zlib.error,
)  # fmt: skip
"""What `zipfile` raises on bytes that are no archive, or not what they say."""


class Broken(Exception):
    """A rule that an archive breaks; the text says which, in one line."""


class Content(NamedTuple):
    """What a file of an archive holds."""

    data: bytes
    runs: bool  # may it be executed?


def unpack(data: bytes, folder: Path) -> None:
    """Write a zip file's files into an empty folder; raise Broken, or OSError of the disk."""
    for name, content in contents(data).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "xb", opener=_to_run if content.runs else None) as file:
            file.write(content.data)


def contents(data: bytes) -> dict[str, Content]:
    """Return the files of a bot's zip file by their paths, its bot.toml at the top.

    Raises:
        Broken: where it is no zip file, or breaks a rule.
    """
    try:
        with ZipFile(BytesIO(data)) as archive:
            return _files(archive, data)
    except WRONG_INSIDE as problem:
        raise Broken(f"the archive is no good zip file: {_words_of(problem)}") from None


def see_names(names: Iterable[str]) -> None:
    """Raise Broken unless these can stand beside each other; folders end with a slash."""
    taken: dict[str, str] = {}
    listed: set[str] = set()
    for name in names:
        see_name(name)
        parts = PurePosixPath(name)
        above = [f"{one}/" for one in parts.parents if one.name]
        for path in (*above, name):
            other = taken.setdefault(_folded(path), path)
            if other != path or (path == name and name in listed):
                raise Broken(
                    f"{shown(name)}: {shown(other)} is there already; each name may be there once,"
                    " whatever its case"
                )
        listed.add(name)


def see_name(name: str) -> None:
    """Raise Broken unless a name leads to one place inside of a folder, on every system."""
    parts = name.removesuffix("/").split("/")
    if not name.isprintable() or "\\" in name or not {"", ".", ".."}.isdisjoint(parts):
        raise Broken(
            f"{shown(name)}: is no plain path; it may not be absolute, nor have '..', empty parts,"
            " backslashes or characters that cannot be printed"
        )
    if len(parts) > DEPTH + 1:
        raise Broken(f"{shown(name)}: lies too deep; {DEPTH} folders are allowed")
    if max(len(part.encode()) for part in parts) > LONGEST_PART:
        raise Broken(f"{shown(name)}: is too long; {LONGEST_PART} bytes a part are allowed")


def see_bounds(number: int, size: int) -> None:
    """Raise Broken where there is too much of it."""
    if number > MEMBERS:
        raise Broken(f"there are {number} files and folders; {MEMBERS} are allowed")
    if size > SIZE:
        raise Broken(f"the files have {size:,} bytes; {SIZE >> 20} MB together are allowed")


def _files(archive: ZipFile, data: bytes) -> dict[str, Content]:
    members = archive.infolist()
    see_bounds(len(members), sum(one.file_size for one in members))
    names = [_name(one) for one in members]
    see_names(names)
    for name, member in zip(names, members, strict=True):
        _see_kind(name, member)
    _see_apart(archive, data)
    kept = {
        name: one for name, one in zip(names, members, strict=True)
        if not name.startswith(NOT_SO_NAMED)
    }  # fmt: skip
    top = _top(kept)
    if kept[top + FILE].file_size > WORDS:
        raise Broken(f"the {FILE} is too long; {WORDS >> 10} kB are allowed")
    return {
        name.removeprefix(top): Content(_read(archive, name, one), _runs(one))
        for name, one in kept.items() if not name.endswith("/")
    }  # fmt: skip


def _name(member: ZipInfo) -> str:
    """Return a member's name as it was written, which `zipfile` cuts at a NUL."""
    name = member.orig_filename
    if member.flag_bits & IN_UTF8:
        return name
    try:
        return name.encode(UNFLAGGED).decode()
    except UnicodeError:
        raise Broken(f"{shown(name)}: its name is no UTF-8, which it has to be") from None


def _see_kind(name: str, member: ZipInfo) -> None:
    """Raise Broken unless it is a plain file or a folder, packed in a plain way."""
    if member.flag_bits & ENCRYPTED:
        raise Broken(f"{shown(name)}: is encrypted; what is sent has to be readable")
    if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise Broken(
            f"{shown(name)}: is packed by method {member.compress_type}; stored and deflated"
            " are allowed"
        )
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFDIR if name.endswith("/") else stat.S_IFREG):
        raise Broken(f"{shown(name)}: is {_words(kind)}; files and folders are allowed")


def _words(kind: int) -> str:
    """Say what kind of thing a mode means."""
    known = {
        stat.S_IFLNK: "a link",
        stat.S_IFDIR: "a folder without a slash behind it",
        stat.S_IFREG: "a file with a slash behind it",
    }
    return known.get(kind, "a device, a pipe or the like")


def _see_apart(archive: ZipFile, data: bytes) -> None:
    """Raise Broken where two members share bytes, by which little becomes very much."""
    before = 0
    for member in sorted(archive.infolist(), key=lambda one: one.header_offset):
        start = member.header_offset
        name, extra = LOCAL_HEADER.unpack_from(data, start)
        if start < before:
            raise Broken(f"{shown(_name(member))}: overlaps another member")
        before = start + LOCAL_HEADER.size + name + extra + member.compress_size
    if before > archive.start_dir:
        raise Broken("the last member overlaps the list of members")


def _top(names: Iterable[str]) -> str:
    """Return the folder that holds all, with a slash; nothing where the bot is at the top."""
    names = {*names}
    tops = {name.partition("/")[0] for name in names}
    if FILE in names:
        return ""
    if len(tops) == 1 and (top := f"{tops.pop()}/") + FILE in names:
        return top
    raise Broken(
        f"there is no {FILE}; it has to be at the top of the archive, or of its only folder"
    )


def _read(archive: ZipFile, name: str, member: ZipInfo) -> bytes:
    """Return what a member holds, and no more than it says that it has."""
    try:
        with archive.open(member) as file:
            content = file.read(member.file_size + 1)
    except WRONG_INSIDE as problem:
        raise Broken(f"{shown(name)}: cannot be unpacked: {_words_of(problem)}") from None
    if len(content) != member.file_size:
        raise Broken(f"{shown(name)}: has not the size that the archive says")
    return content


def _words_of(problem: Exception) -> str:
    """Say what `zipfile` found, which may quote the archive."""
    return _cut(f"{type(problem).__name__}: {problem}")


def shown(name: str) -> str:
    """Write a name for a person, which a stranger may have made long."""
    return _cut(repr(name))


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_WORDS else f"{text[:LONGEST_WORDS]}..."


def _runs(member: ZipInfo) -> bool:
    return bool(member.external_attr >> 16 & stat.S_IXUSR)


def _folded(path: str) -> str:
    """Return a path as systems compare it to which case and composition mean nothing."""
    return unicodedata.normalize("NFC", path.removesuffix("/").casefold())


def _to_run(path: str, flags: int) -> int:
    """Make a file that may be executed: in a sandbox modes cannot be changed afterwards."""
    return os.open(path, flags, 0o777)


def main() -> int:
    """Unpack the input into the folder where this runs; return an exit status."""
    try:
        unpack(sys.stdin.buffer.read(), Path())
    except Broken as problem:
        sys.stderr.write(f"{problem}\n")
        return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main())
