"""The commands to the coordinator, which stores the number of the last one that it carried out.

They are rows of a table that only grows, in the order in which they are to be carried out.
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


def _read_command(row: Sequence[Any]) -> CoordinatorCommand:
    number, bot, entry, state, why, alias = row
    if alias:
        return AliasCommand(number, bot, alias)
    if entry:
        return EntryCommand(number, read(json.loads(entry), Entry))
    return WithdrawalCommand(number, bot, why, State(state))


def add_command(
    connection: Connection, bot: str, entry: Entry | None, *,
    state: State = State.ACTIVE, why: str = "", alias: str = "",
) -> None:  # fmt: skip
    """Add a command: admit an entry, change the state of a bot, or hide its name."""
    packed = dump(converter.unstructure(entry)) if entry else None
    insert = "INSERT INTO orders (bot, entry, state, why, alias) VALUES (?, ?, ?, ?, ?)"
    connection.execute(insert, (bot, packed, str(state), why, alias))
