"""The actions of a hill's host: bans, withdrawals, hidden names, each with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from attrs import frozen

from arena import UserError
from arena_hill.db.accounts import Author, find_named_author
from arena_hill.db.bots import Bot, list_bots_of_author, require_bot
from arena_hill.db.commands import add_alias_command
from arena_hill.db.submissions import forget_submissions
from arena_hill.db.transactions import HillSnapshot, HillTransaction, HillTransactions
from arena_hill.db.withdrawals import withdraw_bot


@frozen
class AuthorSummary:
    """An author with its bots, for the host's list."""

    name: str
    banned: bool
    bots: Sequence[str]  #: their names


@frozen
class HostActions:
    """The actions of the host on authors and bots."""

    transactions: HillTransactions

    def withdraw(self, name: str, why: str) -> None:
        """Withdraw a bot for the host, and all of its submissions that are still in progress."""
        with self.transactions.begin_write() as transaction:
            bot = require_bot(transaction, name)
            withdraw_bot(transaction, bot, why)
            self._record_action(transaction, "withdraw", bot.name, why)

    def ban(self, name: str, why: str) -> list[str]:
        """Revoke the tokens of an author and withdraw all of its bots; return their names."""
        with self.transactions.begin_write() as transaction:
            author = self._require_author(transaction, name)
            transaction.connection.execute(
                "UPDATE authors SET banned = TRUE WHERE id = ?", (author.id,)
            )
            transaction.connection.execute("DELETE FROM tokens WHERE author = ?", (author.id,))
            bots = list_bots_of_author(transaction, author.id)
            for bot in bots:
                withdraw_bot(transaction, bot, "its author was banned")
            self._record_action(transaction, "ban", author.name, why)
        return [bot.name for bot in bots]

    def unban(self, name: str, why: str) -> str:
        """Lift the ban of an author; return the name.

        Raises:
            UserError: where there is none, or it is not banned.
        """
        with self.transactions.begin_write() as transaction:
            author = self._require_author(transaction, name)
            if not author.banned:
                raise UserError(f"{author.name} is not banned")
            transaction.connection.execute(
                "UPDATE authors SET banned = FALSE WHERE id = ?", (author.id,)
            )
            self._record_action(transaction, "unban", author.name, why)
        return author.name

    def hide(self, name: str, why: str) -> str:
        """Hide a bot's name; return the alias that is shown instead."""
        with self.transactions.begin_write() as transaction:
            bot = require_bot(transaction, name)
            self._record_action(transaction, "hide", bot.name, why)
            return self._hide(transaction, bot)

    def forget(self, name: str, why: str) -> set[str]:
        """Withdraw a bot and forget its uploads; return the SHA-256 of those to delete.

        These are the uploads that no other bot uses.
        """
        with self.transactions.begin_write() as transaction:
            bot = require_bot(transaction, name)
            withdraw_bot(transaction, bot, why)
            self._hide(transaction, bot)
            self._record_action(transaction, "forget", bot.name, why)
            return forget_submissions(transaction, bot)

    def list_authors(self) -> list[AuthorSummary]:
        """Return all authors with the names of their bots."""
        query = (
            "SELECT authors.id, authors.name, banned, bots.name FROM authors"
            " LEFT JOIN bots ON bots.author = authors.id ORDER BY authors.id, bots.id"
        )
        with self.transactions.begin_read() as snapshot:
            rows = snapshot.connection.read_rows(query)
        return [
            AuthorSummary(name, bool(banned), [bot for *_, bot in group if bot])
            for (_, name, banned), group in groupby(rows, itemgetter(0, 1, 2))
        ]

    @staticmethod
    def _require_author(snapshot: HillSnapshot, name: str) -> Author:
        """Return the author of this name; raise UserError if there is none."""
        author = find_named_author(snapshot, name)
        if author is None:
            raise UserError(f"there is no author called {name}")
        return author

    @staticmethod
    def _hide(transaction: HillTransaction, bot: Bot) -> str:
        """Hide a bot's name; return the alias that is shown instead."""
        transaction.connection.execute("UPDATE bots SET hidden = TRUE WHERE id = ?", (bot.id,))
        add_alias_command(transaction, bot.name, bot.alias)
        return bot.alias

    @staticmethod
    def _record_action(transaction: HillTransaction, what: str, whom: str, why: str) -> None:
        insert = "INSERT INTO actions (at, what, whom, why) VALUES (?, ?, ?, ?)"
        transaction.connection.execute(insert, (transaction.now, what, whom, why))
