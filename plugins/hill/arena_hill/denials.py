"""Denials: why a submission is not taken, and when it may come again."""

from __future__ import annotations

from enum import Enum, auto
from math import ceil

from arena import UserError

MAX_SHOWN_SECONDS = 100.0  # then a wait is shown in minutes
MAX_SHOWN_MINUTES = 90.0  # then in hours


class Denial(Enum):
    """The kind of reason for which a submission is not taken."""

    INVALID = auto()  #: what was sent cannot be a bot, or not have this name
    CONFLICT = auto()  #: the name is somebody else's, or the bot is still being checked
    LIMIT = auto()  #: its author has sent as much as is allowed
    TOO_LARGE = auto()  #: there is no room for so much of this author
    NO_ROOM = auto()  #: the hill's disk is nearly full


class SubmissionDeniedError(UserError):
    """A submission that is not taken; the message says in one line why, and what is allowed."""

    def __init__(self, denial: Denial, text: str, wait: float | None = None) -> None:
        super().__init__(text)
        self.denial = denial
        self.wait = wait  #: the seconds until it may come again; None: nobody knows


def format_wait(seconds: float) -> str:
    """Format the time that somebody has to wait, rounded up.

    >>> [format_wait(seconds) for seconds in (1, 99.5, 101, 3412, 5401)]
    ['1 s', '100 s', '2 min', '57 min', '2 h']
    """
    if seconds < MAX_SHOWN_SECONDS:
        return f"{ceil(seconds)} s"
    if seconds < MAX_SHOWN_MINUTES * 60:
        return f"{ceil(seconds / 60)} min"
    return f"{ceil(seconds / 3600)} h"
