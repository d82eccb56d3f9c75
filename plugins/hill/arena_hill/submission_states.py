"""The states of a submission: on its way into a hill, and of its version there afterwards.

The hill's database has the state until a submission is accepted, the tournament from then on. No
state is stored in both.
"""

from __future__ import annotations

from enum import StrEnum


class SubmissionState(StrEnum):
    """The state of a submission."""

    QUEUED = "queued"
    UNPACKING = "unpacking"
    BUILDING = "building"
    CHECKING = "checking"
    ACCEPTED = "accepted"  #: the coordinator lets it in; what follows is the tournament's
    REJECTED = "rejected"  #: by its own fault
    FAILED = "failed"  #: by the host's, and a newer upload has taken its place
    WITHDRAWN = "withdrawn"  #: before it was accepted, or afterwards
    IN = "in"
    REPLACED = "replaced"  #: by a newer version of the same name
    ASIDE = "set aside"  #: it failed repeatedly
    UNFIT = "unfit"  #: it did not start
    WAITING = "waiting"  #: for a place: it was the lowest of a hill that exceeded its size
    ARCHIVED = "archived"  #: it left, and its matches were moved to a file


JUDGED_STATES = (SubmissionState.UNPACKING, SubmissionState.BUILDING, SubmissionState.CHECKING)
OPEN_STATES = (SubmissionState.QUEUED, *JUDGED_STATES)
CURRENT_STATES = (*OPEN_STATES, SubmissionState.ACCEPTED)  # in progress, or handed over
