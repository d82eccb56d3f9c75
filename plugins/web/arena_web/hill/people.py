"""Authors: who may send bots, and the keys by which they are known."""

from __future__ import annotations

import re
from contextlib import suppress
from enum import StrEnum
from hashlib import sha256
from secrets import token_urlsafe
from time import time

from attrs import frozen
from sqlalchemy import Connection, Row, delete, func, insert, select, update

from arena.host import NAME
from arena.rules import StorageError, UserError
from arena_web.hill.database import Database
from arena_web.hill.schema import authors, invitations, keys

PREFIX = "arena_"  # of every key, so that one that leaked is found
BYTES = 32  # of chance in a key
INVITED = 14 * 86400  # seconds that an invitation is good for
SESSION = 400 * 86400  # seconds that a session lasts: no browser keeps a cookie longer
OFTEN = 3600.0  # seconds until it is noted again that a key was used
MOST_KEYS = 20  # of an author
MAX_SESSIONS = 10  # of an author; a new one ends the oldest
BY_HOST = "invited"  # the source of an author for whom the host answers
NO_NAME = "{!r} cannot be a name: use 1 to 32 letters, digits and underscores"


class TooManyKeysError(UserError):
    """An author has as many keys as one may have; the text says so, in one line."""


class Taken(UserError):
    """A name that is somebody else's; the text says so, in one line."""


class Scope(StrEnum):
    """What a key lets its holder do."""

    SESSION = "session"  #: all that its author may, in a browser
    SUBMIT = "submit"  #: send and withdraw bots, and read
    READ = "read"  #: read what is the author's business


@frozen
class Visitor:
    """An author, as whom somebody has come."""

    id: int
    name: str
    scope: Scope
    public: bool = False  #: do the standings show its name?

    @property
    def sends(self) -> bool:
        """May bots be sent and withdrawn with the key that was shown?"""
        return self.scope is not Scope.READ


@frozen
class Key:
    """A key as its author sees it in a list; the key itself is shown once only."""

    id: int
    scope: Scope
    label: str
    made: float  # seconds since 1970
    used: float | None


class People(Database):
    """Authors, invitations, keys."""

    def invite(self, name: str) -> str:
        """Return a secret by which an author of this name joins, once.

        Raises:
            UserError: where it is no name, or of an author who is banned.
            Taken: where somebody has it for whom the host does not answer.
        """
        if not re.fullmatch(NAME, name):
            raise UserError(NO_NAME.format(name))
        secret = token_urlsafe(BYTES)
        row = {"hash": hashed(secret), "name": name, "made": time()}
        with self.writing() as connection:
            known = _known(connection, name, BY_HOST)
            if known is not None and known.banned:
                raise UserError(f"{known.name} is banned: run `arena hill unban` first")
            connection.execute(insert(invitations).values(row))
        return secret

    def invited(self, secret: str) -> str | None:
        """Return for whom an invitation is; None where it is none, was used, or is too old."""
        with self.reading() as connection:
            return _invited(connection, secret)

    def join(self, secret: str) -> str | None:
        """Use an invitation up; return the key of a session, or None where it is not good.

        Raises:
            Taken: where somebody was faster to have the name, for whom the host does not answer.
        """
        with self.writing() as connection:
            name = _invited(connection, secret)
            if name is None:
                return None
            used = update(invitations).where(invitations.c.hash == hashed(secret))
            connection.execute(used.values(used=time()))
            return _session(connection, name, BY_HOST)

    def sign_in(self, name: str, source: str = BY_HOST) -> str | None:
        """Return the key of a session of an author for whom this source answers.

        None where the author is banned.

        Raises:
            UserError: where it is no name.
            Taken: where another source answers for the author of this name.
        """
        if not re.fullmatch(NAME, name):
            raise UserError(NO_NAME.format(name))
        with self.writing() as connection:
            return _session(connection, name, source)

    def who(self, key: str) -> Visitor | None:
        """Return whose key this is; None where it is nobody's, or of a session that is too old."""
        session = keys.c.scope == str(Scope.SESSION)
        asked = select(keys, authors.c.name, authors.c.public).join_from(keys, authors)
        good = asked.where(
            keys.c.hash == hashed(key),
            ~authors.c.banned,
            ~session | (keys.c.made > time() - SESSION),
        )
        with self.reading() as connection:
            row = connection.execute(good).one_or_none()
        if row is None:
            return None
        if (row.used or 0.0) < time() - OFTEN:
            with suppress(StorageError), self.writing() as connection:  # pages can be read still
                used = update(keys).where(keys.c.id == row.id)
                connection.execute(used.values(used=time()))
        return Visitor(row.author, row.name, Scope(row.scope), row.public)

    def show_author(self, author: int, *, public: bool) -> None:
        """Show an author's name beside its bots in the standings, or no more."""
        with self.writing() as connection:
            known = update(authors).where(authors.c.id == author)
            connection.execute(known.values(public=public))

    def make_key(self, author: int, scope: Scope, label: str) -> str:
        """Return a new key of an author; raise TooManyKeysError where there are too many."""
        with self.writing() as connection:
            mine = select(func.count()).where(keys.c.author == author)
            if (connection.scalar(mine) or 0) >= MOST_KEYS:
                raise TooManyKeysError(
                    f"you have {MOST_KEYS} tokens and sessions, and no more are allowed: revoke one"
                )
            return _key(connection, author, scope, label)

    def keys(self, author: int) -> list[Key]:
        """Return an author's keys, the oldest first."""
        mine = select(keys).where(keys.c.author == author).order_by(keys.c.id)
        with self.reading() as connection:
            return [_shown(row) for row in connection.execute(mine)]

    def end_key(self, author: int, number: int) -> bool:
        """End one of an author's keys; say whether there was such a one."""
        with self.writing() as connection:
            own = (keys.c.author == author) & (keys.c.id == number)
            return bool(connection.execute(delete(keys).where(own)).rowcount)

    def end_session(self, key: str) -> None:
        """End the session of this key."""
        with self.writing() as connection:
            connection.execute(delete(keys).where(keys.c.hash == hashed(key)))


def hashed(secret: str) -> str:
    """Return what is kept of a secret: it has 256 bits of chance, so nobody can search it."""
    return sha256(secret.encode()).hexdigest()


def _invited(connection: Connection, secret: str) -> str | None:
    asked = select(invitations.c.name).where(
        invitations.c.hash == hashed(secret),
        invitations.c.used.is_(None),
        invitations.c.made > time() - INVITED,
    )
    return connection.scalar(asked)


def _known(connection: Connection, name: str, source: str) -> Row[tuple[object, ...]] | None:
    """Return the author of an account, or else of this name; raise Taken for another source's."""
    if source != BY_HOST:  # an account stays whose it is, however it is called by now
        account = connection.execute(select(authors).where(authors.c.source == source))
        if (row := account.one_or_none()) is not None:
            return row
    named = select(authors).where(authors.c.folded == name.casefold())
    row = connection.execute(named).one_or_none()
    if row is not None and row.source != source:
        raise Taken(f"the name {row.name} belongs to an author who joined in another way")
    return row


def _session(connection: Connection, name: str, source: str) -> str | None:
    """Return a session's key of the author of this name, who may be new; None where banned."""
    old = (keys.c.scope == str(Scope.SESSION)) & (keys.c.made < time() - SESSION)
    connection.execute(delete(keys).where(old))
    row = _known(connection, name, source)
    if row is None:
        values = {"name": name, "folded": name.casefold(), "joined": time(), "source": source}
        made = connection.execute(insert(authors).values(values).returning(authors.c.id))
        return _key(connection, made.scalar_one(), Scope.SESSION, "browser")
    if row.banned:
        return None
    _end_old_sessions(connection, row.id)
    return _key(connection, row.id, Scope.SESSION, "browser")


def _end_old_sessions(connection: Connection, author: int) -> None:
    """Leave an author one session less than there may be: nobody has so many browsers."""
    mine = select(keys.c.id).where(keys.c.author == author, keys.c.scope == str(Scope.SESSION))
    old = connection.scalars(mine.order_by(keys.c.id.desc()).offset(MAX_SESSIONS - 1)).all()
    connection.execute(delete(keys).where(keys.c.id.in_(old)))


def _key(connection: Connection, author: int, scope: Scope, label: str) -> str:
    key = PREFIX + token_urlsafe(BYTES)
    values = {
        "hash": hashed(key),
        "author": author,
        "scope": str(scope),
        "label": label[:80],
        "made": time(),
    }
    connection.execute(insert(keys).values(values))
    return key


def _shown(row: Row[tuple[object, ...]]) -> Key:
    return Key(row.id, Scope(row.scope), row.label, row.made, row.used)
