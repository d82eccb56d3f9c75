"""The submissions of bots: their rows, and the states that they pass through."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Any

from attrs import converters, field, frozen

from arena.tournament.entries import format_id
from arena_hill.db.rows import list_columns

SUPERSEDED = "a newer upload arrived before the hill could check this one"

NEWEST_FIRST = " ORDER BY submissions.id DESC"
FORGET_SUBMISSIONS = "UPDATE submissions SET forgotten = TRUE, log = '', report = NULL"


class JudgingState(StrEnum):
    """The judging state of a submission."""

    QUEUED = "queued"
    UNPACKING = "unpacking"
    BUILDING = "building"
    CHECKING = "checking"
    ACCEPTED = "accepted"  #: the rest stands in the tournament: in, replaced, withdrawn, waiting
    REJECTED = "rejected"  #: by its own fault
    FAILED = "failed"  #: by the host's, and a newer upload has taken its place
    WITHDRAWN = "withdrawn"  #: before it was in


JUDGED_STATES = (JudgingState.UNPACKING, JudgingState.BUILDING, JudgingState.CHECKING)
OPEN_STATES = (JudgingState.QUEUED, *JUDGED_STATES)
CURRENT_STATES = (*OPEN_STATES, JudgingState.ACCEPTED)  # in progress, or handed over


def match_states(states: Collection[JudgingState]) -> str:
    """Return the condition of a query that a submission is in one of these states.

    >>> match_states(JUDGED_STATES)
    "state IN ('unpacking', 'building', 'checking')"
    """
    quoted = ", ".join(f"'{state}'" for state in states)
    return f"state IN ({quoted or 'NULL'})"  # which nothing equals


@frozen
class Submission:
    """One upload with its state."""

    id: int
    author: int
    author_name: str
    bot: str  #: its name
    sha256: str  #: of the archive
    size: int  #: bytes
    state: JudgingState = field(converter=JudgingState)
    why: str
    version: str  #: once it is known, else empty
    received: float  #: seconds since 1970
    state_since: float  #: when its state became what it is
    tries: int  #: that came to no result, by the host's fault or because the judge was killed
    #: whether it had a turn, and waits again until others had theirs
    gave_way: bool = field(converter=bool)
    #: whether everybody may see the source of the version that takes part
    public: bool = field(converter=bool)
    #: whether everybody may see its source, also while another version takes part
    opened: bool = field(converter=bool)
    hidden: bool = field(converter=bool)  #: whether its name is hidden

    @property
    def entrant(self) -> str:
        """The id of its entrant in the tournament, once its version is known."""
        return format_id(self.bot, self.version)


_COLUMNS = list_columns(
    Submission, id="submissions.id", author="bots.author", author_name="authors.name",
    bot="bots.name", state_since="moved", public="bots.public",
)  # fmt: skip
SELECT_SUBMISSIONS = (
    f"SELECT {_COLUMNS} FROM submissions"
    " JOIN bots ON bots.id = submissions.bot JOIN authors ON authors.id = bots.author"
)


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
