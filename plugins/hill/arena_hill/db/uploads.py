"""Uploads, each in a file named by its SHA-256."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator
from contextlib import contextmanager
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from zipfile import is_zipfile

from attrs import frozen

from arena.wires import lock_open_file, open_private
from arena_hill.db.submissions import MB, SubmissionDeniedError

MAX_UPLOAD_BYTES = 5 * MB  # bytes of an upload
SUFFIX = ".zip"
LOCK_FILE = ".lock"


@frozen
class UploadFolder:
    """A folder of uploads, locked while a file is added or deleted."""

    folder: Path

    def path(self, digest: str) -> Path:
        """Return the path of the upload with this SHA-256, whether it exists or not."""
        return self.folder / f"{digest}{SUFFIX}"

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the folder against all other threads and processes."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(self.folder / LOCK_FILE, "wb", opener=open_private) as lock:
            lock_open_file(lock, wait=True)
            yield

    def save(self, data: bytes) -> str:
        """Store an upload durably; return its SHA-256."""
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

    def delete(self, digest: str) -> None:
        """Delete an upload if it exists."""
        self.path(digest).unlink(missing_ok=True)

    def delete_others(self, known: Container[str]) -> None:
        """Delete unreferenced uploads, left by a process that ended before queueing them."""
        for path in self.folder.iterdir():
            if path.name != LOCK_FILE and not (path.suffix == SUFFIX and path.stem in known):
                path.unlink()


def check_upload(data: bytes) -> None:
    """Raise SubmissionDeniedError unless an upload looks like an archive of allowed size."""
    if len(data) > MAX_UPLOAD_BYTES:
        raise SubmissionDeniedError(f"an upload may have at most {MAX_UPLOAD_BYTES >> 20} MB", 413)
    if not is_zipfile(BytesIO(data)):
        raise SubmissionDeniedError("this is not a zip file", 422)
