"""The table `commands`: what the coordinator is to carry out, in this order; it only grows.

The tournament's database has the number of the last command that was carried out.
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
from arena.wires import converter, dump, read
from arena_hill.db.transactions import HillSnapshot, HillTransaction, HillTransactions

INSERT_COMMAND = "INSERT INTO commands (bot, entry, state, why, alias) VALUES (?, ?, ?, ?, ?)"
SELECT_COMMANDS = "SELECT number, bot, entry, state, why, alias FROM commands"

_WITHDRAWAL = "entry IS NULL AND alias = ''"
_ENTRY = """replace(entry, '"version":"' || version || '"', '') <> entry"""  # of this version
_LAST = "SELECT COALESCE(MAX(number), 0) FROM commands WHERE bot = bots.name AND"
WITHDRAWN = (
    f"(bots.name IN (SELECT bot FROM commands WHERE {_WITHDRAWAL})"  # few are: it is found out once
    f" AND ({_LAST} {_WITHDRAWAL}) > ({_LAST} {_ENTRY}))"
)
"""The condition that a bot was withdrawn after this version of it was last accepted."""


@frozen
class CommandLog:
    """The commands of a hill to its coordinator, which fetches them from here."""

    transactions: HillTransactions

    def fetch(self, after: int) -> list[CoordinatorCommand]:
        """Return the commands after this number, in order."""
        with self.transactions.begin_read() as snapshot:
            return list_commands(snapshot, after)

    def get_last_number(self) -> int:
        """Return the number of the last command, or 0."""
        with self.transactions.begin_read() as snapshot:
            return snapshot.connection.read_value("SELECT MAX(number) FROM commands") or 0


def add_entry_command(transaction: HillTransaction, entry: Entry) -> None:
    """Have the coordinator let a version enter."""
    packed = dump(converter.unstructure(entry))
    transaction.connection.execute(INSERT_COMMAND, (entry.name, packed, str(State.ACTIVE), "", ""))


def add_withdrawal_command(transaction: HillTransaction, bot: str, why: str) -> None:
    """Have the coordinator let all versions of a bot leave."""
    transaction.connection.execute(INSERT_COMMAND, (bot, None, str(State.WITHDRAWN), why, ""))


def add_alias_command(transaction: HillTransaction, bot: str, alias: str) -> None:
    """Have the coordinator show an alias in place of a bot's name."""
    transaction.connection.execute(INSERT_COMMAND, (bot, None, str(State.ACTIVE), "", alias))


def list_commands(snapshot: HillSnapshot, after: int) -> list[CoordinatorCommand]:
    """Return the commands after this number, in order."""
    query = f"{SELECT_COMMANDS} WHERE number > ? ORDER BY number"
    return [*map(_read_row, snapshot.connection.read_rows(query, (after,)))]


def is_withdrawn(snapshot: HillSnapshot, bot: str) -> bool:
    """Whether a bot has left, or will: no version was accepted since it was withdrawn."""
    query = f"{SELECT_COMMANDS} WHERE bot = ? AND alias = '' ORDER BY number DESC LIMIT 1"
    row = snapshot.connection.read_row(query, (bot,))
    return row is not None and isinstance(_read_row(row), WithdrawalCommand)


def list_entries_of_others(snapshot: HillSnapshot, author_id: int, after: int) -> list[Entry]:
    """Return the entries in the commands after this number of other authors' unhidden bots."""
    query = (
        f"{SELECT_COMMANDS} JOIN bots ON bots.name = commands.bot"
        " WHERE number > ? AND entry IS NOT NULL AND author <> ? AND NOT hidden"
    )
    commands = map(_read_row, snapshot.connection.read_rows(query, (after, author_id)))
    return [command.entry for command in commands if isinstance(command, EntryCommand)]


def _read_row(row: Sequence[Any]) -> CoordinatorCommand:
    """Return the command in a row of `SELECT_COMMANDS`; the filled columns say its kind."""
    number, bot, entry, state, why, alias = row
    if alias:
        return AliasCommand(number, bot, alias)
    if entry:
        return EntryCommand(number, read(json.loads(entry), Entry))
    return WithdrawalCommand(number, bot, why, State(state))
