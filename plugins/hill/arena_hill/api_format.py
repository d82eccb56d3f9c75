"""The format of a hill's HTTP API for both of its ends: the root, and the status of a submission.

The client needs no server, so nothing here does.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, ClassVar

from attrs import asdict, fields, frozen

API_ROOT = "/api/v1"
ZIP_TYPE = "application/zip"  # of an upload


class SubmissionState(StrEnum):
    """The state of a submission, as its author reads it."""

    QUEUED = "queued"
    UNPACKING = "unpacking"
    BUILDING = "building"
    CHECKING = "checking"
    ACCEPTED = "accepted"  #: the coordinator has yet to let it in
    REJECTED = "rejected"  #: by its own fault
    FAILED = "failed"  #: by the host's, and a newer upload has taken its place
    IN = "in"
    REPLACED = "replaced"  #: by a newer version of the same name
    WITHDRAWN = "withdrawn"  #: before it was in, or afterwards
    ASIDE = "set aside"  #: it failed repeatedly
    UNFIT = "unfit"  #: it did not start
    WAITING = "waiting"  #: for a place: it was the lowest of a hill that exceeded its size
    ARCHIVED = "archived"  #: it left, and its matches were moved to a file


@frozen
class SubmissionStatus:
    """The status of a submission."""

    state: SubmissionState
    why: str = ""
    position: int | None = None  #: how many are before it, while it is on its way
    over: bool = False  #: whether it is in, or nothing more comes of it

    event: ClassVar = "state"  # of the stream of a submission, as in `arena_web.messages`

    @property
    def json(self) -> dict[str, Any]:
        """The status as programs and pages read it."""
        return asdict(self)


STATUS_KEYS = tuple([field.name for field in fields(SubmissionStatus)])
