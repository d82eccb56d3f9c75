"""How much a pack of git unpacks to, by a look that ends where that is too much (gitformat-pack).

What is read here are bytes of strangers. Git itself would unpack all of it before it says how much
it is: 900 MB of zeros come in 0.9 MB.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

MAX_OBJECTS = 50_000  # of a pack
MAX_UNPACKED_BYTES = 128 << 20  # bytes of all objects together
HEADER = struct.Struct(">4s4xI")
OFFSET_DELTA, REFERENCE_DELTA = 6, 7  # kinds of objects that are made of another one
ID_BYTES = 20  # bytes of the name of that
CHUNK_BYTES = 1 << 16  # bytes that are inflated at once
SLACK_BYTES = 64  # by which what does not shrink is longer
MAX_DELTA_HEADER_BYTES = 40  # bytes of the two sizes at the beginning of a delta


class PackTooLargeError(Exception):
    """A pack of too many objects, or one that unpacks to too much."""


def measure_pack(pack: bytes) -> int:
    """Return the bytes to which a pack unpacks; raise PackTooLargeError.

    A pack that is not valid is measured up to there: git gets no further, and says what is wrong.
    """
    if len(pack) < HEADER.size:
        return 0
    _, number = HEADER.unpack_from(pack)
    if number > MAX_OBJECTS:
        raise PackTooLargeError
    total = 0
    try:
        for size in _list_sizes(pack, number):
            total += size
            if total > MAX_UNPACKED_BYTES:
                raise PackTooLargeError
    except (IndexError, zlib.error):
        pass
    return total


def _list_sizes(pack: bytes, number: int) -> Iterator[int]:
    """Yield sizes of all that git unpacks, each before it is inflated here."""
    place = HEADER.size
    for _ in range(number):
        first, place = pack[place], place + 1
        kind, size = first >> 4 & 7, first & 15
        if first & 128:
            more, place = _read_size(pack, place)
            size |= more << 4
        yield size
        if kind == OFFSET_DELTA:
            _, place = _read_size(pack, place)
        elif kind == REFERENCE_DELTA:
            place += ID_BYTES
        start, place = _inflate(pack, place, size)
        if kind in (OFFSET_DELTA, REFERENCE_DELTA):
            _, behind = _read_size(start, 0)
            yield _read_size(start, behind)[0]  # of what it makes


def _read_size(data: bytes, place: int) -> tuple[int, int]:
    """Return a number of seven bits a byte, and the place behind it; raise IndexError."""
    number = shift = 0
    while data[place] & 128:
        number |= (data[place] & 127) << shift
        place, shift = place + 1, shift + 7
        if shift > MAX_DELTA_HEADER_BYTES * 7:
            raise PackTooLargeError
    return number | data[place] << shift, place + 1


def _inflate(pack: bytes, place: int, size: int) -> tuple[bytes, int]:
    """Return how an object of this size begins, and the place behind it; raise zlib.error."""
    inflater, start, length = zlib.decompressobj(), b"", 0
    step = min(CHUNK_BYTES, size + SLACK_BYTES)
    while not inflater.eof:
        piece = inflater.unconsumed_tail
        if not piece:
            piece = pack[place : place + step]
            place += len(piece)
            if not piece:
                raise IndexError
        out = inflater.decompress(piece, CHUNK_BYTES)
        start += out[: MAX_DELTA_HEADER_BYTES - len(start)]
        length += len(out)
        if length > size:
            raise zlib.error
    return start, place - len(inflater.unused_data)
