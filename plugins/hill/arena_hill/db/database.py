"""The database of a hill: bots, submissions, orders to the coordinator, the host's actions.

The web server, the judge, the coordinator and the host share it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, groupby
from operator import itemgetter
from time import time
from types import MappingProxyType
from typing import Any

from attrs import frozen

from arena import UserError
from arena.tournament import State
from arena.tournament.commands import (
    AliasCommand,
    CoordinatorCommand,
    EntryCommand,
    WithdrawalCommand,
)
from arena.tournament.file import HillConfig, TournamentSpec
from arena.tournament.models import Entry
from arena.tournament.store.connection import Connection, format_marks
from arena.wires import read
from arena_hill.db.accounts import SELECT_AUTHORS, Accounts, Author, Principal
from arena_hill.db.connections import HillConnections
from arena_hill.db.judging_queue import JudgingQueue
from arena_hill.db.quotas import MB, SELECT_UPLOADS, Quotas, StoredUpload
from arena_hill.db.submissions import (
    NEWEST_FIRST,
    OPEN_STATES,
    SELECT_SUBMISSIONS,
    SUPERSEDED,
    JudgingState,
    Submission,
    SubmissionDeniedError,
    add_command,
    find_or_create_bot,
    get_submission,
    read_row,
    set_submission_state,
)
from arena_hill.hill_paths import get_database_address

NO_COPIES: Mapping[str, int] = MappingProxyType({})

WITHDRAWN_BY_AUTHOR = "by its author"  # why a bot is withdrawn


@frozen
class AuthorSummary:
    """An author with its bots, for the host's list."""

    name: str
    banned: bool
    bots: Sequence[str]  #: their names


@frozen
class UnusedFiles:
    """The files of a forgotten bot that no other bot uses, so that they can be deleted."""

    bot: str  #: its name
    uploads: Collection[str]  #: their SHA-256
    versions: Collection[str]


def open_database(spec: TournamentSpec) -> HillDatabase:
    """Open a hill's database, created if needed; raise UserError."""
    return HillDatabase.open(get_database_address(spec))


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

    def submit(
        self,
        author: Principal,
        bot: str,
        sha256: str,
        size: int,
        config: HillConfig,
        *,
        taken: Collection[str] = (),
        gone: Collection[str] = (),
        copies: Mapping[str, int] = NO_COPIES,
    ) -> tuple[Submission, bool]:
        """Queue an upload; return the submission, and whether it is new (not unchanged).

        It takes the place of one that the host could not check so far, which counts nothing.
        `taken` are names that no bot may have, `gone` the entrants who take part no more, `copies`
        the bytes of the copies of bots that are kept, by what they are called.
        Raises SubmissionDeniedError with what is allowed, and when more is, and TokenRevokedError.
        """
        with self.accounts.begin_write_as(author) as connection:
            number = find_or_create_bot(connection, author.id, bot, taken, config)
            good = [*map(str, OPEN_STATES), str(JudgingState.ACCEPTED)]
            query = f"{SELECT_SUBMISSIONS} WHERE bots.id = ? AND state IN ({format_marks(good)})"
            if last := connection.read_row(f"{query}{NEWEST_FIRST} LIMIT 1", (number, *good)):
                before = read_row(last)
                if before.sha256 == sha256 and self._is_current(before, gone):
                    return before, False
                if before.state is JudgingState.QUEUED and before.tries:
                    set_submission_state(connection, before.id, JudgingState.FAILED, SUPERSEDED)
                elif before.state in OPEN_STATES:
                    raise SubmissionDeniedError(
                        f"{bot}: submission {before.id} is still being checked", 409
                    )
            Quotas(connection, author.id, config, copies).check(number, size)
            now = time()
            (sent,) = connection.read_column(
                "INSERT INTO submissions (bot, sha256, size, state, why, version, log, received,"
                " moved, tries) VALUES (?, ?, ?, ?, '', '', '', ?, ?, 0) RETURNING id",
                (number, sha256, size, str(JudgingState.QUEUED), now, now),
            )
            return get_submission(connection, sent), True

    @staticmethod
    def _is_current(before: Submission, gone: Collection[str]) -> bool:
        """Whether a submission is being processed, or its bot takes part."""
        return before.state in OPEN_STATES or (
            before.state is JudgingState.ACCEPTED and before.entrant not in gone
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
        return [*map(read_row, rows)]

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
            sent = [*map(read_row, connection.read_rows(query, (before,)))]
            old = [
                (submission.id,)
                for submission in sent
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
        return [StoredUpload(*row) for row in rows]

    def measure_usage(
        self, author: int, config: HillConfig, copies: Mapping[str, int] = NO_COPIES
    ) -> Mapping[str, Any]:
        """Return an author's quotas: used, allowed, and for each bot when more is."""
        with self.begin_read() as connection:
            mine = connection.read_rows("SELECT id, name FROM bots WHERE author = ?", (author,))
            quotas = Quotas(connection, author, config, copies)
            stored = quotas.sum_stored_bytes()
            submissions = {name: quotas.count_submissions(number) for number, name in mine}
        return {
            "bots": {"used": len(mine), "allowed": config.bots},
            "uploads_mb": {"used": round(stored / MB, 1), "allowed": config.uploads_mb},
            "submissions": {
                name: {
                    "used": used,
                    "allowed": config.submissions,
                    "more_in": round(wait),
                }
                for name, (used, wait) in submissions.items()
            },
        }

    def withdraw(self, bot: str, why: str) -> None:
        """Withdraw a bot for the host, and all of its submissions that are still in progress."""
        with self.begin_write() as connection:
            number, name = self._find_bot(connection, bot)
            self._withdraw(connection, number, name, why)
            self._record_action(connection, "withdraw", name, why)

    def withdraw_own(self, author: Principal, bot: str) -> None:
        """Withdraw a bot for its author, likewise; raise TokenRevokedError."""
        with self.accounts.begin_write_as(author) as connection:
            number, name = self._find_bot(connection, bot)
            self._withdraw(connection, number, name, WITHDRAWN_BY_AUTHOR)

    @staticmethod
    def _find_bot(connection: Connection, bot: str) -> tuple[int, str]:
        """Return the number and the name of the bot of this name, or of the alias that is shown.

        Raises:
            UserError: if there is none.
        """
        query = "SELECT id, name, folded FROM bots WHERE folded = ? OR hidden"
        for number, name, folded in connection.read_rows(query, (bot.casefold(),)):
            if bot.casefold() in {folded, format_alias(number)}:
                return number, name
        raise UserError(f"there is no bot called {bot}")

    @staticmethod
    def _withdraw(connection: Connection, number: int, name: str, why: str) -> None:
        """Withdraw a bot with all of its submissions in progress or in the tournament."""
        states = [*map(str, OPEN_STATES), str(JudgingState.ACCEPTED)]
        update = (
            "UPDATE submissions SET state = ?, why = ?, moved = ?"
            f" WHERE bot = ? AND state IN ({format_marks(states)})"
        )
        connection.execute(update, (str(JudgingState.WITHDRAWN), why, time(), number, *states))
        add_command(connection, name, None, state=State.WITHDRAWN, why=why)

    @staticmethod
    def _record_action(connection: Connection, what: str, whom: str, why: str) -> None:
        insert = "INSERT INTO actions (at, what, whom, why) VALUES (?, ?, ?, ?)"
        connection.execute(insert, (time(), what, whom, why))

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

    def fetch(self, after: int) -> list[CoordinatorCommand]:
        """Return the commands to the coordinator after this number, in order."""
        query = (
            "SELECT number, bot, entry, state, why, alias FROM orders"
            " WHERE number > ? ORDER BY number"
        )
        with self.begin_read() as connection:
            rows = connection.read_rows(query, (after,))
        return [*map(_read_command, rows)]

    def get_last_command(self) -> int:
        """Return the number of the last command to the coordinator, or 0."""
        with self.begin_read() as connection:
            return connection.read_value("SELECT MAX(number) FROM orders") or 0

    def ban(self, author: str, why: str) -> list[str]:
        """Revoke an author's tokens and withdraw all of its bots; return their names."""
        with self.begin_write() as connection:
            known = self._require_author(connection, author)
            connection.execute("UPDATE authors SET banned = TRUE WHERE id = ?", (known.id,))
            connection.execute("DELETE FROM keys WHERE author = ?", (known.id,))
            mine = "SELECT id, name FROM bots WHERE author = ? ORDER BY id"
            bots = connection.read_rows(mine, (known.id,))
            for number, name in bots:
                self._withdraw(connection, number, name, "its author was banned")
            self._record_action(connection, "ban", known.name, why)
        return [name for _, name in bots]

    def unban(self, author: str, why: str) -> str:
        """Lift the ban of an author; return the name.

        Raises:
            UserError: where there is none, or it is not banned.
        """
        with self.begin_write() as connection:
            known = self._require_author(connection, author)
            if not known.banned:
                raise UserError(f"{known.name} is not banned")
            connection.execute("UPDATE authors SET banned = FALSE WHERE id = ?", (known.id,))
            self._record_action(connection, "unban", known.name, why)
        return known.name

    @staticmethod
    def _require_author(connection: Connection, name: str) -> Author:
        """Return the author of this name; raise UserError if there is none."""
        row = connection.read_row(f"{SELECT_AUTHORS} WHERE folded = ?", (name.casefold(),))
        if row is None:
            raise UserError(f"there is no author called {name}")
        return Author(*row)

    def hide(self, bot: str, why: str) -> str:
        """Hide a bot's name; return the alias that is shown instead."""
        with self.begin_write() as connection:
            number, name = self._find_bot(connection, bot)
            self._record_action(connection, "hide", name, why)
            return self._hide(connection, number, name)

    @staticmethod
    def _hide(connection: Connection, number: int, name: str) -> str:
        """Hide a bot's name; return the alias that is shown instead."""
        connection.execute("UPDATE bots SET hidden = TRUE WHERE id = ?", (number,))
        add_command(connection, name, None, alias=format_alias(number))
        return format_alias(number)

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

    def forget(self, bot: str, why: str) -> UnusedFiles:
        """Withdraw a bot and forget its uploads; return the files to delete."""
        forget = "UPDATE submissions SET forgotten = TRUE, log = '', report = NULL WHERE bot = ?"
        uploads = (
            "SELECT sha256 FROM submissions WHERE bot = ?"
            " AND sha256 NOT IN (SELECT sha256 FROM submissions WHERE NOT forgotten)"
        )
        versions = (
            "SELECT version FROM submissions WHERE bot = ? AND version <> ''"
            " AND version NOT IN (SELECT version FROM submissions WHERE bot <> ?)"
        )
        with self.begin_write() as connection:
            number, name = self._find_bot(connection, bot)
            self._withdraw(connection, number, name, why)
            connection.execute(forget, (number,))
            self._hide(connection, number, name)
            self._record_action(connection, "forget", name, why)
            return UnusedFiles(
                name,
                {*connection.read_column(uploads, (number,))},
                {*connection.read_column(versions, (number, number))},
            )

    def list_actions(self) -> list[tuple[Any, ...]]:
        """Return the host's actions in order: the action, its object and the reason."""
        with self.begin_read() as connection:
            return connection.read_rows("SELECT what, whom, why FROM actions ORDER BY id")

    def list_authors(self) -> list[AuthorSummary]:
        """Return all authors with the names of their bots."""
        query = (
            "SELECT authors.id, authors.name, banned, bots.name FROM authors"
            " LEFT JOIN bots ON bots.author = authors.id ORDER BY authors.id, bots.id"
        )
        with self.begin_read() as connection:
            rows = connection.read_rows(query)
        return [
            AuthorSummary(name, bool(banned), [bot for *_, bot in group if bot])
            for (_, name, banned), group in groupby(rows, itemgetter(0, 1, 2))
        ]


def format_alias(number: int) -> str:
    """Return the public name of a bot whose name is hidden.

    >>> format_alias(17)
    'bot_17'
    """
    return f"bot_{number}"


def _read_command(row: Sequence[Any]) -> CoordinatorCommand:
    number, bot, entry, state, why, alias = row
    if alias:
        return AliasCommand(number, bot, alias)
    if entry:
        return EntryCommand(number, read(json.loads(entry), Entry))
    return WithdrawalCommand(number, bot, why, State(state))
