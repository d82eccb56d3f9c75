"""The queue of submissions to be judged: whose turn it is, and the outcome of an attempt.

The queue retries attempts that came to no result, since the host failed (its database, its disk,
its sandbox) or the judge was killed. Neither says anything about the bot, so nothing is counted
against it: it waits longer with each such attempt, behind all others. One that has seen several of
them may itself be what kills the judge. It is judged alone, so that nobody else's attempt is lost
with it.

The position that an author is told is by the order in which the queue is judged now. Whoever
submits later may still come before: an author who has submitted less today, or one without a turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from attrs import frozen

from arena.tournament.entries import Entry
from arena_hill.db.commands import add_entry_command
from arena_hill.db.submissions import (
    NOTHING_NEW,
    Findings,
    StateChange,
    Submission,
    change_state,
    get_submission,
    list_open_submissions,
    match_states,
)
from arena_hill.db.taken_names import NOTHING_RESERVED, ReservedTexts, TakenNames
from arena_hill.db.transactions import HillSnapshot, HillTransaction, HillTransactions
from arena_hill.submission_states import JUDGED_STATES, OPEN_STATES, SubmissionState
from arena_hill.units import DAY_SECONDS

MAX_PAUSE_SECONDS = 600.0  # until a submission is tried again that came to no result
ALONE_AFTER_TRIES = 3  # without a result
HOST_PROBLEM_MESSAGE = (
    "the hill has a problem of its own; your bot is checked again as soon as it is solved"
)
INTERRUPTED_MESSAGE = "checking your bot was interrupted; it begins again shortly"
OTHERS_FIRST_MESSAGE = "this check takes longer than most, so others go first; then it starts again"


@frozen
class JudgingQueue:
    """The submissions in progress; several judges may take from it."""

    transactions: HillTransactions

    def count_by_state(self) -> Mapping[str, int]:
        """Return the number of submissions in each state, also those that are judged."""
        query = "SELECT state, COUNT(*) FROM submissions GROUP BY state"
        with self.transactions.begin_read() as snapshot:
            return dict(snapshot.connection.read_rows(query))

    def find_oldest_open(self) -> float | None:
        """Return the time at which the oldest submission in progress was received, or None."""
        query = f"SELECT MIN(received) FROM submissions WHERE {match_states(OPEN_STATES)}"
        with self.transactions.begin_read() as snapshot:
            received: float | None = snapshot.connection.read_value(query)
        return received

    def set_state(
        self,
        submission_id: int,
        state: SubmissionState,
        why: str = "",
        findings: Findings = NOTHING_NEW,
    ) -> bool:
        """Set the state of a submission, with what was found out about it.

        Returns whether it was still at work: one that was withdrawn meanwhile stays so.
        """
        with self.transactions.begin_write() as transaction:
            return change_state(transaction, submission_id, StateChange(state, why, findings))

    def accept(
        self, submission_id: int, entry: Entry, reserved: ReservedTexts = NOTHING_RESERVED
    ) -> Submission | None:
        """Accept a submission, unless another bot has taken its title during its trial.

        Returns what it has become, or None if it was no longer in progress.
        """
        findings = Findings(version=entry.version)
        with self.transactions.begin_write() as transaction:
            author_id = get_submission(transaction, submission_id).bot.author_id
            taken = TakenNames.read(transaction, author_id, reserved)
            why = taken.find_title_problem(entry.title)
            state = SubmissionState.REJECTED if why else SubmissionState.ACCEPTED
            if not change_state(transaction, submission_id, StateChange(state, why, findings)):
                return None
            if state is SubmissionState.ACCEPTED:
                add_entry_command(transaction, entry)
            return get_submission(transaction, submission_id)

    def reject(self, submission_id: int, why: str, findings: Findings = NOTHING_NEW) -> bool:
        """Reject a submission; return whether it was still in progress."""
        return self.set_state(submission_id, SubmissionState.REJECTED, why, findings)

    def give_way(self, submission_id: int) -> bool:
        """Queue a submission again that had a turn, behind all who had none.

        Returns whether it was still in progress.
        """
        change = StateChange(SubmissionState.QUEUED, OTHERS_FIRST_MESSAGE, gave_way=True)
        with self.transactions.begin_write() as transaction:
            return change_state(transaction, submission_id, change)

    def peek(self) -> Submission | None:
        """Return the submission to judge next, or None; no author has two at once."""
        with self.transactions.begin_read() as snapshot:
            return JudgingOrder.read(snapshot).find_next(snapshot.now)

    def take(self) -> Submission | None:
        """Take the next submission from the queue, if there is one."""
        with self.transactions.begin_write() as transaction:
            submission = JudgingOrder.read(transaction).find_next(transaction.now)
            if submission is None:
                return None
            change_state(transaction, submission.id, StateChange(SubmissionState.UNPACKING))
            return get_submission(transaction, submission.id)

    def retry(self, submission_id: int, why: str) -> None:
        """Queue a submission again whose attempt failed through no fault of its own."""
        with self.transactions.begin_write() as transaction:
            _retry(transaction, submission_id, why)

    def recover(self) -> int:
        """Queue the submissions again that a killed judge was judging; return their number.

        Any of them may have killed the judge, or none: that is no reason to reject one.
        """
        query = f"SELECT id FROM submissions WHERE {match_states(JUDGED_STATES)}"
        with self.transactions.begin_write() as transaction:
            ids = transaction.connection.read_column(query)
            for submission_id in ids:
                _retry(transaction, submission_id, INTERRUPTED_MESSAGE)
            return len(ids)


@frozen
class JudgingOrder:
    """The submissions in progress, in the order in which they are judged."""

    judged: Sequence[Submission]  #: those whose turn it is
    waiting: Sequence[Submission]  #: the others, the next one first

    @classmethod
    def read(cls, snapshot: HillSnapshot) -> Self:
        """Read the submissions, and bring them into order."""
        submissions = list_open_submissions(snapshot)
        judged = [submission for submission in submissions if submission.state in JUDGED_STATES]
        waiting = [submission for submission in submissions if submission not in judged]
        # a judge looks four times a second, mostly at an empty queue
        sent_today = _count_today_by_author(snapshot) if waiting else {}

        def rank(submission: Submission) -> tuple[bool, bool, int, int, int]:
            sent = sent_today.get(submission.bot.author_id, 0)
            alone, had_turn = is_suspect(submission), submission.gave_way
            return alone, had_turn, submission.tries, sent, submission.id

        return cls(judged, sorted(waiting, key=rank))

    def compute_positions(self) -> Mapping[int, int]:
        """Return the number of submissions before each one; 0 for one that is judged."""
        waiting = enumerate(self.waiting, len(self.judged))
        return {submission.id: 0 for submission in self.judged} | {
            submission.id: position for position, submission in waiting
        }

    def find_next(self, now: float) -> Submission | None:
        """Return the submission to judge next, or None; no author has two at once."""
        busy = {submission.bot.author_id for submission in self.judged}
        return next(
            (
                submission
                for submission in self.waiting
                if submission.bot.author_id not in busy and _is_due(submission, now)
            ),
            None,
        )


def _is_due(submission: Submission, now: float) -> bool:
    """Whether a submission has waited for as long as its attempts without a result ask for."""
    waited = now - submission.state_since
    # it is below 0, where somebody has set the clock back
    return not 0.0 <= waited < compute_pause_seconds(submission.tries)


def _retry(transaction: HillTransaction, submission_id: int, why: str) -> None:
    change = StateChange(SubmissionState.QUEUED, why, more_tries=1)
    change_state(transaction, submission_id, change)


def _count_today_by_author(snapshot: HillSnapshot) -> Mapping[int, int]:
    """Return the number of submissions in the last 24 hours by author, without zeros."""
    query = (
        "SELECT author, COUNT(*) FROM submissions JOIN bots ON bots.id = submissions.bot"
        " WHERE received > ? GROUP BY author"
    )
    return dict(snapshot.connection.read_rows(query, (snapshot.now - DAY_SECONDS,)))


def is_suspect(submission: Submission) -> bool:
    """Whether a submission may have killed the judge, so that it is judged alone."""
    return submission.tries >= ALONE_AFTER_TRIES


def compute_pause_seconds(tries: int) -> float:
    """Return the seconds to wait after so many attempts without a result.

    >>> [compute_pause_seconds(tries) for tries in (0, 1, 2, 9, 2000)]
    [0.0, 2.0, 4.0, 512.0, 600.0]
    """
    return min(MAX_PAUSE_SECONDS, 2.0 ** min(tries, 20)) if tries else 0.0
