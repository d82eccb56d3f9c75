"""The database of a hill: authors, submissions, and the host's actions."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from time import time

from attrs import frozen
from sqlalchemy import Connection, Row, delete, func, insert, select, update

from arena import UserError
from arena.extend import CoordinatorCommand, Entry, TournamentSpec, read
from arena.tournament import State
from arena_hill.db.authors import Identity
from arena_hill.db.judging_queue import JudgingQueue
from arena_hill.db.schema import actions, authors, bots, keys, orders, submissions
from arena_hill.db.submissions import OPEN_STATES, JudgingState, add_command
from arena_hill.hill_paths import get_database_address

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


class HillDatabase(JudgingQueue):
    """The database that the web server, the judge, the coordinator and the host share."""

    def withdraw(self, bot: str, why: str) -> None:
        """Withdraw a bot for the host, and all of its submissions that are still in progress."""
        with self.begin_write() as connection:
            row = _find_bot(connection, bot)
            _withdraw(connection, row.id, row.name, why)
            _record_action(connection, "withdraw", row.name, why)

    def withdraw_own(self, author: Identity, bot: str) -> None:
        """Withdraw a bot for its author, likewise; raise TokenRevokedError."""
        with self.begin_write_as(author) as connection:
            row = _find_bot(connection, bot)
            _withdraw(connection, row.id, row.name, WITHDRAWN_BY_AUTHOR)

    def find_owner(self, bot: str) -> int | None:
        """Return the id of a bot's author; None if there is no such bot."""
        with self.begin_read() as connection:
            return connection.scalar(select(bots.c.author).where(bots.c.folded == bot.casefold()))

    def set_source_visibility(self, author: Identity, bot: str, *, public: bool) -> None:
        """Make the source of a bot's version that takes part public, or private again."""
        with self.begin_write_as(author) as connection:
            named = update(bots).where(bots.c.folded == bot.casefold())
            connection.execute(named.values(public=public))

    def set_submission_visibility(self, author: Identity, number: int, *, public: bool) -> None:
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
            row = _find_author(connection, author)
            banned = update(authors).where(authors.c.id == row.id)
            connection.execute(banned.values(banned=True))
            connection.execute(delete(keys).where(keys.c.author == row.id))
            mine = connection.execute(select(bots).where(bots.c.author == row.id)).all()
            for bot in mine:
                _withdraw(connection, bot.id, bot.name, "its author was banned")
            _record_action(connection, "ban", row.name, why)
            return [bot.name for bot in mine]

    def unban(self, author: str, why: str) -> str:
        """Lift the ban of an author; return the name.

        Raises:
            UserError: where there is none, or it is not banned.
        """
        with self.begin_write() as connection:
            row = _find_author(connection, author)
            if not row.banned:
                raise UserError(f"{row.name} is not banned")
            known = update(authors).where(authors.c.id == row.id)
            connection.execute(known.values(banned=False))
            _record_action(connection, "unban", row.name, why)
            return str(row.name)

    def hide(self, bot: str, why: str) -> str:
        """Hide a bot's name; return the alias that is shown instead."""
        with self.begin_write() as connection:
            row = _find_bot(connection, bot)
            _record_action(connection, "hide", row.name, why)
            return _hide(connection, row.id, row.name)

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
            row = _find_bot(connection, bot)
            _withdraw(connection, row.id, row.name, why)
            mine = submissions.c.bot == row.id
            connection.execute(update(submissions).where(mine).values(forgotten=True, log=""))
            _hide(connection, row.id, row.name)
            _record_action(connection, "forget", row.name, why)
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


def format_alias(number: int) -> str:
    """Return the public name of a bot whose name is hidden.

    >>> format_alias(17)
    'bot_17'
    """
    return f"bot_{number}"


def _hide(connection: Connection, number: int, name: str) -> str:
    """Hide a bot's name; return the alias that is shown instead."""
    connection.execute(update(bots).where(bots.c.id == number).values(hidden=True))
    add_command(connection, name, None, alias=format_alias(number))
    return format_alias(number)


def _find_author(connection: Connection, name: str) -> Row[tuple[object, ...]]:
    """Return the author of this name; raise UserError if there is none."""
    asked = select(authors).where(authors.c.folded == name.casefold())
    row = connection.execute(asked).one_or_none()
    if row is None:
        raise UserError(f"there is no author called {name}")
    return row


def _find_bot(connection: Connection, bot: str) -> Row[tuple[object, ...]]:
    """Return the bot of this name, or of the alias that is shown in its place; raise UserError."""
    rows = connection.execute(select(bots).where((bots.c.folded == bot.casefold()) | bots.c.hidden))
    names = {alias: row for row in rows for alias in (row.folded, format_alias(row.id))}
    row = names.get(bot.casefold())
    if row is None:
        raise UserError(f"there is no bot called {bot}")
    return row


def _record_action(connection: Connection, what: str, whom: str, why: str) -> None:
    values = {"at": time(), "what": what, "whom": whom, "why": why}
    connection.execute(insert(actions).values(values))


def _withdraw(connection: Connection, number: int, name: str, why: str) -> None:
    """Withdraw a bot with all of its submissions in progress or in the tournament."""
    going = update(submissions).where(
        submissions.c.bot == number,
        submissions.c.state.in_([*map(str, OPEN_STATES), str(JudgingState.ACCEPTED)]),
    )
    connection.execute(going.values(state=str(JudgingState.WITHDRAWN), why=why, moved=time()))
    add_command(connection, name, None, state=State.WITHDRAWN, why=why)


def open_database(spec: TournamentSpec) -> HillDatabase:
    """Open a hill's database, created if needed; raise UserError."""
    return HillDatabase.open(get_database_address(spec))
