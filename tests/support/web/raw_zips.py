"""Zip files made by hand, byte by byte, as nobody's tool would make them (APPNOTE 4.3)."""

from __future__ import annotations

import stat
import struct
import zlib
from collections.abc import Sequence
from zipfile import ZIP_BZIP2

from attrs import frozen

TOML = b'name = "mine"\ncommand = "python3 bot.py"\n'
UTF8 = 0x800


@frozen
class Member:
    """A member as its headers describe it; what is None is as it should be."""

    name: bytes
    data: bytes = b""
    mode: int = stat.S_IFREG | 0o644
    flags: int = UTF8
    method: int = 8
    size: int | None = None  # that it says that it has
    crc: int | None = None
    local: bytes | None = None  # what its local header calls it
    at: int | None = None  # where its local header is said to be

    @property
    def packed(self) -> bytes:
        """Return its data as they lie in the archive."""
        if self.method != 8:
            return self.data
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        return packer.compress(self.data) + packer.flush()

    def header(self, packed: int) -> bytes:
        """Return what both of its headers have in common."""
        crc = zlib.crc32(self.data) if self.crc is None else self.crc
        size = len(self.data) if self.size is None else self.size
        return struct.pack("<4H3L", self.flags, self.method, 0, 33, crc, packed, size)


BOT = Member(b"bot.toml", TOML)


def zipped(members: Sequence[Member]) -> bytes:
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
GOOD = zipped([BOT, Member(b"bot.py", b"print(1)\n" * 99), Member(b"lib/a.py", b"", method=0)])

HOSTILE = {
    "no zip file": (b"MZ" + bytes(99), "not a valid zip file"),
    "empty": (b"", "not a valid zip file"),
    "without members": (zipped([]), "bot.toml is missing"),
    "cut": (GOOD[:-30], "not a valid zip file"),
    "without a bot": (zipped([Member(b"bot.py", b"1")]), "bot.toml is missing"),
    "two folders": (zipped([Member(b"a/bot.toml", TOML), Member(b"b/x")]), "bot.toml is missing"),
    "up": (zipped([BOT, Member(b"../x")]), "'../x': is not a plain path"),
    "absolute": (zipped([BOT, Member(b"/tmp/x")]), "'/tmp/x': is not a plain path"),
    "a dot": (zipped([BOT, Member(b"a/./x")]), "is not a plain path"),
    "a backslash": (zipped([BOT, Member(b"..\\x")]), "is not a plain path"),
    "a control": (zipped([BOT, Member(b"a\x1b[2J")]), "'a\\x1b[2J': is not a plain path"),
    "a NUL": (zipped([BOT, Member(b"bot.py\0.txt")]), "is not a plain path"),
    "a turned name": (zipped([BOT, Member("a\u202eb".encode())]), "is not a plain path"),
    "no name": (zipped([BOT, Member(b"")]), "is not a plain path"),
    "no UTF-8": (zipped([BOT, Member(b"\xff", flags=0)]), "is not UTF-8"),
    "said to be UTF-8": (zipped([BOT, Member(b"\xff")]), "not a valid zip file"),
    "deep": (zipped([BOT, Member(b"a/" * 9 + b"x")]), "8 folders are allowed"),
    "a long name": (zipped([BOT, Member(b"x" * 256)]), "255 bytes per part"),
    "a link": (zipped([BOT, Member(b"a", b"/etc", LINK)]), "'a': is a link"),
    "a link for a folder": (zipped([BOT, Member(b"a/", b"/etc", LINK)]), "is a link"),
    "a pipe": (zipped([BOT, Member(b"a", mode=PIPE)]), "is a device, a pipe or another special file"),
    "a folder": (zipped([BOT, Member(b"a", mode=stat.S_IFDIR)]), "without a slash"),
    "twice": (zipped([BOT, BOT]), "'bot.toml' already exists"),
    "twice by case": (zipped([BOT, Member(b"Bot.TOML")]), "'bot.toml' already exists"),
    "folders by case": (zipped([BOT, Member(b"a/x"), Member(b"A/y")]), "'a/' already exists"),
    "file and folder": (zipped([BOT, Member(b"a"), Member(b"a/x")]), "'a' already exists"),
    "folder and file": (zipped([BOT, Member(b"a/x"), Member(b"a")]), "'a/' already exists"),
    "encrypted": (zipped([BOT, Member(b"a", flags=0x801)]), "is encrypted"),
    "another method": (zipped([BOT, Member(b"a", b"1", method=ZIP_BZIP2)]), "method 12"),
    "overlapping": (zipped([BOT, Member(b"a", TOML, local=b"bot.toml", at=0)]), "overlaps another"),
    "a bad sum": (zipped([BOT, Member(b"a", b"1", crc=1)]), "'a': cannot be unpacked: BadZipFile"),
    "another name": (zipped([BOT, Member(b"a", local=b"b")]), "'a': cannot be unpacked"),
    "too many": (zipped([BOT, *(Member(b"%d" % n) for n in range(500))]), "500 are allowed"),
    "a bomb": (zipped([BOT, Member(b"a", bytes((20 << 20) + 1))]), "20 MB are allowed"),
    "a bomb that lies": (zipped([BOT, Member(b"a", bytes(30 << 20), size=9)]), "'a': cannot be"),
    "more than there is": (zipped([BOT, Member(b"a", b"1", size=9, crc=0x83DCEFB7)]), "size"),
    "a long bot.toml": (zipped([Member(b"bot.toml", TOML + b"#" * 65536)]), "64 kB are allowed"),
    "outside": (zipped([BOT, Member(b"a", at=1 << 30)]), ""),
}  # fmt: skip
"""Archives that are refused, and words of what is said of each."""
