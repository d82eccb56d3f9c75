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
from pathlib import Path
from secrets import token_urlsafe
from time import time
from types import MappingProxyType
from typing import Any, Self

from attrs import field, frozen
from sqlalchemy import Connection, Row, delete, func, insert, select, update

from arena import UserError
from arena.host import NAME_PATTERN
from arena.rules import StorageError
from arena.tournament import State
from arena.tournament.file import HillConfig, TournamentSpec
from arena.tournament.models import CoordinatorCommand, Entry
from arena.tournament.store.old_database import DatabaseAddress
from arena.wires import dump, read
from arena_hill.db.schema import (
    SCHEMA,
    actions,
    authors,
    bots,
    invitations,
    keys,
    orders,
    submissions,
)
from arena_hill.db.submissions import (
    BAD_NAME,
    JUDGED_STATES,
    MB,
    OPEN_STATES,
    SUPERSEDED,
    JudgingState,
    Submission,
    SubmissionDeniedError,
    add_command,
    check_quotas,
    count_today_by_author,
    find_or_create_bot,
    get_submission,
    measure_quota,
    read_row,
    select_submissions,
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
class HillDatabase:
    """The database of a hill; each query opens its own connection, so any thread may use it."""

    address: DatabaseAddress

    @classmethod
    def open(cls, address: str | Path) -> Self:
        """Open a hill's database, created if needed; raise UserError."""
        opened = cls(DatabaseAddress.of(address))
        with opened._connect(write=True) as connection, connection.begin():
            found = SCHEMA.find_revision(connection, opened.address.shown)
            if found is None:
                SCHEMA.create_tables(connection)
            elif found != SCHEMA.newest:
                from arena.tournament.store.old_database import upgrade  # slow, and seldom needed

                upgrade(connection, Path(__file__).with_name("migrations"))
        return opened

    def check_writable(self) -> None:
        """Raise StorageError unless the database can be written now."""
        with self.begin_write():
            pass  # the row of the revision is written, as it is

    @contextmanager
    def begin_read(self) -> Iterator[Connection]:
        """Return a connection that reads one snapshot of the database."""
        with self._connect(write=False) as connection, connection.begin():
            yield connection

    @contextmanager
    def begin_write(self) -> Iterator[Connection]:
        """Return a connection with a write transaction.

        Writers come one after the other: each first takes the row of the revision, on either
        kind of database, so that what it reads then nobody else changes.
        """
        with self._connect(write=True) as connection, connection.begin():
            SCHEMA.lock_revision(connection)
            yield connection

    @contextmanager
    def _connect(self, *, write: bool) -> Iterator[Connection]:
        with self.address.translate_errors(), self.address.connect() as connection:
            if write and self.address.path:
                raw: Any = connection.connection.driver_connection
                raw.execute("PRAGMA query_only = OFF")
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
        row = {"hash": hash_secret(secret), "name": name, "made": time()}
        with self.begin_write() as connection:
            known = self._find_author(connection, name, INVITED_SOURCE)
            if known is not None and known.banned:
                raise UserError(f"{known.name} is banned: run `arena hill unban` first")
            connection.execute(insert(invitations).values(row))
        return secret

    def find_invited_name(self, secret: str) -> str | None:
        """Return the author's name in an invitation; None if it is unknown, used or expired."""
        with self.begin_read() as connection:
            return self._find_invited_name(connection, secret)

    @staticmethod
    def _find_invited_name(connection: Connection, secret: str) -> str | None:
        asked = select(invitations.c.name).where(
            invitations.c.hash == hash_secret(secret),
            invitations.c.used.is_(None),
            invitations.c.made > time() - INVITATION_SECONDS,
        )
        return connection.scalar(asked)

    def join(self, secret: str) -> str | None:
        """Accept an invitation; return the token of a session, or None if it is not valid.

        Raises:
            NameTakenError: if another author has taken the name meanwhile.
        """
        with self.begin_write() as connection:
            name = self._find_invited_name(connection, secret)
            if name is None:
                return None
            used = update(invitations).where(invitations.c.hash == hash_secret(secret))
            connection.execute(used.values(used=time()))
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
        old = (keys.c.scope == str(TokenScope.SESSION)) & (keys.c.made < time() - SESSION_SECONDS)
        connection.execute(delete(keys).where(old))
        row = self._find_author(connection, name, source)
        if row is None:
            values = {"name": name, "folded": name.casefold(), "joined": time(), "source": source}
            made = connection.execute(insert(authors).values(values).returning(authors.c.id))
            return self._create_token(connection, made.scalar_one(), TokenScope.SESSION, "browser")
        if row.banned:
            return None
        self._end_old_sessions(connection, row.id)
        return self._create_token(connection, row.id, TokenScope.SESSION, "browser")

    @staticmethod
    def _find_author(
        connection: Connection, name: str, source: str
    ) -> Row[tuple[object, ...]] | None:
        """Return the author of an account or a name; raise NameTakenError if it is another's."""
        if source != INVITED_SOURCE:  # an account stays whose it is, however it is called by now
            account = connection.execute(select(authors).where(authors.c.source == source))
            if (row := account.one_or_none()) is not None:
                return row
        named = select(authors).where(authors.c.folded == name.casefold())
        row = connection.execute(named).one_or_none()
        if row is not None and row.source != source:
            raise NameTakenError(
                f"the name {row.name} belongs to an author who joined in another way"
            )
        return row

    @staticmethod
    def _end_old_sessions(connection: Connection, author: int) -> None:
        """End the oldest sessions of an author, so that there is room for a new one."""
        mine = select(keys.c.id).where(
            keys.c.author == author, keys.c.scope == str(TokenScope.SESSION)
        )
        old = connection.scalars(mine.order_by(keys.c.id.desc()).offset(MAX_SESSIONS - 1)).all()
        connection.execute(delete(keys).where(keys.c.id.in_(old)))

    def identify(self, key: str) -> Principal | None:
        """Return the author whom a token identifies; None if it is unknown or has expired."""
        session = keys.c.scope == str(TokenScope.SESSION)
        asked = select(keys, authors.c.name, authors.c.public).join_from(keys, authors)
        good = asked.where(
            keys.c.hash == hash_secret(key),
            ~authors.c.banned,
            ~session | (keys.c.made > time() - SESSION_SECONDS),
        )
        with self.begin_read() as connection:
            row = connection.execute(good).one_or_none()
        if row is None:
            return None
        if (row.used or 0.0) < time() - USE_RESOLUTION_SECONDS:
            with (
                suppress(StorageError),
                self.begin_write() as connection,
            ):  # pages can be read still
                used = update(keys).where(keys.c.id == row.id)
                connection.execute(used.values(used=time()))
        return Principal(row.author, row.name, TokenScope(row.scope), row.hash, row.public)

    @contextmanager
    def begin_write_as(self, author: Principal) -> Iterator[Connection]:
        """Return a connection with a write transaction for an act of an author.

        A ban or a revoked token thus counts at once, also for a request whose body was still coming
        when it was made.

        Raises:
            TokenRevokedError: if the token was revoked since its author was identified.
        """
        with self.begin_write() as connection:
            kept = select(func.count()).where(keys.c.hash == author.token)
            if not connection.scalar(kept):  # a ban deletes all tokens of its author
                raise TokenRevokedError(REVOKED_MESSAGE)
            yield connection

    def set_author_visibility(self, author: Principal, *, public: bool) -> None:
        """Show or hide an author's name beside its bots in the standings."""
        with self.begin_write_as(author) as connection:
            known = update(authors).where(authors.c.id == author.id)
            connection.execute(known.values(public=public))

    def create_token(self, author: Principal, scope: TokenScope, label: str) -> str:
        """Create a token for an author and return it; raise TooManyTokensError at the limit."""
        with self.begin_write_as(author) as connection:
            mine = select(func.count()).where(keys.c.author == author.id)
            if (connection.scalar(mine) or 0) >= MAX_TOKENS:
                raise TooManyTokensError(
                    f"you have reached the limit of {MAX_TOKENS} tokens and sessions: revoke one"
                )
            return self._create_token(connection, author.id, scope, label)

    @staticmethod
    def _create_token(connection: Connection, author: int, scope: TokenScope, label: str) -> str:
        key = TOKEN_PREFIX + token_urlsafe(TOKEN_BYTES)
        values = {
            "hash": hash_secret(key),
            "author": author,
            "scope": str(scope),
            "label": label[:80],
            "made": time(),
        }
        connection.execute(insert(keys).values(values))
        return key

    def list_tokens(self, author: int) -> list[Token]:
        """Return an author's tokens, the oldest first."""
        mine = select(keys).where(keys.c.author == author).order_by(keys.c.id)
        with self.begin_read() as connection:
            return [
                Token(row.id, TokenScope(row.scope), row.label, row.made, row.used)
                for row in connection.execute(mine)
            ]

    def revoke_token(self, author: Principal, number: int) -> bool:
        """Revoke one of an author's tokens; return whether it existed."""
        with self.begin_write_as(author) as connection:
            own = (keys.c.author == author.id) & (keys.c.id == number)
            return bool(connection.execute(delete(keys).where(own)).rowcount)

    def end_session(self, key: str) -> None:
        """End the session with this token."""
        with self.begin_write() as connection:
            connection.execute(delete(keys).where(keys.c.hash == hash_secret(key)))

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
            good = submissions.c.state.in_([*map(str, OPEN_STATES), str(JudgingState.ACCEPTED)])
            asked = select_submissions().where(bots.c.id == number, good).limit(1)
            if last := connection.execute(asked).one_or_none():
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
            values = {
                "bot": number, "sha256": sha256, "size": size, "state": str(JudgingState.QUEUED),
                "why": "", "version": "", "log": "", "received": now, "moved": now, "tries": 0,
            }  # fmt: skip
            made = connection.execute(
                insert(submissions).values(values).returning(submissions.c.id)
            )
            return get_submission(connection, made.scalar_one()), True

    @staticmethod
    def _is_current(before: Submission, gone: Collection[str]) -> bool:
        """Whether a submission is being processed, or its bot takes part."""
        return before.state in OPEN_STATES or (
            before.state is JudgingState.ACCEPTED and before.entrant not in gone
        )

    def find_submission(self, number: int) -> Submission | None:
        """Return a submission by its number, or None."""
        with self.begin_read() as connection:
            row = connection.execute(
                select_submissions().where(submissions.c.id == number)
            ).one_or_none()
        return read_row(row) if row else None

    def list_submissions(
        self, *, author: int | None = None, bot: str | None = None,
        states: Collection[JudgingState] | None = None, numbers: Collection[int] | None = None,
        limit: int | None = None,
    ) -> list[Submission]:  # fmt: skip
        """Return submissions, the newest first, filtered by author, bot, states or numbers."""
        asked = select_submissions().limit(limit)
        if numbers is not None:
            asked = asked.where(submissions.c.id.in_(numbers))
        if author is not None:
            asked = asked.where(bots.c.author == author)
        if bot is not None:
            asked = asked.where(bots.c.folded == bot.casefold())
        if states is not None:
            asked = asked.where(submissions.c.state.in_([str(state) for state in states]))
        with self.begin_read() as connection:
            return [read_row(row) for row in connection.execute(asked)]

    def list_open(self) -> list[int]:
        """Return the numbers of the submissions in progress, in order."""
        asked = select(submissions.c.id).where(submissions.c.state.in_([*map(str, OPEN_STATES)]))
        with self.begin_read() as connection:
            return [*connection.scalars(asked.order_by(submissions.c.id))]

    def expire(self, before: float, current: Collection[str]) -> None:
        """Delete the data of old submissions that are finished and not in, except their results.

        Its upload can be deleted; its log and its report go. `current` are the ids of the entrants
        that are in, or wait for a place.
        """
        asked = select_submissions().where(
            submissions.c.received < before, ~submissions.c.forgotten
        )
        with self.begin_write() as connection:
            found = [read_row(row) for row in connection.execute(asked)]
            old = [
                submission.id
                for submission in found
                if submission.state not in OPEN_STATES and submission.entrant not in current
            ]
            changed = update(submissions).where(submissions.c.id.in_(old))
            connection.execute(changed.values(forgotten=True, log="", report=None))

    def list_uploads(self) -> set[str]:
        """Return the SHA-256 of all stored uploads."""
        with self.begin_read() as connection:
            asked = select(submissions.c.sha256).where(~submissions.c.forgotten)
            return {*connection.scalars(asked)}

    def measure_usage(
        self, author: int, config: HillConfig, copies: Mapping[str, int] = NO_COPIES
    ) -> Mapping[str, Any]:
        """Return an author's quotas: used, allowed, and for each bot when more is."""
        with self.begin_read() as connection:
            mine = connection.execute(select(bots).where(bots.c.author == author)).all()
            kept = sum_stored_bytes(connection, author, copies)
            each = {row.name: measure_quota(connection, row.id, config) for row in mine}
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
        busy = select(bots.c.author).join_from(submissions, bots)
        busy = busy.where(submissions.c.state.in_([*map(str, JUDGED_STATES)]))
        waiting = select_submissions().where(
            submissions.c.state == str(JudgingState.QUEUED), bots.c.author.not_in(busy)
        )
        due = [*filter(self._is_due, map(read_row, connection.execute(waiting)))]
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
        with self.begin_write() as connection:
            asked = select(submissions.c.id).where(
                submissions.c.state.in_([*map(str, JUDGED_STATES)])
            )
            left = [*connection.scalars(asked)]
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
            row = self._find_bot(connection, bot)
            self._withdraw(connection, row.id, row.name, why)
            self._record_action(connection, "withdraw", row.name, why)

    def withdraw_own(self, author: Principal, bot: str) -> None:
        """Withdraw a bot for its author, likewise; raise TokenRevokedError."""
        with self.begin_write_as(author) as connection:
            row = self._find_bot(connection, bot)
            self._withdraw(connection, row.id, row.name, WITHDRAWN_BY_AUTHOR)

    @staticmethod
    def _find_bot(connection: Connection, bot: str) -> Row[tuple[object, ...]]:
        """Return the bot of this name, or of the alias that is shown for it; raise UserError."""
        rows = connection.execute(
            select(bots).where((bots.c.folded == bot.casefold()) | bots.c.hidden)
        )
        names = {alias: row for row in rows for alias in (row.folded, format_alias(row.id))}
        row = names.get(bot.casefold())
        if row is None:
            raise UserError(f"there is no bot called {bot}")
        return row

    @staticmethod
    def _withdraw(connection: Connection, number: int, name: str, why: str) -> None:
        """Withdraw a bot with all of its submissions in progress or in the tournament."""
        going = update(submissions).where(
            submissions.c.bot == number,
            submissions.c.state.in_([*map(str, OPEN_STATES), str(JudgingState.ACCEPTED)]),
        )
        connection.execute(going.values(state=str(JudgingState.WITHDRAWN), why=why, moved=time()))
        add_command(connection, name, None, state=State.WITHDRAWN, why=why)

    @staticmethod
    def _record_action(connection: Connection, what: str, whom: str, why: str) -> None:
        values = {"at": time(), "what": what, "whom": whom, "why": why}
        connection.execute(insert(actions).values(values))

    def find_owner(self, bot: str) -> int | None:
        """Return the id of a bot's author; None if there is no such bot."""
        with self.begin_read() as connection:
            return connection.scalar(select(bots.c.author).where(bots.c.folded == bot.casefold()))

    def set_source_visibility(self, author: Principal, bot: str, *, public: bool) -> None:
        """Make the source of a bot's version that takes part public, or private again."""
        with self.begin_write_as(author) as connection:
            named = update(bots).where(bots.c.folded == bot.casefold())
            connection.execute(named.values(public=public))

    def set_submission_visibility(self, author: Principal, number: int, *, public: bool) -> None:
        """Make the source of one submission public, whichever version takes part, or undo that."""
        with self.begin_write_as(author) as connection:
            sent = update(submissions).where(submissions.c.id == number)
            connection.execute(sent.values(opened=public))

    def fetch(self, after: int) -> list[CoordinatorCommand]:
        """Return the commands to the coordinator after this number, in order."""
        asked = select(orders).where(orders.c.number > after).order_by(orders.c.number)
        with self.begin_read() as connection:
            return [
                CoordinatorCommand(
                    row.number,
                    row.bot,
                    read(json.loads(row.entry), Entry) if row.entry else None,
                    State(row.state),
                    row.why,
                    row.alias,
                )
                for row in connection.execute(asked)
            ]

    def get_last_command(self) -> int:
        """Return the number of the last command to the coordinator, or 0."""
        with self.begin_read() as connection:
            return connection.scalar(select(func.max(orders.c.number))) or 0

    def ban(self, author: str, why: str) -> list[str]:
        """Revoke an author's tokens and withdraw all of its bots; return their names."""
        with self.begin_write() as connection:
            row = self._require_author(connection, author)
            banned = update(authors).where(authors.c.id == row.id)
            connection.execute(banned.values(banned=True))
            connection.execute(delete(keys).where(keys.c.author == row.id))
            mine = connection.execute(select(bots).where(bots.c.author == row.id)).all()
            for bot in mine:
                self._withdraw(connection, bot.id, bot.name, "its author was banned")
            self._record_action(connection, "ban", row.name, why)
            return [bot.name for bot in mine]

    def unban(self, author: str, why: str) -> str:
        """Lift the ban of an author; return the name.

        Raises:
            UserError: where there is none, or it is not banned.
        """
        with self.begin_write() as connection:
            row = self._require_author(connection, author)
            if not row.banned:
                raise UserError(f"{row.name} is not banned")
            known = update(authors).where(authors.c.id == row.id)
            connection.execute(known.values(banned=False))
            self._record_action(connection, "unban", row.name, why)
            return str(row.name)

    @staticmethod
    def _require_author(connection: Connection, name: str) -> Row[tuple[object, ...]]:
        """Return the author of this name; raise UserError if there is none."""
        asked = select(authors).where(authors.c.folded == name.casefold())
        row = connection.execute(asked).one_or_none()
        if row is None:
            raise UserError(f"there is no author called {name}")
        return row

    def hide(self, bot: str, why: str) -> str:
        """Hide a bot's name; return the alias that is shown instead."""
        with self.begin_write() as connection:
            row = self._find_bot(connection, bot)
            self._record_action(connection, "hide", row.name, why)
            return self._hide(connection, row.id, row.name)

    @staticmethod
    def _hide(connection: Connection, number: int, name: str) -> str:
        """Hide a bot's name; return the alias that is shown instead."""
        connection.execute(update(bots).where(bots.c.id == number).values(hidden=True))
        add_command(connection, name, None, alias=format_alias(number))
        return format_alias(number)

    def list_aliases(self) -> dict[str, str]:
        """Return the public names of the bots whose names are hidden, by their names."""
        with self.begin_read() as connection:
            rows = connection.execute(select(bots).where(bots.c.hidden)).all()
        return {row.name: format_alias(row.id) for row in rows}

    def list_public_authors(self) -> dict[str, str]:
        """Return the names of authors who agreed to be shown, by the names of their bots."""
        shown = authors.c.public & ~authors.c.banned & ~bots.c.hidden
        asked = select(bots.c.name, authors.c.name.label("author")).join_from(bots, authors)
        with self.begin_read() as connection:
            rows = connection.execute(asked.where(shown).order_by(bots.c.id)).all()
        return {row.name: row.author for row in rows}

    def forget(self, bot: str, why: str) -> UnusedFiles:
        """Withdraw a bot and forget its uploads; return the files to delete."""
        with self.begin_write() as connection:
            row = self._find_bot(connection, bot)
            self._withdraw(connection, row.id, row.name, why)
            mine = submissions.c.bot == row.id
            connection.execute(update(submissions).where(mine).values(forgotten=True, log=""))
            self._hide(connection, row.id, row.name)
            self._record_action(connection, "forget", row.name, why)
            kept = select(submissions.c.sha256).where(~submissions.c.forgotten)
            gone = select(submissions.c.sha256).where(mine, submissions.c.sha256.not_in(kept))
            others = select(submissions.c.version).where(~mine)
            built = select(submissions.c.version).where(
                mine, submissions.c.version != "", submissions.c.version.not_in(others)
            )
            return UnusedFiles(row.name, {*connection.scalars(gone)}, {*connection.scalars(built)})

    def list_actions(self) -> list[tuple[str, str, str]]:
        """Return the host's actions in order: the action, its object and the reason."""
        asked = select(actions.c.what, actions.c.whom, actions.c.why).order_by(actions.c.id)
        with self.begin_read() as connection:
            return [(row.what, row.whom, row.why) for row in connection.execute(asked)]

    def list_authors(self) -> list[AuthorSummary]:
        """Return all authors with the names of their bots."""
        asked = select(authors, bots.c.name.label("bot")).join_from(authors, bots, isouter=True)
        with self.begin_read() as connection:
            rows = connection.execute(asked.order_by(authors.c.id, bots.c.id)).all()
        found: dict[int, list[str]] = {}
        for row in rows:
            found.setdefault(row.id, []).extend([row.bot] if row.bot else [])
        known = {row.id: row for row in rows}
        return [
            AuthorSummary(known[author].name, known[author].banned, mine)
            for author, mine in found.items()
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
