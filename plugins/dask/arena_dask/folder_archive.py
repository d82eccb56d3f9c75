"""Packing folders into bytes, and unpacking them."""

from __future__ import annotations

import io
import tarfile
import tempfile
import zlib
from pathlib import Path

from arena.host import walk_folder


def pack(folder: Path) -> bytes:
    """Return a folder as bytes: the same for the same files, whatever their owner or time."""
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as tar:
        for found in walk_folder(folder):
            tar.add(folder / found.path, found.path, recursive=False, filter=_strip_metadata)
    return zlib.compress(whole.getvalue())


def unpack(archive: bytes, folder: Path) -> None:
    """Unpack a folder; it appears as a whole or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=folder.parent, prefix="."))
    with tarfile.open(fileobj=io.BytesIO(zlib.decompress(archive))) as tar:
        tar.extraction_filter = lambda member, _: member  # it is our own copy
        tar.extractall(fresh)  # noqa: S202
    fresh.rename(folder)


def _strip_metadata(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Remove the owner and the time of a file."""
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member
