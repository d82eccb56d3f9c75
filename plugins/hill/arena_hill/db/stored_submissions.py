"""The submissions that a hill's database has, of all bots, with their versions and uploads."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain, starmap
from typing import Any

from attrs import frozen

from arena.tournament.store.connection import format_marks
from arena_hill.db.stored_uploads import SELECT_UPLOADS, StoredUpload
from arena_hill.db.submissions import (
    ENTRANT,
    FORGET_SUBMISSIONS,
    NEWEST_FIRST,
    SELECT_RESULTS,
    SELECT_SUBMISSIONS,
    Submission,
    SubmissionResults,
    match_states,
)
from arena_hill.db.transactions import HillTransactions
from arena_hill.submission_states import OPEN_STATES, SubmissionState


@frozen
class StoredSubmissions:
    """The submissions to a hill."""

    transactions: HillTransactions

    def find(self, number: int) -> Submission | None:
        """Return a submission by its number, or None."""
        return next(iter(self.select(numbers=[number])), None)

    def select(
        self, *, bot: str | None = None,
        states: Collection[SubmissionState] | None = None, numbers: Collection[int] | None = None,
        limit: int | None = None,
    ) -> list[Submission]:  # fmt: skip
        """Return submissions, the newest first, filtered by bot, states or numbers."""
        conditions: dict[str, list[Any]] = {}
        if numbers is not None:
            conditions[f"submissions.id IN ({format_marks([*numbers])})"] = [*numbers]
        if bot is not None:
            conditions["bots.folded_name = ?"] = [bot.casefold()]
        if states is not None:
            conditions[match_states(states)] = []
        query = SELECT_SUBMISSIONS
        if conditions:
            query += f" WHERE {' AND '.join(conditions)}"
        query += NEWEST_FIRST + (f" LIMIT {limit}" if limit is not None else "")
        with self.transactions.begin_read() as snapshot:
            rows = snapshot.connection.read_rows(query, [*chain(*conditions.values())])
        return [*map(Submission.of_row, rows)]

    def list_newest(self, author: int | None = None) -> list[Submission]:
        """Return the newest submission of each bot, of one author or of all; old bots first."""
        query = (
            f"{SELECT_SUBMISSIONS} WHERE submissions.id IN"
            " (SELECT MAX(id) FROM submissions GROUP BY bot)"
        )
        if author is not None:
            query += " AND bots.author = ?"
        values = () if author is None else (author,)
        with self.transactions.begin_read() as snapshot:
            rows = snapshot.connection.read_rows(f"{query} ORDER BY bots.id", values)
        return [*map(Submission.of_row, rows)]

    def select_public(
        self, active: Collection[str], *, everybody: bool, numbers: Collection[int] | None = None
    ) -> list[Submission]:
        """Return the submissions whose source everybody may read, the newest first.

        Only accepted bots without hidden names have public sources: versions that take part if it
        was decided for their bot or for the hill, and others if it was decided for them alone.

        Args:
            active: the ids of the entrants that take part.
            everybody: whether all sources of these are public.
            numbers: those of the submissions in question; None: all.
        """
        marks = format_marks([*active])
        query = (
            f"{SELECT_SUBMISSIONS} WHERE {match_states([SubmissionState.ACCEPTED])} AND NOT hidden"
            f" AND (submissions.public OR ((bots.public OR ?) AND {ENTRANT} IN ({marks})))"
        )
        if numbers is not None:
            query += f" AND submissions.id IN ({format_marks([*numbers])})"
        with self.transactions.begin_read() as snapshot:
            values = [everybody, *active, *(numbers or ())]
            rows = snapshot.connection.read_rows(query + NEWEST_FIRST, values)
        return [*map(Submission.of_row, rows)]

    def load_results(self, number: int) -> SubmissionResults:
        """Return the results of an existing submission."""
        query = f"{SELECT_RESULTS} WHERE id = ?"
        with self.transactions.begin_read() as snapshot:
            (row,) = snapshot.connection.read_rows(query, (number,))
        return SubmissionResults(*row)

    def list_versions(self, states: Collection[SubmissionState] | None = None) -> set[str]:
        """Return the known versions of submissions, of all or of those in these states."""
        query = "SELECT DISTINCT version FROM submissions WHERE version <> ''"
        if states is not None:
            query += f" AND {match_states(states)}"
        with self.transactions.begin_read() as snapshot:
            return {*snapshot.connection.read_column(query)}

    def list_digests(self) -> set[str]:
        """Return the SHA-256 of all stored uploads."""
        query = "SELECT sha256 FROM submissions WHERE NOT forgotten"
        with self.transactions.begin_read() as snapshot:
            return {*snapshot.connection.read_column(query)}

    def list_uploads(self) -> list[StoredUpload]:
        """Return the upload of each submission, from which disk usage is computed."""
        with self.transactions.begin_read() as snapshot:
            rows = snapshot.connection.read_rows(SELECT_UPLOADS)
        return [*starmap(StoredUpload, rows)]

    def forget_old(self, before: float, current: Collection[str]) -> None:
        """Delete the data of old submissions that are finished and not in, except their results.

        Its upload can be deleted; its log and its report go. `current` are the ids of the entrants
        that are in, or wait for a place.
        """
        query = f"{SELECT_SUBMISSIONS} WHERE received < ? AND NOT forgotten"
        update = f"{FORGET_SUBMISSIONS} WHERE id = ?"
        with self.transactions.begin_write() as transaction:
            rows = transaction.connection.read_rows(query, (before,))
            old = [
                (submission.id,)
                for submission in map(Submission.of_row, rows)
                if submission.state not in OPEN_STATES and submission.entrant not in current
            ]
            transaction.connection.execute_many(update, old)
