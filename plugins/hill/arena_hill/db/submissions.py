"""The table `submissions`: each upload of a bot with its state, and what was found out about it."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Any, Self

from attrs import converters, field, fields, frozen

from arena.tournament.commands import EntryCommand
from arena.tournament.entries import format_id
from arena.tournament.store.connection import format_marks
from arena.wires import dump
from arena_hill.db.bots import Bot
from arena_hill.db.commands import WITHDRAWN, list_commands
from arena_hill.db.rows import list_columns
from arena_hill.db.stored_uploads import StoredUpload, list_uploads
from arena_hill.db.transactions import HillSnapshot, HillTransaction, HillTransactions
from arena_hill.submission_states import CURRENT_STATES, OPEN_STATES, SubmissionState

NEWEST_FIRST = " ORDER BY submissions.id DESC"
FORGET_SUBMISSIONS = "UPDATE submissions SET forgotten = TRUE, log = '', report = NULL"


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
    forgotten: bool = field(converter=bool)  #: whether its upload is deleted

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
    bot=list_columns(
        Bot, id="bots.id", name="bots.name", author_id="author", public="bots.public"
    ),
    id="submissions.id", author_name="authors.name", public="submissions.public",
)  # fmt: skip
SELECT_SUBMISSIONS = (
    f"SELECT {_COLUMNS} FROM submissions"
    " JOIN bots ON bots.id = submissions.bot JOIN authors ON authors.id = bots.author"
)
ENTRANT = "bots.name || '@' || version"  # the id of a submission's entrant


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


@frozen
class StateChange:
    """A change of the state of a submission."""

    state: SubmissionState
    why: str = ""
    findings: Findings = NOTHING_NEW
    more_tries: int = 0  #: attempts that came to no result
    gave_way: bool = False  #: whether it waits again after it had a turn


@frozen
class StoredSubmissions:
    """The submissions to a hill."""

    transactions: HillTransactions

    def find(self, submission_id: int) -> Submission | None:
        """Return a submission by its id, or None."""
        with self.transactions.begin_read() as snapshot:
            return find_submission(snapshot, submission_id)

    def select(
        self, *, bot: str | None = None,
        states: Collection[SubmissionState] | None = None, ids: Collection[int] | None = None,
        limit: int | None = None,
    ) -> list[Submission]:  # fmt: skip
        """Return submissions, the newest first, filtered by bot, states or ids."""
        conditions: dict[str, list[Any]] = {}
        if ids is not None:
            conditions[f"submissions.id IN ({format_marks([*ids])})"] = [*ids]
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

    def list_newest(self, author_id: int | None = None) -> list[Submission]:
        """Return the newest submission of each bot, of one author or of all; old bots first."""
        query = (
            f"{SELECT_SUBMISSIONS} WHERE submissions.id IN"
            " (SELECT MAX(id) FROM submissions GROUP BY bot)"
        )
        if author_id is not None:
            query += " AND bots.author = ?"
        values = () if author_id is None else (author_id,)
        with self.transactions.begin_read() as snapshot:
            rows = snapshot.connection.read_rows(f"{query} ORDER BY bots.id", values)
        return [*map(Submission.of_row, rows)]

    def select_kept(
        self, *, ids: Collection[int] | None = None, limit: int | None = None
    ) -> list[Submission]:
        """Return the accepted submissions whose bot was not withdrawn since, the newest first."""
        query = f"{SELECT_SUBMISSIONS} WHERE {_KEPT}"
        if ids is not None:
            query += f" AND submissions.id IN ({format_marks([*ids])})"
        query += NEWEST_FIRST + (f" LIMIT {limit}" if limit is not None else "")
        with self.transactions.begin_read() as snapshot:
            rows = snapshot.connection.read_rows(query, [*(ids or ())])
        return [*map(Submission.of_row, rows)]

    def select_public(
        self, active: Collection[str], *, everybody: bool, ids: Collection[int] | None = None
    ) -> list[Submission]:
        """Return the submissions whose source everybody may read, the newest first.

        Only accepted bots without hidden names have public sources, as long as their uploads are
        kept: versions that take part if it was decided for their bot or for the hill, and others if
        it was decided for them alone. None is that was accepted before its bot was withdrawn.

        Args:
            active: the ids of the entrants that take part.
            everybody: whether all sources of these are public.
            ids: those of the submissions in question; None: all.
        """
        marks = format_marks([*active])
        query = (
            f"{SELECT_SUBMISSIONS} WHERE {_KEPT} AND NOT hidden AND NOT forgotten"
            f" AND (submissions.public OR ((bots.public OR ?) AND {ENTRANT} IN ({marks})))"
        )
        if ids is not None:
            query += f" AND submissions.id IN ({format_marks([*ids])})"
        with self.transactions.begin_read() as snapshot:
            values = [everybody, *active, *(ids or ())]
            rows = snapshot.connection.read_rows(query + NEWEST_FIRST, values)
        return [*map(Submission.of_row, rows)]

    def load_results(self, submission_id: int) -> SubmissionResults:
        """Return the results of an existing submission."""
        query = f"{SELECT_RESULTS} WHERE id = ?"
        with self.transactions.begin_read() as snapshot:
            (row,) = snapshot.connection.read_rows(query, (submission_id,))
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
            return list_uploads(snapshot)

    def forget_old(self, before: float, current: Collection[str], last_command: int) -> None:
        """Delete the data of old submissions that are finished and not in, except their results.

        Its upload can be deleted; its log and its report go.

        Args:
            before: when those that are old were received, in seconds since 1970.
            current: the ids of the entrants that are in, or wait for a place.
            last_command: the number of the last command that the coordinator had carried out then;
                what later ones let in is kept, too.
        """
        query = f"{SELECT_SUBMISSIONS} WHERE received < ? AND NOT forgotten"
        update = f"{FORGET_SUBMISSIONS} WHERE id = ?"
        with self.transactions.begin_write() as transaction:
            rows = transaction.connection.read_rows(query, (before,))
            commands = list_commands(transaction, last_command)
            entering = {
                command.entry.id for command in commands if isinstance(command, EntryCommand)
            }
            kept = {*current, *entering}
            old = [
                (submission.id,)
                for submission in map(Submission.of_row, rows)
                if submission.state not in OPEN_STATES and submission.entrant not in kept
            ]
            transaction.connection.execute_many(update, old)


def match_states(states: Collection[SubmissionState]) -> str:
    """Return the condition of a query that a submission is in one of these states.

    >>> match_states([SubmissionState.QUEUED, SubmissionState.BUILDING])
    "state IN ('queued', 'building')"
    """
    quoted = ", ".join(f"'{state}'" for state in states)
    return f"state IN ({quoted or 'NULL'})"  # which nothing equals


_KEPT = f"{match_states([SubmissionState.ACCEPTED])} AND NOT {WITHDRAWN}"


def find_submission(snapshot: HillSnapshot, submission_id: int) -> Submission | None:
    """Return a submission by its id, or None."""
    query = f"{SELECT_SUBMISSIONS} WHERE submissions.id = ?"
    row = snapshot.connection.read_row(query, (submission_id,))
    return None if row is None else Submission.of_row(row)


def get_submission(snapshot: HillSnapshot, submission_id: int) -> Submission:
    """Return an existing submission."""
    submission = find_submission(snapshot, submission_id)
    assert submission, submission_id
    return submission


def find_current_submission(snapshot: HillSnapshot, bot: Bot) -> Submission | None:
    """Return the last submission of a bot that is in progress or accepted, or None."""
    states = match_states(CURRENT_STATES)
    query = f"{SELECT_SUBMISSIONS} WHERE bots.id = ? AND {states}{NEWEST_FIRST} LIMIT 1"
    row = snapshot.connection.read_row(query, (bot.id,))
    return None if row is None else Submission.of_row(row)


def list_open_submissions(snapshot: HillSnapshot) -> list[Submission]:
    """Return the submissions in progress."""
    query = f"{SELECT_SUBMISSIONS} WHERE {match_states(OPEN_STATES)}"
    return [*map(Submission.of_row, snapshot.connection.read_rows(query))]


def add_submission(transaction: HillTransaction, bot: Bot, sha256: str, size: int) -> Submission:
    """Add a submission of a bot, which is queued, and return it; the size is in bytes."""
    (submission_id,) = transaction.connection.read_column(
        "INSERT INTO submissions (bot, sha256, size, state, why, version, log, received,"
        " state_since, tries) VALUES (?, ?, ?, ?, '', '', '', ?, ?, 0) RETURNING id",
        (bot.id, sha256, size, str(SubmissionState.QUEUED), transaction.now, transaction.now),
    )
    return get_submission(transaction, submission_id)


def change_state(transaction: HillTransaction, submission_id: int, change: StateChange) -> bool:
    """Change the state of a submission in progress; return whether it still was."""
    update = (
        "UPDATE submissions SET state = ?, why = ?, state_since = ?,"
        " version = COALESCE(?, version), log = COALESCE(?, log),"
        " report = COALESCE(?, report), tries = tries + ?,"
        f" gave_way = ? WHERE id = ? AND {match_states(OPEN_STATES)}"
    )
    findings = change.findings
    report = None if findings.report is None else dump(findings.report)
    columns = (findings.version, findings.log, report, change.more_tries, change.gave_way)
    values = (str(change.state), change.why, transaction.now, *columns, submission_id)
    return bool(transaction.connection.execute(update, values).rowcount)


def withdraw_submissions(transaction: HillTransaction, bot: Bot, why: str) -> None:
    """Withdraw the submissions of a bot that are in progress."""
    update = (
        "UPDATE submissions SET state = ?, why = ?, state_since = ?"
        f" WHERE bot = ? AND {match_states(OPEN_STATES)}"
    )
    values = (str(SubmissionState.WITHDRAWN), why, transaction.now, bot.id)
    transaction.connection.execute(update, values)


def forget_submissions(transaction: HillTransaction, bot: Bot) -> set[str]:
    """Forget all submissions of a bot; return the SHA-256 of the uploads that no other bot uses."""
    transaction.connection.execute(f"{FORGET_SUBMISSIONS} WHERE bot = ?", (bot.id,))
    unused = (
        "SELECT sha256 FROM submissions WHERE bot = ?"
        " AND sha256 NOT IN (SELECT sha256 FROM submissions WHERE NOT forgotten)"
    )
    return {*transaction.connection.read_column(unused, (bot.id,))}
