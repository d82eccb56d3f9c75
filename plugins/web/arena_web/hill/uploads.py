"""Uploads as they came, each in a file that is called by the SHA-256 of what is in it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Container, Iterator
from contextlib import contextmanager
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from zipfile import is_zipfile

from attrs import frozen

from arena.wires import open_private
from arena_web.hill.quotas import MB, Denied

LARGEST = 5 * MB  # bytes of an upload
SUFFIX = ".zip"
LOCK = ".lock"


@frozen
class Uploads:
    """A folder of uploads. Who adds to it or takes from it has it for itself meanwhile."""

    folder: Path

    def path(self, digest: str) -> Path:
        """Return where the upload of this SHA-256 is, or would be."""
        return self.folder / f"{digest}{SUFFIX}"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Have the folder for oneself, before all other threads and processes."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(self.folder / LOCK, "wb", opener=open_private) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def keep(self, data: bytes) -> str:
        """Have an upload on the disk, whatever happens to the machine then; return its SHA-256."""
        digest = sha256(data).hexdigest()
        path = self.path(digest)
        if path.exists():  # whole: it got its name when it was
            return digest
        part = path.with_suffix(".part")
        with open(part, "wb", opener=open_private) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return digest

    def drop(self, digest: str) -> None:
        """Delete an upload, if it is there."""
        self.path(digest).unlink(missing_ok=True)

    def tidy(self, known: Container[str]) -> None:
        """Delete what nobody refers to: a process may have ended before it was queued."""
        for path in self.folder.iterdir():
            if path.name != LOCK and not (path.suffix == SUFFIX and path.stem in known):
                path.unlink()


def looked_at(data: bytes) -> None:
    """See that an upload may be an archive at all, the rest is the porter's; raise Denied."""
    if len(data) > LARGEST:
        raise Denied(f"an upload has at most {LARGEST >> 20} MB", 413)
    if not is_zipfile(BytesIO(data)):
        raise Denied("this is no zip file", 422)
