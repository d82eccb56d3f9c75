"""Folders as bytes, and back."""

from __future__ import annotations

import io
import tarfile
import tempfile
import zlib
from pathlib import Path

from arena.tournament.stage import NO_PART


def pack(folder: Path) -> bytes:
    """Give a folder with all that is in it: the same bytes for the same files, whoever's."""
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as tar:
        tar.add(folder, ".", filter=_plain)
    return zlib.compress(whole.getvalue())


def unpack(archive: bytes, folder: Path) -> None:
    """Write a folder, as a whole or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=folder.parent, prefix="."))
    with tarfile.open(fileobj=io.BytesIO(zlib.decompress(archive))) as tar:
        tar.extraction_filter = lambda member, _: member  # it is our own copy
        tar.extractall(fresh)  # noqa: S202
    fresh.rename(folder)


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Leave out whose it is and when it was written."""
    if Path(member.name).name in NO_PART:
        return None
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member
