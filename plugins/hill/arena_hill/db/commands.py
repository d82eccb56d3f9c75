"""The commands to the coordinator, which stores the number of the last one that it carried out.

They are rows of the table `orders`, which only grows, in the order in which they are to be carried
out.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from attrs import frozen

from arena.tournament import State
from arena.tournament.commands import (
    AliasCommand,
    CoordinatorCommand,
    EntryCommand,
    WithdrawalCommand,
)
from arena.tournament.entries import Entry
from arena.tournament.store.connection import Connection
from arena.wires import converter, dump, read
from arena_hill.db.connections import HillConnections

UNNUMBERED = 0  # the number of a command that is not in the table yet


@frozen
class CommandLog:
    """The commands of a hill to its coordinator, which fetches them from here."""

    database: HillConnections

    def fetch(self, after: int) -> list[CoordinatorCommand]:
        """Return the commands after this number, in order."""
        query = (
            "SELECT number, bot, entry, state, why, alias FROM orders"
            " WHERE number > ? ORDER BY number"
        )
        with self.database.begin_read() as connection:
            rows = connection.read_rows(query, (after,))
        return [*map(_read_command, rows)]

    def get_last_number(self) -> int:
        """Return the number of the last command, or 0."""
        with self.database.begin_read() as connection:
            return connection.read_value("SELECT MAX(number) FROM orders") or 0


def add_command(connection: Connection, command: CoordinatorCommand) -> None:
    """Add a command, which gets the next number."""
    insert = "INSERT INTO orders (bot, entry, state, why, alias) VALUES (?, ?, ?, ?, ?)"
    connection.execute(insert, _build_row(command))


def _build_row(command: CoordinatorCommand) -> tuple[str, str | None, str, str, str]:
    """Return the columns of a command after its number; which are filled says its kind."""
    match command:
        case EntryCommand(_, entry):
            return entry.name, dump(converter.unstructure(entry)), str(State.ACTIVE), "", ""
        case WithdrawalCommand(_, name, why, state):
            return name, None, str(state), why, ""
        case AliasCommand(_, name, alias):
            return name, None, str(State.ACTIVE), "", alias


def _read_command(row: Sequence[Any]) -> CoordinatorCommand:
    number, name, entry, state, why, alias = row
    if alias:
        return AliasCommand(number, name, alias)
    if entry:
        return EntryCommand(number, read(json.loads(entry), Entry))
    return WithdrawalCommand(number, name, why, State(state))
