"""The status of a submission, as its author sees it.

Until a bot is accepted its state is in the hill's database, afterwards in the tournament's.
No state is kept twice.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Mapping, Sequence
from time import time
from typing import Any

from attrs import asdict, frozen

from arena.extend import Entry
from arena.tournament import State
from arena_hill.db.submissions import OPEN_STATES, JudgingState, Submission

IN_STATE = "in"
STUCK_SECONDS = 15 * 60  # seconds in which something should have moved
DELAY_MESSAGE = (
    "there has been no progress for {:.0f} minutes; this is the hill's fault, not your bot's"
)


@frozen
class SubmissionStatus:
    """The status of a submission."""

    state: str  #: a `Step`, or from when it was fit: `in`, or a tournament's `State`
    why: str = ""
    position: int | None = None  #: how many are before it, while it is on its way
    over: bool = False  #: will nothing more come of it, or is it in?

    def to_json(self) -> dict[str, Any]:
        """Return the status as JSON."""
        return asdict(self)


def compute_status(
    submission: Submission,
    entries: Mapping[str, Entry],
    waiting: Sequence[int],
    ordered: Container[str],
    held: str = "",
) -> SubmissionStatus:
    """Return the status of a submission.

    `entries` are the tournament's, by their ids, `waiting` the numbers of the submissions that
    are on their way, in order, `ordered` the ids of who is to be let in, `held` why nobody's turn
    comes now.
    """
    state, why = submission.state, submission.why
    if state is JudgingState.ACCEPTED:
        entry = entries.get(submission.entrant)
        if entry is None or entry.id in ordered:
            return SubmissionStatus(state, why or _describe_delay(submission))
        named = IN_STATE if entry.state is State.ACTIVE else str(entry.state)
        return SubmissionStatus(named, entry.why, over=True)
    if state in OPEN_STATES:
        position = bisect_left(waiting, submission.id)
        waits = held if state is JudgingState.QUEUED else ""
        return SubmissionStatus(
            state, waits or why or ("" if position else _describe_delay(submission)), position
        )
    return SubmissionStatus(state, why, over=True)


def _describe_delay(submission: Submission) -> str:
    """Describe the delay if there has been no progress for too long; else return ""."""
    seconds = time() - submission.state_since
    return DELAY_MESSAGE.format(seconds / 60) if seconds > STUCK_SECONDS else ""
