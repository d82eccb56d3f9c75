"""The database of a hill: bots and their submissions, and the way to its other parts.

The web server, the judge, the coordinator and the host share it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import chain, starmap
from typing import Any

from attrs import frozen

from arena.tournament.file.contents import HillConfig
from arena.tournament.store.connection import format_marks
from arena_hill.db.accounts import Accounts, Principal
from arena_hill.db.author_actions import NO_COPIES, AuthorActions
from arena_hill.db.bots import SELECT_BOTS, Bot
from arena_hill.db.commands import CommandLog
from arena_hill.db.connections import HillConnections
from arena_hill.db.host_actions import HostActions
from arena_hill.db.judging_queue import JudgingQueue
from arena_hill.db.quotas import SELECT_UPLOADS, AuthorUsage, Quotas, StoredUpload
from arena_hill.db.submissions import (
    NEWEST_FIRST,
    OPEN_STATES,
    SELECT_SUBMISSIONS,
    JudgingState,
    Submission,
    match_states,
)
from arena_hill.hill import Hill


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
    def host_actions(self) -> HostActions:
        """What its host does."""
        return HostActions(self)

    def act_as(self, author: Principal) -> AuthorActions:
        """Return what an author does with its own bots."""
        return AuthorActions(self, author)

    @property
    def commands(self) -> CommandLog:
        """The commands to its coordinator."""
        return CommandLog(self)

    def find_submission(self, number: int) -> Submission | None:
        """Return a submission by its number, or None."""
        return next(iter(self.list_submissions(numbers=[number])), None)

    def list_submissions(
        self, *, bot: str | None = None,
        states: Collection[JudgingState] | None = None, numbers: Collection[int] | None = None,
        limit: int | None = None,
    ) -> list[Submission]:  # fmt: skip
        """Return submissions, the newest first, filtered by bot, states or numbers."""
        conditions: dict[str, list[Any]] = {}
        if numbers is not None:
            conditions[f"submissions.id IN ({format_marks([*numbers])})"] = [*numbers]
        if bot is not None:
            conditions["bots.folded = ?"] = [bot.casefold()]
        if states is not None:
            conditions[match_states(states)] = []
        query = SELECT_SUBMISSIONS
        if conditions:
            query += f" WHERE {' AND '.join(conditions)}"
        query += NEWEST_FIRST + (f" LIMIT {limit}" if limit is not None else "")
        with self.begin_read() as snapshot:
            rows = snapshot.connection.read_rows(query, [*chain(*conditions.values())])
        return [*starmap(Submission, rows)]

    def list_versions(self, states: Collection[JudgingState] = ()) -> set[str]:
        """Return the versions of submissions, of those in these states if any are named."""
        query = "SELECT DISTINCT version FROM submissions WHERE version <> ?"
        if states:
            query += f" AND {match_states(states)}"
        with self.begin_read() as snapshot:
            return {*snapshot.connection.read_column(query, ("",))}

    def forget_old_submissions(self, before: float, current: Collection[str]) -> None:
        """Delete the data of old submissions that are finished and not in, except their results.

        Its upload can be deleted; its log and its report go. `current` are the ids of the entrants
        that are in, or wait for a place.
        """
        query = f"{SELECT_SUBMISSIONS} WHERE received < ? AND NOT forgotten"
        update = "UPDATE submissions SET forgotten = TRUE, log = '', report = NULL WHERE id = ?"
        with self.begin_write() as transaction:
            submissions = [*starmap(Submission, transaction.connection.read_rows(query, (before,)))]
            old = [
                (submission.id,)
                for submission in submissions
                if submission.state not in OPEN_STATES and submission.entrant not in current
            ]
            transaction.connection.execute_many(update, old)

    def list_uploads(self) -> set[str]:
        """Return the SHA-256 of all stored uploads."""
        with self.begin_read() as snapshot:
            query = "SELECT sha256 FROM submissions WHERE NOT forgotten"
            return {*snapshot.connection.read_column(query)}

    def list_stored_uploads(self) -> list[StoredUpload]:
        """Return the upload of each submission, from which disk usage is computed."""
        with self.begin_read() as snapshot:
            rows = snapshot.connection.read_rows(SELECT_UPLOADS)
        return [*starmap(StoredUpload, rows)]

    def measure_usage(
        self, author: int, config: HillConfig, copies: Mapping[str, int] = NO_COPIES
    ) -> AuthorUsage:
        """Return the usage of an author's quotas."""
        with self.begin_read() as snapshot:
            return Quotas(snapshot, author, config, copies).measure_usage()

    def list_aliases(self) -> dict[str, str]:
        """Return the public names of the bots whose names are hidden, by their names."""
        with self.begin_read() as snapshot:
            hidden = starmap(Bot, snapshot.connection.read_rows(f"{SELECT_BOTS} WHERE hidden"))
        return {bot.name: bot.alias for bot in hidden}

    def list_public_authors(self) -> dict[str, str]:
        """Return the names of authors who agreed to be shown, by the names of their bots."""
        query = (
            "SELECT bots.name, authors.name FROM bots JOIN authors ON authors.id = bots.author"
            " WHERE authors.public AND NOT banned AND NOT hidden ORDER BY bots.id"
        )
        with self.begin_read() as snapshot:
            return dict(snapshot.connection.read_rows(query))
