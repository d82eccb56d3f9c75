"""The database of a hill: authors and their tokens, bots, submissions, the host's actions.

The web server, the judge, the coordinator and the host share it.

Its queue of submissions retries attempts that came to no result, since the host failed (its
database, its disk, its sandbox) or the judge was killed. Neither says anything about the bot, so
nothing is counted against it: it waits longer with each such attempt, behind all others. One that
has seen several of them may itself be what kills the judge. It is judged alone, so that nobody
else's attempt is lost with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from enum import StrEnum
from hashlib import sha256
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from secrets import token_urlsafe
from time import time
from types import MappingProxyType
from typing import Any, Self

from attrs import field, frozen

from arena import UserError
from arena.host import NAME_PATTERN
from arena.rules import StorageError
from arena.tournament import State
from arena.tournament.commands import (
    AliasCommand,
    CoordinatorCommand,
    EntryCommand,
    WithdrawalCommand,
)
from arena.tournament.file import HillConfig, TournamentSpec
from arena.tournament.models import Entry
from arena.tournament.store.connection import Connection, DatabaseAddress, format_marks
from arena.tournament.store.database import Database
from arena.wires import dump, read
from arena_hill.db.schema import SCHEMA
from arena_hill.db.submissions import (
    BAD_NAME,
    JUDGED_STATES,
    MB,
    OPEN_STATES,
    SELECT_SUBMISSIONS,
    SELECT_UPLOADS,
    SUPERSEDED,
    JudgingState,
    StoredUpload,
    Submission,
    SubmissionDeniedError,
    add_command,
    check_quotas,
    count_today_by_author,
    find_or_create_bot,
    get_submission,
    measure_quota,
    read_row,
    set_submission_state,
    sum_stored_bytes,
)
from arena_hill.hill_paths import get_database_address

TOKEN_PREFIX = "arena_"  # noqa: S105  # so that a leaked token is found
TOKEN_BYTES = 32  # of chance in a key
INVITATION_SECONDS = 14 * 86400  # seconds that an invitation is good for
SESSION_SECONDS = 400 * 86400  # seconds that a session lasts: no browser keeps a cookie longer
USE_RESOLUTION_SECONDS = 3600.0  # seconds until it is noted again that a key was used
MAX_TOKENS = 20  # of an author
MAX_SESSIONS = 10  # of an author; a new one ends the oldest
INVITED_SOURCE = "invited"  # the source of an author for whom the host answers
REVOKED_MESSAGE = "your token was revoked while your request was under way: nothing has changed"

MAX_LOG_LENGTH = 20_000  # characters of a log
NO_COPIES: Mapping[str, int] = MappingProxyType({})

MAX_PAUSE_SECONDS = 600.0  # until a submission is tried again that came to no result
ALONE_AFTER_TRIES = 3  # without a result
HOST_PROBLEM = (
    "the hill has a problem of its own; your bot is checked again as soon as it is solved"
)
INTERRUPTED = "checking your bot was interrupted; it begins again shortly"

WITHDRAWN_BY_AUTHOR = "by its author"  # why a bot is withdrawn

SELECT_AUTHORS = "SELECT id, name, banned, source FROM authors"
NEWEST_FIRST = " ORDER BY submissions.id DESC"


class TooManyTokensError(UserError):
    """An author has reached the limit of tokens; the message says so in one line."""


class TokenRevokedError(UserError):
    """A token was revoked while its request was under way; the message says so in one line."""


class NameTakenError(UserError):
    """A name that belongs to another author; the message says so in one line."""


class TokenScope(StrEnum):
    """The permissions of a token."""

    SESSION = "session"  #: all that its author may, in a browser
    SUBMIT = "submit"  #: send and withdraw bots, and read
    READ = "read"  #: read what is the author's business


@frozen
class Principal:
    """The author of a request, with the scope of the token."""

    id: int
    name: str
    scope: TokenScope
    token: str = field(repr=False)  #: the stored hash of the token
    public: bool = False  #: do the standings show its name?

    @property
    def can_submit(self) -> bool:
        """Whether bots may be submitted and withdrawn with this token."""
        return self.scope is not TokenScope.READ


@frozen
class Token:
    """A token in its author's list; the secret itself is shown only once."""

    id: int
    scope: TokenScope
    label: str
    created: float  # seconds since 1970
    last_used: float | None


@frozen
class Author:
    """An author as it is stored."""

    id: int
    name: str
    banned: bool
    source: str  #: who answers for it


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


class HillConnection(Database):
    """A connection to the database of a hill."""

    schema = SCHEMA
    is_shared = True


@frozen
class HillDatabase:
    """The database of a hill; each transaction has a connection of its own, in any thread."""

    address: DatabaseAddress

    @classmethod
    def open(cls, address: str | Path) -> Self:
        """Open a hill's database, created if needed; raise UserError."""
        hill = cls(DatabaseAddress.of(address))
        with HillConnection(hill.address, write=True) as database:
            database.bring_up_to_date(create=True)
        return hill

    def check_writable(self) -> None:
        """Raise StorageError unless the database can be written now."""
        with self.begin_write() as connection:
            connection.execute("UPDATE alembic_version SET version_num = version_num")

    @contextmanager
    def begin_read(self) -> Iterator[Connection]:
        """Return a connection that reads one snapshot of the database."""
        database = HillConnection(self.address, write=False)
        with database, database.begin_read() as connection:
            yield connection

    @contextmanager
    def begin_write(self) -> Iterator[Connection]:
        """Return a connection with a write transaction, which waits for the one before."""
        database = HillConnection(self.address, write=True)
        with database, database.begin_write() as connection:
            yield connection

    def invite(self, name: str) -> str:
        """Create an invitation for an author of this name; return its secret, valid once.

        Raises:
            UserError: where it is no name, or of an author who is banned.
            NameTakenError: where somebody has it for whom the host does not answer.
        """
        if not re.fullmatch(NAME_PATTERN, name):
            raise UserError(BAD_NAME.format(name))
        secret = token_urlsafe(TOKEN_BYTES)
        insert = "INSERT INTO invitations (hash, name, made) VALUES (?, ?, ?)"
        with self.begin_write() as connection:
            author = self._find_author(connection, name, INVITED_SOURCE)
            if author is not None and author.banned:
                raise UserError(f"{author.name} is banned: run `arena hill unban` first")
            connection.execute(insert, (hash_secret(secret), name, time()))
        return secret

    def find_invited_name(self, secret: str) -> str | None:
        """Return the author's name in an invitation; None if it is unknown, used or expired."""
        with self.begin_read() as connection:
            return self._find_invited_name(connection, secret)

    @staticmethod
    def _find_invited_name(connection: Connection, secret: str) -> str | None:
        query = "SELECT name FROM invitations WHERE hash = ? AND used IS NULL AND made > ?"
        values = (hash_secret(secret), time() - INVITATION_SECONDS)
        name: str | None = connection.read_value(query, values)
        return name

    def join(self, secret: str) -> str | None:
        """Accept an invitation; return the token of a session, or None if it is not valid.

        Raises:
            NameTakenError: if another author has taken the name meanwhile.
        """
        with self.begin_write() as connection:
            name = self._find_invited_name(connection, secret)
            if name is None:
                return None
            update = "UPDATE invitations SET used = ? WHERE hash = ?"
            connection.execute(update, (time(), hash_secret(secret)))
            return self._create_session(connection, name, INVITED_SOURCE)

    def sign_in(self, name: str, source: str = INVITED_SOURCE) -> str | None:
        """Return the token of a new session for the author of an account at a provider.

        None where the author is banned.

        Raises:
            UserError: where it is no name.
            NameTakenError: where another source answers for the author of this name.
        """
        if not re.fullmatch(NAME_PATTERN, name):
            raise UserError(BAD_NAME.format(name))
        with self.begin_write() as connection:
            return self._create_session(connection, name, source)

    def _create_session(self, connection: Connection, name: str, source: str) -> str | None:
        """Return the token of a session for a perhaps new author; None if banned."""
        old = (str(TokenScope.SESSION), time() - SESSION_SECONDS)
        connection.execute("DELETE FROM keys WHERE scope = ? AND made < ?", old)
        author = self._find_author(connection, name, source)
        if author is not None and author.banned:
            return None
        if author is not None:
            self._end_old_sessions(connection, author.id)
            return self._create_token(connection, author.id, TokenScope.SESSION, "browser")
        (number,) = connection.read_column(
            "INSERT INTO authors (name, folded, joined, source) VALUES (?, ?, ?, ?) RETURNING id",
            (name, name.casefold(), time(), source),
        )
        return self._create_token(connection, number, TokenScope.SESSION, "browser")

    @staticmethod
    def _find_author(connection: Connection, name: str, source: str) -> Author | None:
        """Return the author of an account or a name; raise NameTakenError if it is another's."""
        if source != INVITED_SOURCE:  # an account stays whose it is, however it is called by now
            row = connection.read_row(f"{SELECT_AUTHORS} WHERE source = ?", (source,))
            if row is not None:
                return Author(*row)
        row = connection.read_row(f"{SELECT_AUTHORS} WHERE folded = ?", (name.casefold(),))
        if row is None:
            return None
        author = Author(*row)
        if author.source != source:
            raise NameTakenError(
                f"the name {author.name} belongs to an author who joined in another way"
            )
        return author

    @staticmethod
    def _end_old_sessions(connection: Connection, author: int) -> None:
        """End the oldest sessions of an author, so that there is room for a new one."""
        mine = "SELECT id FROM keys WHERE author = ? AND scope = ? ORDER BY id DESC"
        sessions = connection.read_column(mine, (author, str(TokenScope.SESSION)))
        old = [(number,) for number in sessions[MAX_SESSIONS - 1 :]]
        connection.execute_many("DELETE FROM keys WHERE id = ?", old)

    def identify(self, key: str) -> Principal | None:
        """Return the author whom a token identifies; None if it is unknown or has expired."""
        query = (
            "SELECT keys.id, author, name, scope, hash, public, used"
            " FROM keys JOIN authors ON authors.id = keys.author"
            " WHERE hash = ? AND NOT banned AND (scope <> ? OR made > ?)"
        )
        values = (hash_secret(key), str(TokenScope.SESSION), time() - SESSION_SECONDS)
        with self.begin_read() as connection:
            row = connection.read_row(query, values)
        if row is None:
            return None
        number, author, name, scope, secret, public, used = row
        if (used or 0.0) < time() - USE_RESOLUTION_SECONDS:
            with suppress(StorageError), self.begin_write() as connection:  # pages can be read
                connection.execute("UPDATE keys SET used = ? WHERE id = ?", (time(), number))
        return Principal(author, name, TokenScope(scope), secret, bool(public))

    @contextmanager
    def begin_write_as(self, author: Principal) -> Iterator[Connection]:
        """Return a connection with a write transaction for an act of an author.

        A ban or a revoked token thus counts at once, also for a request whose body was still coming
        when it was made.

        Raises:
            TokenRevokedError: if the token was revoked since its author was identified.
        """
        with self.begin_write() as connection:  # a ban deletes all tokens of its author
            if connection.read_row("SELECT id FROM keys WHERE hash = ?", (author.token,)) is None:
                raise TokenRevokedError(REVOKED_MESSAGE)
            yield connection

    def set_author_visibility(self, author: Principal, *, public: bool) -> None:
        """Show or hide an author's name beside its bots in the standings."""
        with self.begin_write_as(author) as connection:
            connection.execute("UPDATE authors SET public = ? WHERE id = ?", (public, author.id))

    def create_token(self, author: Principal, scope: TokenScope, label: str) -> str:
        """Create a token for an author and return it; raise TooManyTokensError at the limit."""
        with self.begin_write_as(author) as connection:
            mine = "SELECT COUNT(*) FROM keys WHERE author = ?"
            if connection.read_value(mine, (author.id,)) >= MAX_TOKENS:
                raise TooManyTokensError(
                    f"you have reached the limit of {MAX_TOKENS} tokens and sessions: revoke one"
                )
            return self._create_token(connection, author.id, scope, label)

    @staticmethod
    def _create_token(connection: Connection, author: int, scope: TokenScope, label: str) -> str:
        key = TOKEN_PREFIX + token_urlsafe(TOKEN_BYTES)
        connection.execute(
            "INSERT INTO keys (hash, author, scope, label, made) VALUES (?, ?, ?, ?, ?)",
            (hash_secret(key), author, str(scope), label[:80], time()),
        )
        return key

    def list_tokens(self, author: int) -> list[Token]:
        """Return an author's tokens, the oldest first."""
        query = "SELECT id, scope, label, made, used FROM keys WHERE author = ? ORDER BY id"
        with self.begin_read() as connection:
            rows = connection.read_rows(query, (author,))
        return [Token(number, TokenScope(scope), *rest) for number, scope, *rest in rows]

    def revoke_token(self, author: Principal, number: int) -> bool:
        """Revoke one of an author's tokens; return whether it existed."""
        delete = "DELETE FROM keys WHERE author = ? AND id = ?"
        with self.begin_write_as(author) as connection:
            return bool(connection.execute(delete, (author.id, number)).rowcount)

    def end_session(self, key: str) -> None:
        """End the session with this token."""
        with self.begin_write() as connection:
            connection.execute("DELETE FROM keys WHERE hash = ?", (hash_secret(key),))

    def submit(  # all of it is one upload
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
        with self.begin_write_as(author) as connection:
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
            check_quotas(connection, author.id, number, size, config, copies=copies)
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

    def list_open(self) -> list[int]:
        """Return the numbers of the submissions in progress, in order."""
        query = f"SELECT id FROM submissions WHERE state IN ({format_marks(OPEN_STATES)})"
        with self.begin_read() as connection:
            return connection.read_column(f"{query} ORDER BY id", [*map(str, OPEN_STATES)])

    def list_versions(self, states: Collection[JudgingState] = ()) -> set[str]:
        """Return the versions of submissions, of those in these states if any are named."""
        query = "SELECT DISTINCT version FROM submissions WHERE version <> ?"
        if states:
            query += f" AND state IN ({format_marks([*states])})"
        with self.begin_read() as connection:
            return {*connection.read_column(query, ("", *map(str, states)))}

    def expire(self, before: float, current: Collection[str]) -> None:
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
            kept = sum_stored_bytes(connection, author, copies)
            each = {name: measure_quota(connection, number, config) for number, name in mine}
        return {
            "bots": {"used": len(mine), "allowed": config.bots},
            "uploads_mb": {"used": round(kept / MB, 1), "allowed": config.uploads_mb},
            "submissions": {
                name: {
                    "used": used,
                    "allowed": config.submissions,
                    "more_in": round(wait),
                }
                for name, (used, wait) in each.items()
            },
        }

    def set_state(self, number: int, state: JudgingState, why: str = "", **known: Any) -> bool:
        """Set the state of a submission, with its `log`, `report` or `version` once known.

        Returns whether it was still at work: one that was withdrawn meanwhile stays so.
        """
        if known.get("report") is not None:
            known["report"] = dump(known["report"])
        if "log" in known:
            known["log"] = known["log"][-MAX_LOG_LENGTH:]
        with self.begin_write() as connection:
            return set_submission_state(connection, number, state, why, **known)

    def accept(self, number: int, entry: Entry) -> bool:
        """Accept a submission; return whether it was still in progress."""
        with self.begin_write() as connection:
            if not set_submission_state(
                connection, number, JudgingState.ACCEPTED, version=entry.version
            ):
                return False
            add_command(connection, entry.name, entry)
            return True

    def peek(self, later: Collection[int] = ()) -> Submission | None:
        """Return the submission to judge next, or None.

        Those of `later` had a turn, and come behind all who had none. No author has two at once.
        """
        with self.begin_read() as connection:
            return self._find_next(connection, later)

    def take(self, later: Collection[int] = ()) -> Submission | None:
        """Take the next submission from the queue, if there is one."""
        with self.begin_write() as connection:
            submission = self._find_next(connection, later)
            if submission is None:
                return None
            set_submission_state(connection, submission.id, JudgingState.UNPACKING)
            return get_submission(connection, submission.id)

    def _find_next(self, connection: Connection, later: Collection[int]) -> Submission | None:
        busy = (
            "SELECT author FROM submissions JOIN bots ON bots.id = submissions.bot"
            f" WHERE state IN ({format_marks(JUDGED_STATES)})"
        )
        waiting = f"{SELECT_SUBMISSIONS} WHERE state = ? AND bots.author NOT IN ({busy})"
        values = (str(JudgingState.QUEUED), *map(str, JUDGED_STATES))
        rows = connection.read_rows(waiting + NEWEST_FIRST, values)
        due = [*filter(self._is_due, map(read_row, rows))]
        if not due:
            return None
        sent = count_today_by_author(connection)

        def rank(submission: Submission) -> tuple[bool, bool, int, int, int]:
            interrupted = submission.id in later
            today = sent.get(submission.author, 0)
            return is_suspect(submission), interrupted, submission.tries, today, submission.id

        return min(due, key=rank)

    @staticmethod
    def _is_due(submission: Submission) -> bool:
        waited = time() - submission.state_since  # below 0, where somebody has set the clock back
        return not 0.0 <= waited < compute_pause_seconds(submission.tries)

    def retry(self, number: int, why: str) -> None:
        """Queue a submission again whose attempt failed through no fault of its own."""
        with self.begin_write() as connection:
            self._retry(connection, number, why)

    def recover(self) -> int:
        """Queue the submissions again that a killed judge was judging; return their number.

        Whether one of them has killed it nobody knows, so that it is no reason to reject any.
        """
        query = f"SELECT id FROM submissions WHERE state IN ({format_marks(JUDGED_STATES)})"
        with self.begin_write() as connection:
            left = connection.read_column(query, [*map(str, JUDGED_STATES)])
            for number in left:
                self._retry(connection, number, INTERRUPTED)
            return len(left)

    @staticmethod
    def _retry(connection: Connection, number: int, why: str) -> None:
        tries = get_submission(connection, number).tries + 1
        set_submission_state(connection, number, JudgingState.QUEUED, why, tries=tries)

    def withdraw(self, bot: str, why: str) -> None:
        """Withdraw a bot for the host, and all of its submissions that are still in progress."""
        with self.begin_write() as connection:
            number, name = self._find_bot(connection, bot)
            self._withdraw(connection, number, name, why)
            self._record_action(connection, "withdraw", name, why)

    def withdraw_own(self, author: Principal, bot: str) -> None:
        """Withdraw a bot for its author, likewise; raise TokenRevokedError."""
        with self.begin_write_as(author) as connection:
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
        with self.begin_write_as(author) as connection:
            connection.execute(update, (public, bot.casefold()))

    def set_submission_visibility(self, author: Principal, number: int, *, public: bool) -> None:
        """Make the source of one submission public, whichever version takes part, or undo that."""
        with self.begin_write_as(author) as connection:
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
        forget = "UPDATE submissions SET forgotten = TRUE, log = '' WHERE bot = ?"
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


def hash_secret(secret: str) -> str:
    """Return the stored hash of a secret: with 256 random bits nobody can search for it."""
    return sha256(secret.encode()).hexdigest()


def format_alias(number: int) -> str:
    """Return the public name of a bot whose name is hidden.

    >>> format_alias(17)
    'bot_17'
    """
    return f"bot_{number}"


def is_suspect(submission: Submission) -> bool:
    """Whether a submission may have killed the judge, so that it is judged alone."""
    return submission.tries >= ALONE_AFTER_TRIES


def compute_pause_seconds(tries: int) -> float:
    """Return the seconds to wait after so many attempts without a result.

    >>> [compute_pause_seconds(tries) for tries in (0, 1, 2, 9, 2000)]
    [0.0, 2.0, 4.0, 512.0, 600.0]
    """
    return min(MAX_PAUSE_SECONDS, 2.0 ** min(tries, 20)) if tries else 0.0


def _read_command(row: Sequence[Any]) -> CoordinatorCommand:
    number, bot, entry, state, why, alias = row
    if alias:
        return AliasCommand(number, bot, alias)
    if entry:
        return EntryCommand(number, read(json.loads(entry), Entry))
    return WithdrawalCommand(number, bot, why, State(state))
