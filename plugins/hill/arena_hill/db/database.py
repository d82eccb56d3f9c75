"""The database of a hill: bots and their submissions, and the way to its other parts.

The web server, the judge, the coordinator and the host share it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import chain, starmap
from time import time
from types import MappingProxyType
from typing import Any

from attrs import frozen

from arena.tournament.file.contents import HillConfig
from arena.tournament.store.connection import format_marks
from arena_hill.db.accounts import Accounts, Principal
from arena_hill.db.bots import find_bot, find_or_create_bot, format_alias
from arena_hill.db.commands import CommandLog
from arena_hill.db.connections import HillConnections
from arena_hill.db.denials import Denial, SubmissionDeniedError
from arena_hill.db.host_actions import HostActions
from arena_hill.db.judging_queue import JudgingQueue
from arena_hill.db.quotas import SELECT_UPLOADS, AuthorUsage, Quotas, StoredUpload
from arena_hill.db.submissions import (
    NEWEST_FIRST,
    OPEN_STATES,
    SELECT_SUBMISSIONS,
    SUPERSEDED,
    JudgingState,
    Submission,
    get_submission,
    set_submission_state,
    withdraw_bot,
)
from arena_hill.hill import Hill

NO_COPIES: Mapping[str, int] = MappingProxyType({})

WITHDRAWN_BY_AUTHOR = "by its author"  # why a bot is withdrawn


def open_database(hill: Hill) -> HillDatabase:
    """Open a hill's database, created if needed; raise UserError."""
    return HillDatabase.open(hill.database_address)


@frozen
class HillDatabase(HillConnections):
    """The database of a hill."""

    @property
    def accounts(self) -> Accounts:
        """The accounts of its authors."""
        return Accounts(self)

    @property
    def queue(self) -> JudgingQueue:
        """Its queue of submissions to be judged."""
        return JudgingQueue(self)

    @property
    def actions(self) -> HostActions:
        """What its host does."""
        return HostActions(self)

    @property
    def commands(self) -> CommandLog:
        """The commands to its coordinator."""
        return CommandLog(self)

    def submit(
        self,
        author: Principal,
        bot: str,
        sha256: str,
        size: int,
        config: HillConfig,
        *,
        reserved: Collection[str] = (),
        inactive: Collection[str] = (),
        copies: Mapping[str, int] = NO_COPIES,
    ) -> tuple[Submission, bool]:
        """Queue an upload; return the submission, and whether it is new (not unchanged).

        It takes the place of one that the host could not check so far, which counts nothing.
        `reserved` are names that no bot may have, `inactive` the entrants who take part no more,
        `copies` the bytes of the copies of bots that are kept, by what they are called.
        Raises SubmissionDeniedError with what is allowed, and when more is, and TokenRevokedError.
        """
        with self.accounts.begin_write_as(author) as connection:
            own = find_or_create_bot(connection, author.id, bot, reserved, config)
            states = [*map(str, OPEN_STATES), str(JudgingState.ACCEPTED)]
            query = f"{SELECT_SUBMISSIONS} WHERE bots.id = ? AND state IN ({format_marks(states)})"
            if last := connection.read_row(f"{query}{NEWEST_FIRST} LIMIT 1", (own.id, *states)):
                before = Submission(*last)
                if before.sha256 == sha256 and self._is_current(before, inactive):
                    return before, False
                if before.state is JudgingState.QUEUED and before.tries:
                    set_submission_state(connection, before.id, JudgingState.FAILED, SUPERSEDED)
                elif before.state in OPEN_STATES:
                    raise SubmissionDeniedError(
                        Denial.CONFLICT, f"{bot}: submission {before.id} is still being checked"
                    )
            Quotas(connection, author.id, config, copies).check(own.id, size)
            now = time()
            (new,) = connection.read_column(
                "INSERT INTO submissions (bot, sha256, size, state, why, version, log, received,"
                " moved, tries) VALUES (?, ?, ?, ?, '', '', '', ?, ?, 0) RETURNING id",
                (own.id, sha256, size, str(JudgingState.QUEUED), now, now),
            )
            return get_submission(connection, new), True

    @staticmethod
    def _is_current(before: Submission, inactive: Collection[str]) -> bool:
        """Whether a submission is being processed, or its bot takes part."""
        return before.state in OPEN_STATES or (
            before.state is JudgingState.ACCEPTED and before.entrant not in inactive
        )

    def find_submission(self, number: int) -> Submission | None:
        """Return a submission by its number, or None."""
        return next(iter(self.list_submissions(numbers=[number])), None)

    def list_submissions(
        self, *, author: int | None = None, bot: str | None = None,
        states: Collection[JudgingState] | None = None, numbers: Collection[int] | None = None,
        limit: int | None = None,
    ) -> list[Submission]:  # fmt: skip
        """Return submissions, the newest first, filtered by author, bot, states or numbers."""
        conditions: dict[str, list[Any]] = {}
        if numbers is not None:
            conditions[f"submissions.id IN ({format_marks([*numbers])})"] = [*numbers]
        if author is not None:
            conditions["bots.author = ?"] = [author]
        if bot is not None:
            conditions["bots.folded = ?"] = [bot.casefold()]
        if states is not None:
            conditions[f"state IN ({format_marks([*states])})"] = [*map(str, states)]
        query = SELECT_SUBMISSIONS
        if conditions:
            query += f" WHERE {' AND '.join(conditions)}"
        query += NEWEST_FIRST + (f" LIMIT {limit}" if limit is not None else "")
        with self.begin_read() as connection:
            rows = connection.read_rows(query, [*chain(*conditions.values())])
        return [*starmap(Submission, rows)]

    def list_versions(self, states: Collection[JudgingState] = ()) -> set[str]:
        """Return the versions of submissions, of those in these states if any are named."""
        query = "SELECT DISTINCT version FROM submissions WHERE version <> ?"
        if states:
            query += f" AND state IN ({format_marks([*states])})"
        with self.begin_read() as connection:
            return {*connection.read_column(query, ("", *map(str, states)))}

    def forget_old_submissions(self, before: float, current: Collection[str]) -> None:
        """Delete the data of old submissions that are finished and not in, except their results.

        Its upload can be deleted; its log and its report go. `current` are the ids of the entrants
        that are in, or wait for a place.
        """
        query = f"{SELECT_SUBMISSIONS} WHERE received < ? AND NOT forgotten"
        update = "UPDATE submissions SET forgotten = TRUE, log = '', report = NULL WHERE id = ?"
        with self.begin_write() as connection:
            submissions = [*starmap(Submission, connection.read_rows(query, (before,)))]
            old = [
                (submission.id,)
                for submission in submissions
                if submission.state not in OPEN_STATES and submission.entrant not in current
            ]
            connection.execute_many(update, old)

    def list_uploads(self) -> set[str]:
        """Return the SHA-256 of all stored uploads."""
        with self.begin_read() as connection:
            query = "SELECT sha256 FROM submissions WHERE NOT forgotten"
            return {*connection.read_column(query)}

    def list_stored_uploads(self) -> list[StoredUpload]:
        """Return the upload of each submission, from which disk usage is computed."""
        with self.begin_read() as connection:
            rows = connection.read_rows(SELECT_UPLOADS)
        return [*starmap(StoredUpload, rows)]

    def measure_usage(
        self, author: int, config: HillConfig, copies: Mapping[str, int] = NO_COPIES
    ) -> AuthorUsage:
        """Return the usage of an author's quotas."""
        with self.begin_read() as connection:
            return Quotas(connection, author, config, copies).measure_usage()

    def withdraw_own(self, author: Principal, bot: str) -> None:
        """Withdraw a bot for its author; raise TokenRevokedError."""
        with self.accounts.begin_write_as(author) as connection:
            withdraw_bot(connection, find_bot(connection, bot), WITHDRAWN_BY_AUTHOR)

    def find_owner(self, bot: str) -> int | None:
        """Return the id of a bot's author; None if there is no such bot."""
        query = "SELECT author FROM bots WHERE folded = ?"
        with self.begin_read() as connection:
            owner: int | None = connection.read_value(query, (bot.casefold(),))
        return owner

    def set_source_visibility(self, author: Principal, bot: str, *, public: bool) -> None:
        """Make the source of a bot's version that takes part public, or private again."""
        update = "UPDATE bots SET public = ? WHERE folded = ?"
        with self.accounts.begin_write_as(author) as connection:
            connection.execute(update, (public, bot.casefold()))

    def set_submission_visibility(self, author: Principal, number: int, *, public: bool) -> None:
        """Make the source of one submission public, whichever version takes part, or undo that."""
        with self.accounts.begin_write_as(author) as connection:
            connection.execute("UPDATE submissions SET opened = ? WHERE id = ?", (public, number))

    def list_aliases(self) -> dict[str, str]:
        """Return the public names of the bots whose names are hidden, by their names."""
        with self.begin_read() as connection:
            rows = connection.read_rows("SELECT id, name FROM bots WHERE hidden")
        return {name: format_alias(number) for number, name in rows}

    def list_public_authors(self) -> dict[str, str]:
        """Return the names of authors who agreed to be shown, by the names of their bots."""
        query = (
            "SELECT bots.name, authors.name FROM bots JOIN authors ON authors.id = bots.author"
            " WHERE authors.public AND NOT banned AND NOT hidden ORDER BY bots.id"
        )
        with self.begin_read() as connection:
            return dict(connection.read_rows(query))
