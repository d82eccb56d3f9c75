"""Commands to the coordinator of a hill: a bot enters, leaves, or has its name hidden.

Their numbers increase, and each is carried out once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from attrs import frozen

from arena.tournament.entries import Entry, State


@frozen
class EntryCommand:
    """A command to let a version enter, in place of any older one of its name."""

    number: int  #: the position in the order of commands
    entry: Entry  #: the version; where it is not active, only its state is recorded

    @property
    def name(self) -> str:
        """The name of the bot."""
        return self.entry.name


@frozen
class WithdrawalCommand:
    """A command by which all versions of a bot leave."""

    number: int  #: the position in the order of commands
    name: str  #: the name of the bot
    why: str = ""  #: the reason
    state: State = State.WITHDRAWN  #: the new state of the versions


@frozen
class AliasCommand:
    """A command to show another name in place of a bot's."""

    number: int  #: the position in the order of commands
    name: str  #: the name of the bot
    alias: str  #: the name to show


CoordinatorCommand: TypeAlias = EntryCommand | WithdrawalCommand | AliasCommand


class CommandQueue(Protocol):
    """The source of commands while a tournament runs."""

    def fetch(self, after: int) -> Sequence[CoordinatorCommand]:
        """Return the commands after this number, in order."""
