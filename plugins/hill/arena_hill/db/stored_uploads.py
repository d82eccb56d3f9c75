"""The uploads that a hill's database has, and the room on the disk that submissions take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import starmap

from attrs import field, frozen

from arena.tournament.bots.copies import get_copy_name
from arena_hill.db.rows import list_columns
from arena_hill.db.transactions import HillSnapshot


@frozen
class StoredUpload:
    """The disk space of a submission: its upload and its version's copy."""

    name: str  #: of its bot
    bot: int
    sha256: str
    size: int  #: bytes
    forgotten: bool = field(converter=bool)  #: whether the upload is deleted
    version: str  #: once it is known, else empty


_COLUMNS = list_columns(StoredUpload, name="bots.name", bot="submissions.bot")
SELECT_UPLOADS = f"SELECT {_COLUMNS} FROM submissions JOIN bots ON bots.id = submissions.bot"


def list_uploads(snapshot: HillSnapshot, author_id: int | None = None) -> list[StoredUpload]:
    """Return the upload of each submission, of one author or of all."""
    query = SELECT_UPLOADS if author_id is None else f"{SELECT_UPLOADS} WHERE author = ?"
    values = () if author_id is None else (author_id,)
    return [*starmap(StoredUpload, snapshot.connection.read_rows(query, values))]


def sum_upload_bytes(uploads: Iterable[StoredUpload]) -> int:
    """Return the stored bytes of these uploads, counting each archive once."""
    return sum({upload.sha256: upload.size for upload in uploads if not upload.forgotten}.values())


def sum_copy_bytes(uploads: Iterable[StoredUpload], copies: Mapping[str, int]) -> int:
    """Return the stored bytes of the copies of these uploads, counting each version once."""
    versions = {get_copy_name(upload.version) for upload in uploads if upload.version}
    return sum(copies.get(version, 0) for version in versions)
