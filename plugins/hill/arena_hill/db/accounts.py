"""Accounts of a hill: invitations, authors, their sessions in a browser, and their tokens.

A secret is shown once; the database has its hash. Who acts is asked for again within the
transaction of the act, so a ban or a revoked token counts at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from hashlib import sha256
from itertools import starmap
from secrets import token_urlsafe

from attrs import field, frozen

from arena import UserError
from arena.host import NAME_PATTERN
from arena.rules import StorageError
from arena.wires import to_printable
from arena_hill.db.bots import BAD_NAME_MESSAGE
from arena_hill.db.rows import list_columns
from arena_hill.db.transactions import HillSnapshot, HillTransaction, HillTransactions
from arena_hill.units import DAY_SECONDS

TOKEN_PREFIX = "arena_"  # noqa: S105  # so that a leaked token is found
TOKEN_BYTES = 32  # of chance in a token
INVITATION_SECONDS = 14 * DAY_SECONDS  # that an invitation is good for
SESSION_SECONDS = 400 * DAY_SECONDS  # that a session lasts: no browser keeps a cookie longer
USE_RESOLUTION_SECONDS = 3600.0  # until it is noted again that a token was used
MAX_TOKENS = 20  # of an author
MAX_LABEL_LENGTH = 80  # characters by which an author knows a token
MAX_SESSIONS = 10  # of an author; a new one ends the oldest
INVITED_SOURCE = "invited"  # the source of an author for whom the host answers
REVOKED_MESSAGE = "your token was revoked while your request was under way: nothing has changed"


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
    token_hash: str = field(repr=False)  #: as it is stored
    public: bool = False  #: whether the standings show its name

    @property
    def can_submit(self) -> bool:
        """Whether bots may be submitted and withdrawn with this token."""
        return self.scope is not TokenScope.READ


@frozen
class Token:
    """A token in its author's list; the secret itself is shown only once."""

    id: int
    scope: TokenScope = field(converter=TokenScope)
    label: str
    created: float  # seconds since 1970
    last_used: float | None


SELECT_TOKENS = f"SELECT {list_columns(Token)} FROM tokens"


@frozen
class Author:
    """An author as it is stored."""

    id: int
    name: str
    banned: bool = field(converter=bool)
    source: str  #: who answers for it


SELECT_AUTHORS = f"SELECT {list_columns(Author)} FROM authors"


@frozen
class Accounts:
    """The accounts of a hill's authors."""

    transactions: HillTransactions

    def invite(self, name: str) -> str:
        """Create an invitation for an author of this name; return its secret, valid once.

        Raises:
            UserError: where it is no name, or of an author who is banned.
            NameTakenError: where somebody has it for whom the host does not answer.
        """
        if not re.fullmatch(NAME_PATTERN, name):
            raise UserError(BAD_NAME_MESSAGE.format(name))
        secret = token_urlsafe(TOKEN_BYTES)
        insert = "INSERT INTO invitations (hash, name, created) VALUES (?, ?, ?)"
        with self.transactions.begin_write() as transaction:
            author = self._find_author(transaction, name, INVITED_SOURCE)
            if author is not None and author.banned:
                raise UserError(f"{author.name} is banned: run `arena hill unban` first")
            transaction.connection.execute(insert, (hash_secret(secret), name, transaction.now))
        return secret

    def find_invited_name(self, secret: str) -> str | None:
        """Return the author's name in an invitation; None if it is unknown, used or expired."""
        with self.transactions.begin_read() as snapshot:
            return self._find_invited_name(snapshot, secret)

    def _find_invited_name(self, snapshot: HillSnapshot, secret: str) -> str | None:
        query = "SELECT name FROM invitations WHERE hash = ? AND accepted IS NULL AND created > ?"
        values = (hash_secret(secret), snapshot.now - INVITATION_SECONDS)
        name: str | None = snapshot.connection.read_value(query, values)
        return name

    def join(self, secret: str) -> str | None:
        """Accept an invitation; return the token of a session, or None if it is not valid.

        Raises:
            NameTakenError: if another author has taken the name meanwhile.
        """
        with self.transactions.begin_write() as transaction:
            name = self._find_invited_name(transaction, secret)
            if name is None:
                return None
            update = "UPDATE invitations SET accepted = ? WHERE hash = ?"
            transaction.connection.execute(update, (transaction.now, hash_secret(secret)))
            return self._create_session(transaction, name, INVITED_SOURCE)

    def sign_in(self, name: str, source: str = INVITED_SOURCE) -> str | None:
        """Return the token of a new session for the author of an account at a provider.

        None where the author is banned.

        Raises:
            UserError: where it is no name.
            NameTakenError: where another source answers for the author of this name.
        """
        if not re.fullmatch(NAME_PATTERN, name):
            raise UserError(BAD_NAME_MESSAGE.format(name))
        with self.transactions.begin_write() as transaction:
            return self._create_session(transaction, name, source)

    def _create_session(self, transaction: HillTransaction, name: str, source: str) -> str | None:
        """Return the token of a session for a perhaps new author; None if banned."""
        expired = (str(TokenScope.SESSION), transaction.now - SESSION_SECONDS)
        delete = "DELETE FROM tokens WHERE scope = ? AND created < ?"
        transaction.connection.execute(delete, expired)
        author = self._find_author(transaction, name, source)
        if author is not None and author.banned:
            return None
        if author is not None:
            self._end_old_sessions(transaction, author.id)
            return self._create_token(transaction, author.id, TokenScope.SESSION, "browser")
        (author_id,) = transaction.connection.read_column(
            "INSERT INTO authors (name, folded_name, joined, source) VALUES (?, ?, ?, ?)"
            " RETURNING id",
            (name, name.casefold(), transaction.now, source),
        )
        return self._create_token(transaction, author_id, TokenScope.SESSION, "browser")

    @staticmethod
    def _find_author(snapshot: HillSnapshot, name: str, source: str) -> Author | None:
        """Return the author of an account or a name; raise NameTakenError if it is another's."""
        if source != INVITED_SOURCE:  # an account stays whose it is, however it is called by now
            row = snapshot.connection.read_row(f"{SELECT_AUTHORS} WHERE source = ?", (source,))
            if row is not None:
                return Author(*row)
        author = find_named_author(snapshot, name)
        if author is None or author.source == source:
            return author
        if INVITED_SOURCE in {author.source, source}:
            raise NameTakenError(
                f"the name {author.name} belongs to an author who joined in another way"
            )
        raise NameTakenError(
            f"the name {author.name} belongs to an author with another account:"
            " ask the host for an invitation by another name"
        )

    @staticmethod
    def _end_old_sessions(transaction: HillTransaction, author_id: int) -> None:
        """End the oldest sessions of an author, so that there is room for a new one."""
        query = "SELECT id FROM tokens WHERE author = ? AND scope = ? ORDER BY id DESC"
        sessions = transaction.connection.read_column(query, (author_id, str(TokenScope.SESSION)))
        ended = [(token_id,) for token_id in sessions[MAX_SESSIONS - 1 :]]
        transaction.connection.execute_many("DELETE FROM tokens WHERE id = ?", ended)

    def identify(self, token: str) -> Principal | None:
        """Return the author whom a token identifies; None if it is unknown or has expired."""
        query = (
            "SELECT tokens.id, author, name, scope, hash, public, last_used"
            " FROM tokens JOIN authors ON authors.id = tokens.author"
            " WHERE hash = ? AND NOT banned AND (scope <> ? OR created > ?)"
        )
        with self.transactions.begin_read() as snapshot:
            now = snapshot.now
            values = (hash_secret(token), str(TokenScope.SESSION), now - SESSION_SECONDS)
            row = snapshot.connection.read_row(query, values)
        if row is None:
            return None
        token_id, author_id, name, scope, secret, public, last_used = row
        # Where this cannot be noted, pages can still be read.
        if (last_used or 0.0) < now - USE_RESOLUTION_SECONDS:
            with suppress(StorageError), self.transactions.begin_write() as transaction:
                transaction.connection.execute(
                    "UPDATE tokens SET last_used = ? WHERE id = ?", (now, token_id)
                )
        return Principal(author_id, name, TokenScope(scope), secret, bool(public))

    @contextmanager
    def begin_write_as(self, author: Principal) -> Iterator[HillTransaction]:
        """Begin a transaction that writes for an act of an author.

        A ban or a revoked token thus counts at once, also for a request whose body was still coming
        when it was made.

        Raises:
            TokenRevokedError: if the token was revoked since its author was identified.
        """
        with self.transactions.begin_write() as transaction:
            # a ban deletes all tokens of its author
            query = "SELECT id FROM tokens WHERE hash = ?"
            if transaction.connection.read_row(query, (author.token_hash,)) is None:
                raise TokenRevokedError(REVOKED_MESSAGE)
            yield transaction

    def set_author_visibility(self, author: Principal, *, public: bool) -> None:
        """Show or hide an author's name beside its bots in the standings."""
        with self.begin_write_as(author) as transaction:
            transaction.connection.execute(
                "UPDATE authors SET public = ? WHERE id = ?", (public, author.id)
            )

    def list_public_authors(self) -> dict[str, str]:
        """Return the names of authors who agreed to be shown, by the names of their bots."""
        query = (
            "SELECT bots.name, authors.name FROM bots JOIN authors ON authors.id = bots.author"
            " WHERE authors.public AND NOT banned AND NOT hidden ORDER BY bots.id"
        )
        with self.transactions.begin_read() as snapshot:
            return dict(snapshot.connection.read_rows(query))

    def create_token(self, author: Principal, scope: TokenScope, label: str) -> str:
        """Create a token for an author and return it; a longer label than is allowed is cut.

        Raises:
            TooManyTokensError: at the limit.
            TokenRevokedError: if the token that acts was revoked meanwhile.
        """
        with self.begin_write_as(author) as transaction:
            query = "SELECT COUNT(*) FROM tokens WHERE author = ?"
            if transaction.connection.read_value(query, (author.id,)) >= MAX_TOKENS:
                raise TooManyTokensError(
                    f"you have reached the limit of {MAX_TOKENS} tokens and sessions: revoke one"
                )
            return self._create_token(transaction, author.id, scope, label)

    def _create_token(
        self, transaction: HillTransaction, author_id: int, scope: TokenScope, label: str
    ) -> str:
        token = TOKEN_PREFIX + token_urlsafe(TOKEN_BYTES)
        transaction.connection.execute(
            "INSERT INTO tokens (hash, author, scope, label, created) VALUES (?, ?, ?, ?, ?)",
            (hash_secret(token), author_id, str(scope), _clean_label(label), transaction.now),
        )
        return token

    def list_tokens(self, author_id: int) -> list[Token]:
        """Return an author's tokens, the oldest first."""
        query = f"{SELECT_TOKENS} WHERE author = ? ORDER BY id"
        with self.transactions.begin_read() as snapshot:
            return [*starmap(Token, snapshot.connection.read_rows(query, (author_id,)))]

    def revoke_token(self, author: Principal, token_id: int) -> bool:
        """Revoke one of an author's tokens; return whether it existed."""
        delete = "DELETE FROM tokens WHERE author = ? AND id = ?"
        with self.begin_write_as(author) as transaction:
            return bool(transaction.connection.execute(delete, (author.id, token_id)).rowcount)

    def end_session(self, token: str) -> None:
        """End the session with this token."""
        with self.transactions.begin_write() as transaction:
            transaction.connection.execute(
                "DELETE FROM tokens WHERE hash = ?", (hash_secret(token),)
            )


def find_named_author(snapshot: HillSnapshot, name: str) -> Author | None:
    """Return the author of this name, whatever its case, or None."""
    query = f"{SELECT_AUTHORS} WHERE folded_name = ?"
    row = snapshot.connection.read_row(query, (name.casefold(),))
    return None if row is None else Author(*row)


def _clean_label(label: str) -> str:
    """Return a label as it is stored, without control characters: PostgreSQL takes no NUL."""
    return to_printable(label[:MAX_LABEL_LENGTH])


def hash_secret(secret: str) -> str:
    """Return the stored hash of a secret: with 256 random bits nobody can search for it."""
    return sha256(secret.encode()).hexdigest()
