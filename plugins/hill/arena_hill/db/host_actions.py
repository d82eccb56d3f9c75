"""What the host of a hill does: bans, withdrawals, hidden names, each with its reason."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import groupby, starmap
from operator import itemgetter

from attrs import frozen

from arena import UserError
from arena.tournament.commands import AliasCommand
from arena.tournament.store.connection import Connection
from arena_hill.db.accounts import SELECT_AUTHORS, Author
from arena_hill.db.bots import SELECT_BOTS, Bot, find_bot
from arena_hill.db.commands import UNNUMBERED, add_command
from arena_hill.db.connections import HillConnections
from arena_hill.db.submissions import withdraw_bot


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


@frozen
class HostActions:
    """The actions of the host on authors and bots."""

    database: HillConnections

    def withdraw(self, name: str, why: str) -> None:
        """Withdraw a bot for the host, and all of its submissions that are still in progress."""
        with self.database.begin_write() as connection:
            bot = find_bot(connection, name)
            withdraw_bot(connection, bot, why, now=self.database.clock())
            self._record_action(connection, "withdraw", bot.name, why)

    def ban(self, name: str, why: str) -> list[str]:
        """Revoke the tokens of an author and withdraw all of its bots; return their names."""
        with self.database.begin_write() as connection:
            author = self._require_author(connection, name)
            connection.execute("UPDATE authors SET banned = TRUE WHERE id = ?", (author.id,))
            connection.execute("DELETE FROM keys WHERE author = ?", (author.id,))
            mine = f"{SELECT_BOTS} WHERE author = ? ORDER BY id"
            bots = [*starmap(Bot, connection.read_rows(mine, (author.id,)))]
            for bot in bots:
                withdraw_bot(connection, bot, "its author was banned", now=self.database.clock())
            self._record_action(connection, "ban", author.name, why)
        return [bot.name for bot in bots]

    def unban(self, name: str, why: str) -> str:
        """Lift the ban of an author; return the name.

        Raises:
            UserError: where there is none, or it is not banned.
        """
        with self.database.begin_write() as connection:
            author = self._require_author(connection, name)
            if not author.banned:
                raise UserError(f"{author.name} is not banned")
            connection.execute("UPDATE authors SET banned = FALSE WHERE id = ?", (author.id,))
            self._record_action(connection, "unban", author.name, why)
        return author.name

    def hide(self, name: str, why: str) -> str:
        """Hide a bot's name; return the alias that is shown instead."""
        with self.database.begin_write() as connection:
            bot = find_bot(connection, name)
            self._record_action(connection, "hide", bot.name, why)
            return self._hide(connection, bot)

    def forget(self, name: str, why: str) -> UnusedFiles:
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
        with self.database.begin_write() as connection:
            bot = find_bot(connection, name)
            withdraw_bot(connection, bot, why, now=self.database.clock())
            connection.execute(forget, (bot.id,))
            self._hide(connection, bot)
            self._record_action(connection, "forget", bot.name, why)
            return UnusedFiles(
                bot.name,
                {*connection.read_column(uploads, (bot.id,))},
                {*connection.read_column(versions, (bot.id, bot.id))},
            )

    def list_authors(self) -> list[AuthorSummary]:
        """Return all authors with the names of their bots."""
        query = (
            "SELECT authors.id, authors.name, banned, bots.name FROM authors"
            " LEFT JOIN bots ON bots.author = authors.id ORDER BY authors.id, bots.id"
        )
        with self.database.begin_read() as connection:
            rows = connection.read_rows(query)
        return [
            AuthorSummary(name, bool(banned), [bot for *_, bot in group if bot])
            for (_, name, banned), group in groupby(rows, itemgetter(0, 1, 2))
        ]

    @staticmethod
    def _require_author(connection: Connection, name: str) -> Author:
        """Return the author of this name; raise UserError if there is none."""
        row = connection.read_row(f"{SELECT_AUTHORS} WHERE folded = ?", (name.casefold(),))
        if row is None:
            raise UserError(f"there is no author called {name}")
        return Author(*row)

    @staticmethod
    def _hide(connection: Connection, bot: Bot) -> str:
        """Hide a bot's name; return the alias that is shown instead."""
        connection.execute("UPDATE bots SET hidden = TRUE WHERE id = ?", (bot.id,))
        add_command(connection, AliasCommand(UNNUMBERED, bot.name, bot.alias))
        return bot.alias

    def _record_action(self, connection: Connection, what: str, whom: str, why: str) -> None:
        insert = "INSERT INTO actions (at, what, whom, why) VALUES (?, ?, ?, ?)"
        connection.execute(insert, (self.database.clock(), what, whom, why))
