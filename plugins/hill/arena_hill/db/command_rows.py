"""The rows of the commands to the coordinator, in the table `commands`.

The table only grows, in the order in which the commands are to be carried out.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from arena.tournament import State
from arena.tournament.commands import (
    AliasCommand,
    CoordinatorCommand,
    EntryCommand,
    WithdrawalCommand,
)
from arena.tournament.entries import Entry
from arena.wires import converter, dump, read

UNNUMBERED = 0  # the number of a command that is not in the table yet
INSERT_COMMAND = "INSERT INTO commands (bot, entry, state, why, alias) VALUES (?, ?, ?, ?, ?)"
SELECT_COMMANDS = "SELECT number, bot, entry, state, why, alias FROM commands"


def build_row(command: CoordinatorCommand) -> tuple[str, str | None, str, str, str]:
    """Return the columns of a command after its number; which are filled says its kind."""
    match command:
        case EntryCommand(_, entry):
            return entry.name, dump(converter.unstructure(entry)), str(State.ACTIVE), "", ""
        case WithdrawalCommand(_, name, why, state):
            return name, None, str(state), why, ""
        case AliasCommand(_, name, alias):
            return name, None, str(State.ACTIVE), "", alias


def read_row(row: Sequence[Any]) -> CoordinatorCommand:
    """Return the command in a row that `SELECT_COMMANDS` finds."""
    number, name, entry, state, why, alias = row
    if alias:
        return AliasCommand(number, name, alias)
    if entry:
        return EntryCommand(number, read(json.loads(entry), Entry))
    return WithdrawalCommand(number, name, why, State(state))
