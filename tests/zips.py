"""Zip files made by hand, byte by byte, as nobody's tool would make them (APPNOTE 4.3)."""

from __future__ import annotations

import stat
import struct
import zlib
from collections.abc import Sequence

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
    for one in members:
        packed, name = one.packed, one.name if one.local is None else one.local
        at = len(body) if one.at is None else one.at
        header = one.header(len(packed))
        body += b"PK\3\4" + struct.pack("<H", 20) + header
        body += struct.pack("<2H", len(name), 0) + name + packed
        listed += b"PK\1\2" + struct.pack("<2H", 3 << 8 | 20, 20) + header
        listed += struct.pack("<5H2L", len(one.name), 0, 0, 0, 0, one.mode << 16, at) + one.name
    number = len(members)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, number, number, len(listed), len(body), 0)
    return body + listed + end
