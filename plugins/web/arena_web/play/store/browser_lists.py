"""The browsers of a store: each has a list of the seats that it has opened, by its ticket.

A ticket is a random text in a cookie, which is signed with a key that is kept here, too.
"""

from __future__ import annotations

import json

from attrs import frozen

from arena.tournament.store.connection import Connection
from arena_web.play.seat_secrets import Secret
from arena_web.play.store.store_part import StorePart, transaction
from arena_web.play.store.stored_tables import OwnGame, StoredResult, StoredSetup

MAX_BROWSERS_PER_SEAT = 8  # that have it in their list; the next takes the place of the first

# Beside a seat that is there: where its table could not be kept, nothing of it is.
PUT_BROWSER = "INSERT OR IGNORE INTO browsers SELECT ?, secret FROM seats WHERE secret = ?"
TRIM_BROWSERS = """
DELETE FROM browsers WHERE secret = ? AND rowid NOT IN
(SELECT rowid FROM browsers WHERE secret = ? ORDER BY rowid DESC LIMIT ?)
"""
DELETE_UNLISTED = """
DELETE FROM tables WHERE key = ? AND NOT EXISTS
(SELECT * FROM browsers JOIN seats USING (secret) WHERE "table" = key)
"""


@frozen(eq=False)
class BrowserLists(StorePart):
    """The lists of browsers."""

    @transaction
    def add(self, connection: Connection, secret: Secret, ticket: str) -> None:
        """Put a seat into the list of a browser."""
        connection.execute(PUT_BROWSER, (ticket, secret))
        connection.execute(TRIM_BROWSERS, (secret, secret, MAX_BROWSERS_PER_SEAT))

    def find_secret(self, key: str, ticket: str) -> Secret | None:
        """Return the secret of the seat that a browser has at a table, or None."""
        query = (
            'SELECT secret FROM browsers JOIN seats USING (secret) WHERE "table" = ? AND ticket = ?'
        )
        with self.database.begin_read() as connection:
            secret: Secret | None = connection.read_value(query, (key, ticket))
            return secret

    def find_ticket(self, secret: Secret) -> str:
        """Return the ticket of the first browser that has a seat in its list, or nothing."""
        query = "SELECT ticket FROM browsers WHERE secret = ? ORDER BY rowid LIMIT 1"
        with self.database.begin_read() as connection:
            return connection.read_value(query, (secret,)) or ""

    def list_games(self, ticket: str) -> list[OwnGame]:
        """Return the games of a browser, the latest first."""
        query = (
            "SELECT key, opened, changed, setup, result, secret, person, hints FROM browsers"
            ' JOIN seats USING (secret) JOIN tables ON key = "table"'
            " WHERE ticket = ? ORDER BY changed DESC"
        )
        with self.database.begin_read() as connection:
            rows = connection.read_rows(query, (ticket,))
        return [
            OwnGame(
                key,
                opened,
                changed,
                StoredSetup.read(json.loads(setup)),
                result and StoredResult.read(json.loads(result)),
                *seat,
            )
            for key, opened, changed, setup, result, *seat in rows
        ]

    def delete_games(self, ticket: str, key: str | None = None) -> None:
        """Delete a finished game of a browser, or (None) all of them.

        A table goes for good once no other browser has it in its list.

        Raises:
            StorageError: where that cannot be written; then all of them are still there.
        """
        with self.database.begin_write() as connection:
            for game in self.list_games(ticket):
                if game.result and key in (None, game.key):
                    delete = "DELETE FROM browsers WHERE ticket = ? AND secret = ?"
                    connection.execute(delete, (ticket, game.secret))
                    connection.execute(DELETE_UNLISTED, (game.key,))
