"""The format of a hill's HTTP API for both of its ends: its root, and the documents that it sends.

The fields of a document are its keys in JSON. The client needs no server, so nothing here does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from attrs import AttrsInstance, asdict, fields, frozen

from arena.host import Limits
from arena.wires import ValidationError, read
from arena_hill.submission_states import SubmissionState

D = TypeVar("D", bound=AttrsInstance)

API_ROOT = "/api/v1"
ZIP_TYPE = "application/zip"  # of an upload


@frozen
class SubmissionStatus:
    """The status of a submission."""

    state: SubmissionState
    why: str = ""
    position: int | None = None  #: how many are before it, while it is on its way
    over: bool = False  #: whether it is in, or nothing more comes of it

    event: ClassVar = "state"  # of the stream of a submission, as in `arena_web.protocol.messages`

    @property
    def json(self) -> dict[str, Any]:
        """The status as programs and pages read it."""
        return asdict(self)


@frozen
class HillDocument:
    """A hill, with the settings for checking a bot elsewhere."""

    name: str
    title: str
    description: str
    link: str
    game: str
    options: Mapping[str, Any]
    table: int  #: the number of players of a match
    time: Limits
    size: int  #: the number of bots that have a place
    contact: str
    started: str | None  #: when the first match ended, in ISO 8601
    last_match: str | None  #: when the last one did


@frozen
class HillsDocument:
    """The hills of a site, of which there is one."""

    hills: Sequence[Mapping[str, Any]]  #: each a `HillDocument`, which is read by itself


@frozen
class QuotaDocument:
    """What is used of something, and what is allowed."""

    used: float
    allowed: int


@frozen
class SubmissionQuotaDocument(QuotaDocument):
    """What is used of the submissions of a bot in 24 hours."""

    more_in: int  #: the seconds until it may submit again; 0: now


@frozen
class AuthorDocument:
    """An author of a hill, with what is used of its quotas, for the author."""

    bots: QuotaDocument
    uploads_mb: QuotaDocument  #: also of the copies of its bots
    submissions: Mapping[str, SubmissionQuotaDocument]  #: by the names of its bots
    author: str  #: the name
    scope: str  #: of the token
    public: bool  #: whether the standings show the name


@frozen
class AccountDocument:
    """The author whose token a client sends, at the hills of a site."""

    hills: Mapping[str, AuthorDocument]  #: by the names of the hills


@frozen(kw_only=True)
class UploadAnswer(SubmissionStatus):
    """The answer to an upload that was taken, with the status of its submission."""

    submission: int
    version: str  #: once it is known, else empty
    url: str  #: the path of the submission


@frozen(kw_only=True)
class SubmissionDocument(SubmissionStatus):
    """A submission with its status, for its author."""

    submission: int
    hill: str
    bot: str
    sha256: str
    bytes: int
    version: str  #: once it is known, else empty
    received: str  #: in ISO 8601
    moved: str  #: when its state became what it is
    report: Mapping[str, Any] | None  #: of its check, as `arena check --json` prints it
    log: str  #: of its build

    @property
    def status(self) -> SubmissionStatus:
        """The status alone, as a stream has it."""
        return SubmissionStatus(self.state, self.why, self.position, self.over)


def read_document(value: object, kind: type[D]) -> D:
    """Read a document of this kind, which may have keys of a later version; ValidationError."""
    if not isinstance(value, Mapping):
        raise ValidationError(["is not a table"])
    names = [field.name for field in fields(kind)]
    return read({name: value[name] for name in names if name in value}, kind)
