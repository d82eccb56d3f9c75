"""The commands to the coordinator, which stores the number of the last one that it carried out."""

from __future__ import annotations

from attrs import frozen

from arena.tournament.commands import CoordinatorCommand
from arena_hill.db.command_rows import SELECT_COMMANDS, read_row
from arena_hill.db.transactions import HillSnapshot, HillTransactions


@frozen
class CommandLog:
    """The commands of a hill to its coordinator, which fetches them from here."""

    transactions: HillTransactions

    def fetch(self, after: int) -> list[CoordinatorCommand]:
        """Return the commands after this number, in order."""
        with self.transactions.begin_read() as snapshot:
            return read_commands(snapshot, after)

    def get_last_number(self) -> int:
        """Return the number of the last command, or 0."""
        with self.transactions.begin_read() as snapshot:
            return snapshot.connection.read_value("SELECT MAX(number) FROM commands") or 0


def read_commands(snapshot: HillSnapshot, after: int) -> list[CoordinatorCommand]:
    """Return the commands after this number in a snapshot, in order."""
    query = f"{SELECT_COMMANDS} WHERE number > ? ORDER BY number"
    return [*map(read_row, snapshot.connection.read_rows(query, (after,)))]
