"""Authors, their invitations, tokens and sessions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from hashlib import sha256
from secrets import token_urlsafe
from time import time

from attrs import field, frozen
from sqlalchemy import Connection, Row, delete, func, insert, select, update

from arena import UserError
from arena.extend import StorageError
from arena.host import NAME_PATTERN
from arena_hill.db.database import BaseDatabase
from arena_hill.db.schema import authors, invitations, keys

TOKEN_PREFIX = "arena_"  # noqa: S105  # so that a leaked token is found
TOKEN_BYTES = 32  # of chance in a key
INVITATION_SECONDS = 14 * 86400  # seconds that an invitation is good for
SESSION_SECONDS = 400 * 86400  # seconds that a session lasts: no browser keeps a cookie longer
USE_RESOLUTION_SECONDS = 3600.0  # seconds until it is noted again that a key was used
MAX_TOKENS = 20  # of an author
MAX_SESSIONS = 10  # of an author; a new one ends the oldest
INVITED_SOURCE = "invited"  # the source of an author for whom the host answers
REVOKED_MESSAGE = "your token was revoked while your request was under way: nothing has changed"
BAD_NAME = "{!r} cannot be a name: use 1 to 32 letters, digits and underscores"


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
class Identity:
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


class AuthorDatabase(BaseDatabase):
    """The tables of authors, invitations and tokens."""

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
            known = _find_author(connection, name, INVITED_SOURCE)
            if known is not None and known.banned:
                raise UserError(f"{known.name} is banned: run `arena hill unban` first")
            connection.execute(insert(invitations).values(row))
        return secret

    def find_invited_name(self, secret: str) -> str | None:
        """Return the author's name in an invitation; None if it is unknown, used or expired."""
        with self.begin_read() as connection:
            return _find_invited_name(connection, secret)

    def join(self, secret: str) -> str | None:
        """Accept an invitation; return the token of a session, or None if it is not valid.

        Raises:
            NameTakenError: if another author has taken the name meanwhile.
        """
        with self.begin_write() as connection:
            name = _find_invited_name(connection, secret)
            if name is None:
                return None
            used = update(invitations).where(invitations.c.hash == hash_secret(secret))
            connection.execute(used.values(used=time()))
            return _create_session(connection, name, INVITED_SOURCE)

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
            return _create_session(connection, name, source)

    def identify(self, key: str) -> Identity | None:
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
        return Identity(row.author, row.name, TokenScope(row.scope), row.hash, row.public)

    @contextmanager
    def begin_write_as(self, author: Identity) -> Iterator[Connection]:
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

    def set_author_visibility(self, author: Identity, *, public: bool) -> None:
        """Show or hide an author's name beside its bots in the standings."""
        with self.begin_write_as(author) as connection:
            known = update(authors).where(authors.c.id == author.id)
            connection.execute(known.values(public=public))

    def create_token(self, author: Identity, scope: TokenScope, label: str) -> str:
        """Create a token for an author and return it; raise TooManyTokensError at the limit."""
        with self.begin_write_as(author) as connection:
            mine = select(func.count()).where(keys.c.author == author.id)
            if (connection.scalar(mine) or 0) >= MAX_TOKENS:
                raise TooManyTokensError(
                    f"you have reached the limit of {MAX_TOKENS} tokens and sessions: revoke one"
                )
            return _create_token(connection, author.id, scope, label)

    def list_tokens(self, author: int) -> list[Token]:
        """Return an author's tokens, the oldest first."""
        mine = select(keys).where(keys.c.author == author).order_by(keys.c.id)
        with self.begin_read() as connection:
            return [_read_token(row) for row in connection.execute(mine)]

    def revoke_token(self, author: Identity, number: int) -> bool:
        """Revoke one of an author's tokens; return whether it existed."""
        with self.begin_write_as(author) as connection:
            own = (keys.c.author == author.id) & (keys.c.id == number)
            return bool(connection.execute(delete(keys).where(own)).rowcount)

    def end_session(self, key: str) -> None:
        """End the session with this token."""
        with self.begin_write() as connection:
            connection.execute(delete(keys).where(keys.c.hash == hash_secret(key)))


def hash_secret(secret: str) -> str:
    """Return the stored hash of a secret: with 256 random bits nobody can search for it."""
    return sha256(secret.encode()).hexdigest()


def _find_invited_name(connection: Connection, secret: str) -> str | None:
    asked = select(invitations.c.name).where(
        invitations.c.hash == hash_secret(secret),
        invitations.c.used.is_(None),
        invitations.c.made > time() - INVITATION_SECONDS,
    )
    return connection.scalar(asked)


def _find_author(connection: Connection, name: str, source: str) -> Row[tuple[object, ...]] | None:
    """Return the author of an account or name; raise NameTakenError if another account has it."""
    if source != INVITED_SOURCE:  # an account stays whose it is, however it is called by now
        account = connection.execute(select(authors).where(authors.c.source == source))
        if (row := account.one_or_none()) is not None:
            return row
    named = select(authors).where(authors.c.folded == name.casefold())
    row = connection.execute(named).one_or_none()
    if row is not None and row.source != source:
        raise NameTakenError(f"the name {row.name} belongs to an author who joined in another way")
    return row


def _create_session(connection: Connection, name: str, source: str) -> str | None:
    """Return the token of a session for a perhaps new author; None if banned."""
    old = (keys.c.scope == str(TokenScope.SESSION)) & (keys.c.made < time() - SESSION_SECONDS)
    connection.execute(delete(keys).where(old))
    row = _find_author(connection, name, source)
    if row is None:
        values = {"name": name, "folded": name.casefold(), "joined": time(), "source": source}
        made = connection.execute(insert(authors).values(values).returning(authors.c.id))
        return _create_token(connection, made.scalar_one(), TokenScope.SESSION, "browser")
    if row.banned:
        return None
    _end_old_sessions(connection, row.id)
    return _create_token(connection, row.id, TokenScope.SESSION, "browser")


def _end_old_sessions(connection: Connection, author: int) -> None:
    """End the oldest sessions of an author, so that there is room for a new one."""
    mine = select(keys.c.id).where(keys.c.author == author, keys.c.scope == str(TokenScope.SESSION))
    old = connection.scalars(mine.order_by(keys.c.id.desc()).offset(MAX_SESSIONS - 1)).all()
    connection.execute(delete(keys).where(keys.c.id.in_(old)))


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


def _read_token(row: Row[tuple[object, ...]]) -> Token:
    return Token(row.id, TokenScope(row.scope), row.label, row.made, row.used)
