"""Unpacking a stranger's zip file: plain files with plain names, within bounds, nothing else.

An archive that breaks a rule is refused as a whole, before anything is written. As a program
this reads the zip file from its input and unpacks it into the folder where it works; a porter
runs it so, in a sandbox, which has no more than the core of the arena. That is why nothing else
is imported here.
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
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from attrs import frozen

from arena.host import FILE
from arena.rules import UserError, brief, in_words

MEMBERS = 500  # files and folders of an archive
SIZE = 20 << 20  # bytes, of all files together
DEPTH = 8  # folders inside each other
WORDS = 64 << 10  # bytes of a bot.toml, which the host itself reads
LONGEST_PART = 255  # bytes of a name between two slashes, as file systems have it

LONGEST_WORDS = 120  # characters of somebody else's

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


class BadArchive(UserError):
    """An archive that is refused; the text says why, in one line."""


@frozen
class Content:
    """What a file of an archive holds."""

    data: bytes
    runs: bool  # may it be executed?


def unpack(data: bytes, folder: Path) -> None:
    """Write a zip file's files into an empty folder; raise BadArchive, or OSError of the disk."""
    for name, content in contents(data).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "xb", opener=_to_run if content.runs else None) as file:
            file.write(content.data)


def contents(data: bytes) -> dict[str, Content]:
    """Return the files of a bot's zip file by their paths, its bot.toml at the top.

    Raises:
        BadArchive: where it is no zip file, or breaks a rule.
    """
    try:
        with ZipFile(BytesIO(data)) as archive:
            return _files(archive, data)
    except WRONG_INSIDE as problem:
        raise BadArchive(f"the archive is no good zip file: {_brief(problem)}") from None


def see_names(names: Iterable[str]) -> None:
    """Raise BadArchive unless these can stand beside each other; folders end with a slash."""
    taken: dict[str, str] = {}
    listed: set[str] = set()
    for name in names:
        see_name(name)
        parts = PurePosixPath(name)
        above = [f"{one}/" for one in parts.parents if one.name]
        for path in (*above, name):
            other = taken.setdefault(_folded(path), path)
            if other != path or (path == name and name in listed):
                raise BadArchive(
                    f"{brief(name)}: {brief(other)} is there already; each name may be there once,"
                    " whatever its case"
                )
        listed.add(name)


def see_name(name: str) -> None:
    """Raise BadArchive unless a name leads to one place inside of a folder, on every system."""
    parts = name.removesuffix("/").split("/")
    if not name.isprintable() or "\\" in name or not {"", ".", ".."}.isdisjoint(parts):
        raise BadArchive(
            f"{brief(name)}: is no plain path; it may not be absolute, nor have '..', empty parts,"
            " backslashes or characters that cannot be printed"
        )
    if len(parts) > DEPTH + 1:
        raise BadArchive(f"{brief(name)}: lies too deep; {DEPTH} folders are allowed")
    if max(len(part.encode()) for part in parts) > LONGEST_PART:
        raise BadArchive(f"{brief(name)}: is too long; {LONGEST_PART} bytes a part are allowed")


def see_bounds(number: int, size: int) -> None:
    """Raise BadArchive where there is too much of it."""
    if number > MEMBERS:
        raise BadArchive(f"there are {number} files and folders; {MEMBERS} are allowed")
    if size > SIZE:
        raise BadArchive(f"the files have {size:,} bytes; {SIZE >> 20} MB together are allowed")


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
        raise BadArchive(f"the {FILE} is too long; {WORDS >> 10} kB are allowed")
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
        raise BadArchive(f"{brief(name)}: its name is no UTF-8, which it has to be") from None


def _see_kind(name: str, member: ZipInfo) -> None:
    """Raise BadArchive unless it is a plain file or a folder, packed in a plain way."""
    if member.flag_bits & ENCRYPTED:
        raise BadArchive(f"{brief(name)}: is encrypted; what is sent has to be readable")
    if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise BadArchive(
            f"{brief(name)}: is packed by method {member.compress_type}; stored and deflated"
            " are allowed"
        )
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFDIR if name.endswith("/") else stat.S_IFREG):
        raise BadArchive(f"{brief(name)}: is {_words(kind)}; files and folders are allowed")


def _words(kind: int) -> str:
    """Say what kind of thing a mode means."""
    known = {
        stat.S_IFLNK: "a link",
        stat.S_IFDIR: "a folder without a slash behind it",
        stat.S_IFREG: "a file with a slash behind it",
    }
    return known.get(kind, "a device, a pipe or the like")


def _see_apart(archive: ZipFile, data: bytes) -> None:
    """Raise BadArchive where two members share bytes, by which little becomes very much."""
    before = 0
    for member in sorted(archive.infolist(), key=lambda one: one.header_offset):
        start = member.header_offset
        name, extra = LOCAL_HEADER.unpack_from(data, start)
        if start < before:
            raise BadArchive(f"{brief(_name(member))}: overlaps another member")
        before = start + LOCAL_HEADER.size + name + extra + member.compress_size
    if before > archive.start_dir:
        raise BadArchive("the last member overlaps the list of members")


def _top(names: Iterable[str]) -> str:
    """Return the folder that holds all, with a slash; nothing where the bot is at the top."""
    names = {*names}
    tops = {name.partition("/")[0] for name in names}
    if FILE in names:
        return ""
    if len(tops) == 1 and (top := f"{tops.pop()}/") + FILE in names:
        return top
    raise BadArchive(
        f"there is no {FILE}; it has to be at the top of the archive, or of its only folder"
    )


def _read(archive: ZipFile, name: str, member: ZipInfo) -> bytes:
    """Return what a member holds, and no more than it says that it has."""
    try:
        with archive.open(member) as file:
            content = file.read(member.file_size + 1)
    except WRONG_INSIDE as problem:
        raise BadArchive(f"{brief(name)}: cannot be unpacked: {_brief(problem)}") from None
    if len(content) != member.file_size:
        raise BadArchive(f"{brief(name)}: has not the size that the archive says")
    return content


def _brief(problem: Exception) -> str:
    """Say what `zipfile` found, which may quote the archive."""
    words = in_words(problem)
    return words if len(words) <= LONGEST_WORDS else f"{words[:LONGEST_WORDS]}..."


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
    except BadArchive as problem:
        sys.stderr.write(f"{problem}\n")
        return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main())
