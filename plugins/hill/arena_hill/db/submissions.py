"""The submissions of bots, as their rows have them, and what was found out about each."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Self

from attrs import converters, field, fields, frozen

from arena.tournament.entries import format_id
from arena_hill.db.bots import Bot
from arena_hill.db.rows import list_columns
from arena_hill.submission_states import SubmissionState

SUPERSEDED = "a newer upload arrived before the hill could check this one"

NEWEST_FIRST = " ORDER BY submissions.id DESC"
FORGET_SUBMISSIONS = "UPDATE submissions SET forgotten = TRUE, log = '', report = NULL"


def match_states(states: Collection[SubmissionState]) -> str:
    """Return the condition of a query that a submission is in one of these states.

    >>> match_states([SubmissionState.QUEUED, SubmissionState.BUILDING])
    "state IN ('queued', 'building')"
    """
    quoted = ", ".join(f"'{state}'" for state in states)
    return f"state IN ({quoted or 'NULL'})"  # which nothing equals


@frozen
class Submission:
    """One upload with its state."""

    bot: Bot
    id: int
    author_name: str
    sha256: str  #: of the archive
    size: int  #: bytes
    state: SubmissionState = field(converter=SubmissionState)
    why: str
    version: str  #: once it is known, else empty
    received: float  #: seconds since 1970
    state_since: float  #: when its state became what it is
    tries: int  #: that came to no result, by the host's fault or because the judge was killed
    #: whether it had a turn, and waits again until others had theirs
    gave_way: bool = field(converter=bool)
    #: whether everybody may see its source, also while another version takes part
    public: bool = field(converter=bool)

    @classmethod
    def of_row(cls, row: Sequence[Any]) -> Self:
        """Return the submission in a row that `SELECT_SUBMISSIONS` finds."""
        columns = len(fields(Bot))
        return cls(Bot(*row[:columns]), *row[columns:])

    @property
    def entrant(self) -> str:
        """The id of its entrant in the tournament, once its version is known."""
        return format_id(self.bot.name, self.version)


_COLUMNS = list_columns(
    Submission,
    bot=list_columns(Bot, id="bots.id", name="bots.name", public="bots.public"),
    id="submissions.id", author_name="authors.name", public="submissions.public",
)  # fmt: skip
SELECT_SUBMISSIONS = (
    f"SELECT {_COLUMNS} FROM submissions"
    " JOIN bots ON bots.id = submissions.bot JOIN authors ON authors.id = bots.author"
)


ENTRANT = "bots.name || '@' || version"
"""The id of a submission's entrant, as a column."""


@frozen
class Receipt:
    """What an author gets for an upload: its submission, which may be there already."""

    submission: Submission
    is_new: bool  #: whether it was queued; if not, the same files are in progress or take part


@frozen
class SubmissionResults:
    """What is known of a submission from its build and its check."""

    log: str  #: of its build
    #: of its check, as `arena check --json` prints it
    report: Mapping[str, Any] | None = field(converter=converters.optional(json.loads))


SELECT_RESULTS = f"SELECT {list_columns(SubmissionResults)} FROM submissions"


@frozen
class Findings:
    """What an attempt has found out about a submission; None: nothing new."""

    version: str | None = None
    log: str | None = None  #: of its build
    report: Mapping[str, Any] | None = None  #: of its check, as `arena check --json` prints it


NOTHING_NEW = Findings()
