"""The bots that a hill's database has, with the names that are shown of them and their authors."""

from __future__ import annotations

from attrs import frozen

from arena_hill.db.transactions import HillTransactions


@frozen
class StoredBots:
    """The bots of a hill."""

    transactions: HillTransactions

    def list_public_authors(self) -> dict[str, str]:
        """Return the names of authors who agreed to be shown, by the names of their bots."""
        query = (
            "SELECT bots.name, authors.name FROM bots JOIN authors ON authors.id = bots.author"
            " WHERE authors.public AND NOT banned AND NOT hidden ORDER BY bots.id"
        )
        with self.transactions.begin_read() as snapshot:
            return dict(snapshot.connection.read_rows(query))
