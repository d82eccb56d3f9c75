"""Unpacking an untrusted zip file: its largest size, and only plain files with plain names.

An archive that breaks a rule is refused as a whole, before anything is written. As a program
this reads the zip file from its input and unpacks it into the folder where it works; a judge
runs it so, in a sandbox. That is why nothing but Python's own library is imported here.
"""

from __future__ import annotations

import os
import re
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

BOT_FILE = "bot.toml"
MB = 1 << 20  # bytes, as in `arena_hill.units`
MAX_UPLOAD_BYTES = 5 * MB  # bytes of an archive, as it is sent
MAX_MEMBERS = 500  # files and folders of an archive
MAX_UNPACKED_BYTES = 20 * MB  # bytes, of all files together
MAX_DEPTH = 8  # nested folders
MAX_BOT_FILE_BYTES = 64 << 10  # bytes of a bot.toml, which the host itself reads
MAX_PART_BYTES = 255  # bytes of a name between two slashes, as file systems have it

MISLEADING_NAMES = {
    '[<>:"|?*]': 'contains one of < > : " | ? *, which mean something else on Windows or to arena',
    "^ |[ .]$": "begins or ends with a space or ends with a dot, which Windows removes",
    "^-": "begins with a hyphen, as the options of commands do",
    r"(?i)^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\xb9\xb2\xb3]) *(\.|$)": (
        "is the name of a device on Windows"
    ),
    # what counts as printable and is not seen (Default_Ignorable_Code_Point, and a blank pattern)
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0]|"
    "[\U000e0100-\U000e01ef]": "contains invisible characters",
}
"""How names may mislead that are plain, by patterns for what stands between two slashes."""

MAX_QUOTE_LENGTH = 100  # characters of somebody else's

REJECTED_STATUS = 3
"""The exit status for an archive that breaks a rule; standard error names the rule."""

IGNORED_PREFIX = "__MACOSX/"  # what another system puts beside the files, and no bot needs
ENCRYPTION_FLAGS = 0x1 | 0x40 | 0x2000  # flags of a member (APPNOTE 4.4.4)
UTF8_FLAG = 0x800
DEFAULT_ENCODING = "cp437"  # how `zipfile` reads a name without that flag
LOCAL_HEADER = struct.Struct("<26x2H")  # the lengths of a name and of what is extra
ZIP_ERRORS = (
    BadZipFile, EOFError, LookupError, ArithmeticError, RuntimeError, ValueError,
    struct.error, zlib.error,
)  # fmt: skip
"""The exceptions of `zipfile` for bytes that are not a valid archive."""


class ArchiveRuleError(Exception):
    """An archive that breaks a rule; the message says which, in one line."""


class FileContent(NamedTuple):
    """The content of a file in an archive."""

    data: bytes
    is_executable: bool  # whether it may be executed


def unpack(data: bytes, folder: Path) -> None:
    """Write a zip file's files into an empty folder; raise ArchiveRuleError or OSError."""
    for name, content in read_archive(data).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "xb", opener=_open_executable if content.is_executable else None) as file:
            file.write(content.data)


def read_archive(data: bytes) -> dict[str, FileContent]:
    """Return the files of a bot's zip file by their paths, with bot.toml at the top.

    Raises:
        ArchiveRuleError: where it is no zip file, or breaks a rule.
    """
    try:
        with ZipFile(BytesIO(data)) as archive:
            return _read_members(archive, data)
    except ZIP_ERRORS as problem:
        raise ArchiveRuleError(
            f"the archive is not a valid zip file: {_describe_error(problem)}"
        ) from None


def check_names(names: Iterable[str]) -> None:
    """Raise ArchiveRuleError if names collide; names of folders end with a slash."""
    paths: dict[str, str] = {}
    previous: set[str] = set()
    for name in names:
        check_name(name)
        parts = PurePosixPath(name)
        above = [f"{folder}/" for folder in parts.parents if folder.name]
        for path in (*above, name):
            other = paths.setdefault(_fold(path), path)
            if other != path or (path == name and name in previous):
                raise ArchiveRuleError(
                    f"{quote(name)}: {quote(other)} already exists; names must be unique,"
                    " ignoring case"
                )
        previous.add(name)


def check_name(name: str) -> None:
    """Raise ArchiveRuleError unless a name is a plain path that means the same on every system."""
    parts = name.removesuffix("/").split("/")
    if not name.isprintable() or "\\" in name or not {"", ".", ".."}.isdisjoint(parts):
        raise ArchiveRuleError(
            f"{quote(name)}: is not a plain path; it must not be absolute or contain '..', empty"
            " parts, backslashes or unprintable characters"
        )
    if len(parts) > MAX_DEPTH + 1:
        raise ArchiveRuleError(
            f"{quote(name)}: is nested too deeply; at most {MAX_DEPTH} folders are allowed"
        )
    if max(len(part.encode()) for part in parts) > MAX_PART_BYTES:
        raise ArchiveRuleError(
            f"{quote(name)}: is too long; at most {MAX_PART_BYTES} bytes per part are allowed"
        )
    for pattern, problem in MISLEADING_NAMES.items():
        if any(re.search(pattern, part) for part in parts):
            raise ArchiveRuleError(f"{quote(name)}: {problem}; rename it")


def check_unpacked_size(number: int, size: int) -> None:
    """Raise ArchiveRuleError if there are too many files or bytes."""
    if number > MAX_MEMBERS:
        raise ArchiveRuleError(
            f"the archive has {number} files and folders; at most {MAX_MEMBERS} are allowed"
        )
    if size > MAX_UNPACKED_BYTES:
        raise ArchiveRuleError(
            f"the files have {size:,} bytes; at most {MAX_UNPACKED_BYTES // MB} MB are allowed"
        )


def _read_members(archive: ZipFile, data: bytes) -> dict[str, FileContent]:
    members = archive.infolist()
    check_unpacked_size(len(members), sum(member.file_size for member in members))
    names = [_decode_name(member) for member in members]
    check_names(names)
    for name, member in zip(names, members, strict=True):
        _check_kind(name, member)
    _check_overlaps(archive, data)
    bot_members = {
        name: member for name, member in zip(names, members, strict=True)
        if not name.startswith(IGNORED_PREFIX)
    }  # fmt: skip
    top = _find_top(bot_members)
    if bot_members[top + BOT_FILE].file_size > MAX_BOT_FILE_BYTES:
        raise ArchiveRuleError(
            f"{BOT_FILE} is too long; at most {MAX_BOT_FILE_BYTES >> 10} kB are allowed"
        )
    return {
        name.removeprefix(top): FileContent(
            _read_member(archive, name, member), _is_executable(member)
        )
        for name, member in bot_members.items() if not name.endswith("/")
    }  # fmt: skip


def _decode_name(member: ZipInfo) -> str:
    """Return a member's full name, which `zipfile` cuts at a NUL."""
    name = member.orig_filename
    if member.flag_bits & UTF8_FLAG:
        return name
    try:
        return name.encode(DEFAULT_ENCODING).decode()
    except UnicodeError:
        raise ArchiveRuleError(f"{quote(name)}: the name is not UTF-8") from None


def _check_kind(name: str, member: ZipInfo) -> None:
    """Raise ArchiveRuleError unless a member is a plain file or a folder."""
    if member.flag_bits & ENCRYPTION_FLAGS:
        raise ArchiveRuleError(f"{quote(name)}: is encrypted; upload unencrypted files")
    if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise ArchiveRuleError(
            f"{quote(name)}: uses compression method {member.compress_type}; only store and deflate"
            " are allowed"
        )
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFDIR if name.endswith("/") else stat.S_IFREG):
        raise ArchiveRuleError(
            f"{quote(name)}: is {_describe_kind(kind)}; files and folders are allowed"
        )


def _describe_kind(kind: int) -> str:
    """Describe the kind of file that a mode stands for."""
    descriptions = {
        stat.S_IFLNK: "a link",
        stat.S_IFDIR: "a folder without a slash at its end",
        stat.S_IFREG: "a file with a slash at its end",
    }
    return descriptions.get(kind, "a device, a pipe or another special file")


def _check_overlaps(archive: ZipFile, data: bytes) -> None:
    """Raise ArchiveRuleError if members share bytes, as in a zip bomb."""
    end = 0
    for member in sorted(archive.infolist(), key=lambda member: member.header_offset):
        start = member.header_offset
        name, extra = LOCAL_HEADER.unpack_from(data, start)
        if start < end:
            raise ArchiveRuleError(f"{quote(_decode_name(member))}: overlaps another member")
        end = start + LOCAL_HEADER.size + name + extra + member.compress_size
    if end > archive.start_dir:
        raise ArchiveRuleError("the last member overlaps the list of members")


def _find_top(names: Iterable[str]) -> str:
    """Return the folder that contains everything, with a slash, or "" if the bot is at the top."""
    names = {*names}
    tops = {name.partition("/")[0] for name in names}
    if BOT_FILE in names:
        return ""
    if len(tops) == 1 and (top := f"{tops.pop()}/") + BOT_FILE in names:
        return top
    raise ArchiveRuleError(
        f"{BOT_FILE} is missing: put it at the top of the archive, or of its only folder"
    )


def _read_member(archive: ZipFile, name: str, member: ZipInfo) -> bytes:
    """Return a member's content; raise ArchiveRuleError unless it has the declared size."""
    try:
        with archive.open(member) as file:
            content = file.read(member.file_size + 1)
    except ZIP_ERRORS as problem:
        raise ArchiveRuleError(
            f"{quote(name)}: cannot be unpacked: {_describe_error(problem)}"
        ) from None
    if len(content) != member.file_size:
        raise ArchiveRuleError(f"{quote(name)}: does not have the size that the archive declares")
    return content


def _describe_error(problem: Exception) -> str:
    """Return an error of `zipfile` as text, shortened, as it may quote the archive."""
    return _shorten(f"{type(problem).__name__}: {problem}")


def quote(name: str) -> str:
    """Return an untrusted name quoted and shortened for messages."""
    return _shorten(repr(name))


def _shorten(text: str) -> str:
    return text if len(text) <= MAX_QUOTE_LENGTH else f"{text[:MAX_QUOTE_LENGTH]}..."


def _is_executable(member: ZipInfo) -> bool:
    return bool(member.external_attr >> 16 & stat.S_IXUSR)


def _fold(path: str) -> str:
    """Return a path as file systems compare it that ignore case and Unicode composition."""
    composed = unicodedata.normalize("NFD", path.removesuffix("/"))
    return unicodedata.normalize("NFD", composed.casefold())


def _open_executable(path: str, flags: int) -> int:
    """Create an executable file: in a sandbox, modes cannot be changed later."""
    return os.open(path, flags, 0o777)


def main() -> int:
    """Unpack standard input into the current folder; return an exit status."""
    try:
        unpack(sys.stdin.buffer.read(), Path())
    except ArchiveRuleError as problem:
        sys.stderr.write(f"{problem}\n")
        return REJECTED_STATUS
    return 0


if __name__ == "__main__":
    sys.exit(main())
