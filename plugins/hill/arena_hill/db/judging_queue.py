"""The queue of submissions to judge, with retries of attempts without a result.

An attempt comes to no result when the host fails (its database, its disk, its sandbox) or when the
judge is killed. Neither says anything about the bot, so nothing is counted against it: it waits
longer with each such attempt, behind all others. One that has seen several of them may itself be
what kills the judge. It is tried alone, so that nobody else's attempt is lost with it.
"""

from __future__ import annotations

from collections.abc import Collection
from time import time

from sqlalchemy import Connection, select

from arena_hill.db.quotas import count_today_by_author
from arena_hill.db.schema import bots, submissions
from arena_hill.db.submissions import (
    JUDGED_STATES,
    JudgingState,
    Submission,
    SubmissionDatabase,
    get_submission,
    read_row,
    select_submissions,
    set_submission_state,
)

MAX_PAUSE_SECONDS = 600.0  # until a submission is tried again that came to no result
ALONE_AFTER_TRIES = 3  # without a result
HOST_PROBLEM = (
    "the hill has a problem of its own; your bot is checked again as soon as it is solved"
)
INTERRUPTED = "checking your bot was interrupted; it begins again shortly"


class JudgingQueue(SubmissionDatabase):
    """The queue of submissions to judge."""

    def peek(self, later: Collection[int] = ()) -> Submission | None:
        """Return the submission to judge next, or None.

        Those of `later` had a turn, and come behind all who had none. No author has two at once.
        """
        with self.begin_read() as connection:
            return _find_next(connection, later)

    def take(self, later: Collection[int] = ()) -> Submission | None:
        """Take the next submission from the queue, if there is one."""
        with self.begin_write() as connection:
            submission = _find_next(connection, later)
            if submission is None:
                return None
            set_submission_state(connection, submission.id, JudgingState.UNPACKING)
            return get_submission(connection, submission.id)

    def retry(self, number: int, why: str) -> None:
        """Queue a submission again whose attempt failed through no fault of its own."""
        with self.begin_write() as connection:
            _retry(connection, number, why)

    def recover(self) -> int:
        """Queue the submissions again that a killed judge was judging; return their number.

        Whether one of them has killed it nobody knows, so that it is no reason to reject any.
        """
        with self.begin_write() as connection:
            asked = select(submissions.c.id).where(
                submissions.c.state.in_([*map(str, JUDGED_STATES)])
            )
            left = [*connection.scalars(asked)]
            for number in left:
                _retry(connection, number, INTERRUPTED)
            return len(left)


def is_suspect(submission: Submission) -> bool:
    """Whether a submission may have killed the judge, so that it is judged alone."""
    return submission.tries >= ALONE_AFTER_TRIES


def compute_pause_seconds(tries: int) -> float:
    """Return the seconds to wait after so many attempts without a result.

    >>> [compute_pause_seconds(tries) for tries in (0, 1, 2, 9, 2000)]
    [0.0, 2.0, 4.0, 512.0, 600.0]
    """
    return min(MAX_PAUSE_SECONDS, 2.0 ** min(tries, 20)) if tries else 0.0


def _find_next(connection: Connection, later: Collection[int]) -> Submission | None:
    busy = select(bots.c.author).join_from(submissions, bots)
    busy = busy.where(submissions.c.state.in_([*map(str, JUDGED_STATES)]))
    waiting = select_submissions().where(
        submissions.c.state == str(JudgingState.QUEUED), bots.c.author.not_in(busy)
    )
    due = [*filter(_is_due, map(read_row, connection.execute(waiting)))]
    if not due:
        return None
    sent = count_today_by_author(connection)

    def rank(submission: Submission) -> tuple[bool, bool, int, int, int]:
        interrupted = submission.id in later
        today = sent.get(submission.author, 0)
        return is_suspect(submission), interrupted, submission.tries, today, submission.id

    return min(due, key=rank)


def _is_due(submission: Submission) -> bool:
    waited = time() - submission.state_since  # below 0, where somebody has set the clock back
    return not 0.0 <= waited < compute_pause_seconds(submission.tries)


def _retry(connection: Connection, number: int, why: str) -> None:
    tries = get_submission(connection, number).tries + 1
    set_submission_state(connection, number, JudgingState.QUEUED, why, tries=tries)
