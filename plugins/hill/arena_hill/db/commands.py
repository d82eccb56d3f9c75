"""The commands to the coordinator, which stores the number of the last one that it carried out."""

from __future__ import annotations

from attrs import frozen

from arena.tournament.commands import CoordinatorCommand
from arena_hill.db.command_rows import SELECT_COMMANDS, read_row
from arena_hill.db.transactions import HillTransactions


@frozen
class CommandLog:
    """The commands of a hill to its coordinator, which fetches them from here."""

    transactions: HillTransactions

    def fetch(self, after: int) -> list[CoordinatorCommand]:
        """Return the commands after this number, in order."""
        query = f"{SELECT_COMMANDS} WHERE number > ? ORDER BY number"
        with self.transactions.begin_read() as snapshot:
            rows = snapshot.connection.read_rows(query, (after,))
        return [*map(read_row, rows)]

    def get_last_number(self) -> int:
        """Return the number of the last command, or 0."""
        with self.transactions.begin_read() as snapshot:
            return snapshot.connection.read_value("SELECT MAX(number) FROM commands") or 0
