"""The uploads of a hill, each in a file that is named by its SHA-256."""

from __future__ import annotations

from collections.abc import Container, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Self
from zipfile import is_zipfile

from attrs import frozen

from arena.files import write_durably
from arena_hill.denials import Denial, SubmissionDeniedError
from arena_hill.file_locks import hold_file
from arena_hill.hill import Hill
from arena_hill.units import MB
from arena_hill.unzip import MAX_UPLOAD_BYTES, ZIP_ERRORS

SUFFIX = ".zip"
LOCK_FILE = ".lock"


@frozen
class UploadFolder:
    """A folder of uploads, locked while a file is added or deleted."""

    folder: Path

    @classmethod
    def of(cls, hill: Hill) -> Self:
        """Return the folder of a hill's uploads."""
        return cls(hill.uploads_folder)

    def path(self, digest: str) -> Path:
        """Return the path of the upload with this SHA-256, whether it exists or not."""
        return self.folder / f"{digest}{SUFFIX}"

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the folder against all other threads and processes."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with hold_file(self.folder / LOCK_FILE):
            yield

    def save(self, data: bytes) -> str:
        """Store an upload durably, also in place of a damaged file; return its SHA-256."""
        digest = sha256(data).hexdigest()
        try:
            self.read(digest)
        except OSError:
            with write_durably(self.path(digest)) as file:
                file.write(data)
        return digest

    def read(self, digest: str) -> bytes:
        """Return an upload; raise OSError if it cannot be read, or is not what was received."""
        path = self.path(digest)
        data = path.read_bytes()
        if sha256(data).hexdigest() != digest:
            raise OSError(f"the upload {path.name} is not what was received")
        return data

    def measure_bytes(self) -> int:
        """Return the bytes of all uploads."""
        size = 0
        for path in self.folder.glob(f"*{SUFFIX}"):
            with suppress(FileNotFoundError):  # deleted meanwhile
                size += path.stat().st_size
        return size

    def delete(self, digest: str) -> None:
        """Delete an upload if it exists."""
        self.path(digest).unlink(missing_ok=True)

    def delete_unreferenced(self, digests: Container[str]) -> None:
        """Delete unreferenced uploads, left by a process that ended before queueing them."""
        for path in self.folder.iterdir():
            if path.name != LOCK_FILE and not (path.suffix == SUFFIX and path.stem in digests):
                path.unlink()


def check_upload(data: bytes) -> None:
    """Raise SubmissionDeniedError unless an upload looks like an archive of allowed size."""
    if len(data) > MAX_UPLOAD_BYTES:
        raise SubmissionDeniedError(
            Denial.TOO_LARGE, f"an upload may have at most {MAX_UPLOAD_BYTES // MB} MB"
        )
    try:
        zipped = is_zipfile(BytesIO(data))
    except ZIP_ERRORS:  # such as that of one of several disks
        zipped = False
    if not zipped:
        raise SubmissionDeniedError(Denial.INVALID, "this is not a zip file")
