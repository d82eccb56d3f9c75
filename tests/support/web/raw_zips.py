"""Zip files written byte by byte, as no tool would write them (APPNOTE 4.3)."""

from __future__ import annotations

import stat
import struct
import zlib
from collections.abc import Sequence
from functools import cache
from zipfile import ZIP_BZIP2

from attrs import frozen

TOML = b'name = "mine"\ncommand = "python3 bot.py"\n'
UTF8 = 0x800


@cache  # of hundreds of members that are alike
def deflate(data: bytes) -> bytes:
    """Return data as zip files have it, without a header of its own."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


@frozen
class Member:
    """A member as its headers describe it; None stands for the right value."""

    name: bytes
    data: bytes = b""
    mode: int = stat.S_IFREG | 0o644
    flags: int = UTF8
    method: int = 8
    size: int | None = None  # as its headers state it
    crc: int | None = None
    local: bytes | None = None  # the name in its local header
    at: int | None = None  # the stated position of its local header

    @property
    def packed(self) -> bytes:
        """Return its data as stored in the archive."""
        if self.method != 8:
            return self.data
        return deflate(self.data)

    def header(self, packed: int) -> bytes:
        """Return the fields that both of its headers share."""
        crc = zlib.crc32(self.data) if self.crc is None else self.crc
        size = len(self.data) if self.size is None else self.size
        return struct.pack("<4H3L", self.flags, self.method, 0, 33, crc, packed, size)


BOT = Member(b"bot.toml", TOML)


def build_raw_zip(members: Sequence[Member]) -> bytes:
    """Return an archive of these members."""
    body, listed = b"", b""
    for member in members:
        packed, name = member.packed, member.name if member.local is None else member.local
        at = len(body) if member.at is None else member.at
        header = member.header(len(packed))
        body += b"PK\3\4" + struct.pack("<H", 20) + header
        body += struct.pack("<2H", len(name), 0) + name + packed
        listed += b"PK\1\2" + struct.pack("<2H", 3 << 8 | 20, 20) + header
        listed += (
            struct.pack("<5H2L", len(member.name), 0, 0, 0, 0, member.mode << 16, at) + member.name
        )
    number = len(members)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, number, number, len(listed), len(body), 0)
    return body + listed + end


LINK, PIPE = stat.S_IFLNK | 0o777, stat.S_IFIFO | 0o644
GOOD = build_raw_zip(
    [BOT, Member(b"bot.py", b"print(1)\n" * 99), Member(b"lib/a.py", b"", method=0)]
)

HOSTILE = {
    "no zip file": (b"MZ" + bytes(99), "not a valid zip file"),
    "empty": (b"", "not a valid zip file"),
    "without members": (build_raw_zip([]), "bot.toml is missing"),
    "cut": (GOOD[:-30], "not a valid zip file"),
    "without a bot": (build_raw_zip([Member(b"bot.py", b"1")]), "bot.toml is missing"),
    "two folders": (build_raw_zip([Member(b"a/bot.toml", TOML), Member(b"b/x")]), "bot.toml is missing"),
    "up": (build_raw_zip([BOT, Member(b"../x")]), "'../x': is not a plain path"),
    "absolute": (build_raw_zip([BOT, Member(b"/tmp/x")]), "'/tmp/x': is not a plain path"),
    "a dot": (build_raw_zip([BOT, Member(b"a/./x")]), "is not a plain path"),
    "a backslash": (build_raw_zip([BOT, Member(b"..\\x")]), "is not a plain path"),
    "a control": (build_raw_zip([BOT, Member(b"a\x1b[2J")]), "'a\\x1b[2J': is not a plain path"),
    "a NUL": (build_raw_zip([BOT, Member(b"bot.py\0.txt")]), "is not a plain path"),
    "a turned name": (build_raw_zip([BOT, Member("a\u202eb".encode())]), "is not a plain path"),
    "a drive": (build_raw_zip([BOT, Member(b"C:/x")]), "'C:/x': contains one of"),
    "a stream": (build_raw_zip([BOT, Member(b"a.py:zone")]), "'a.py:zone': contains one of"),
    "a class": (build_raw_zip([BOT, Member(b"lib/a.py:Bot")]), "'lib/a.py:Bot': contains one of"),
    "a pattern": (build_raw_zip([BOT, Member(b"*.py")]), "'*.py': contains one of"),
    "a device": (build_raw_zip([BOT, Member(b"lib/Nul.txt")]), "'lib/Nul.txt': is the name of a device"),
    "a port": (build_raw_zip([BOT, Member(b"COM1/x")]), "'COM1/x': is the name of a device"),
    "a numbered port": (build_raw_zip([BOT, Member("lpt\xb3".encode())]), "is the name of a device"),
    "a dot at the end": (build_raw_zip([BOT, Member(b"bot.toml.")]), "'bot.toml.': begins or ends"),
    "a space at the end": (build_raw_zip([BOT, Member(b"lib /x")]), "'lib /x': begins or ends with"),
    "a space first": (build_raw_zip([BOT, Member(b" bot.toml")]), "' bot.toml': begins or ends with"),
    "an option": (build_raw_zip([BOT, Member(b"-rf")]), "'-rf': begins with a hyphen"),
    "a blank letter": (build_raw_zip([BOT, Member("bot\u3164.toml".encode())]), "contains invisible characters"),
    "twice by accents": (build_raw_zip([BOT, Member("\u03b1\u0345\u0301".encode()), Member("\u1fb4".encode())]), "already exists"),
    "no name": (build_raw_zip([BOT, Member(b"")]), "is not a plain path"),
    "no UTF-8": (build_raw_zip([BOT, Member(b"\xff", flags=0)]), "is not UTF-8"),
    "said to be UTF-8": (build_raw_zip([BOT, Member(b"\xff")]), "not a valid zip file"),
    "deep": (build_raw_zip([BOT, Member(b"a/" * 9 + b"x")]), "8 folders are allowed"),
    "a long name": (build_raw_zip([BOT, Member(b"x" * 256)]), "255 bytes per part"),
    "a link": (build_raw_zip([BOT, Member(b"a", b"/etc", LINK)]), "'a': is a link"),
    "a link for a folder": (build_raw_zip([BOT, Member(b"a/", b"/etc", LINK)]), "is a link"),
    "a pipe": (build_raw_zip([BOT, Member(b"a", mode=PIPE)]), "is a device, a pipe or another special file"),
    "a folder": (build_raw_zip([BOT, Member(b"a", mode=stat.S_IFDIR)]), "without a slash"),
    "twice": (build_raw_zip([BOT, BOT]), "'bot.toml' already exists"),
    "twice by case": (build_raw_zip([BOT, Member(b"Bot.TOML")]), "'bot.toml' already exists"),
    "folders by case": (build_raw_zip([BOT, Member(b"a/x"), Member(b"A/y")]), "'a/' already exists"),
    "file and folder": (build_raw_zip([BOT, Member(b"a"), Member(b"a/x")]), "'a' already exists"),
    "folder and file": (build_raw_zip([BOT, Member(b"a/x"), Member(b"a")]), "'a/' already exists"),
    "encrypted": (build_raw_zip([BOT, Member(b"a", flags=0x801)]), "is encrypted"),
    "another method": (build_raw_zip([BOT, Member(b"a", b"1", method=ZIP_BZIP2)]), "method 12"),
    "overlapping": (build_raw_zip([BOT, Member(b"a", TOML, local=b"bot.toml", at=0)]), "overlaps another"),
    "a bad sum": (build_raw_zip([BOT, Member(b"a", b"1", crc=1)]), "'a': cannot be unpacked: BadZipFile"),
    "another name": (build_raw_zip([BOT, Member(b"a", local=b"b")]), "'a': cannot be unpacked"),
    "too many": (build_raw_zip([BOT, *(Member(b"%d" % n) for n in range(500))]), "500 are allowed"),
    "a bomb": (build_raw_zip([BOT, Member(b"a", bytes((20 << 20) + 1))]), "20 MB are allowed"),
    "a bomb that lies": (build_raw_zip([BOT, Member(b"a", bytes(30 << 20), size=9)]), "'a': cannot be"),
    "more than there is": (build_raw_zip([BOT, Member(b"a", b"1", size=9, crc=0x83DCEFB7)]), "size"),
    "a long bot.toml": (build_raw_zip([Member(b"bot.toml", TOML + b"#" * 65536)]), "64 kB are allowed"),
    "outside": (build_raw_zip([BOT, Member(b"a", at=1 << 30)]), ""),
}  # fmt: skip
"""Archives that are rejected, each with a part of its error message."""
