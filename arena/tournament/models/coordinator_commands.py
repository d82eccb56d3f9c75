"""Commands to a running tournament that add, replace, remove or rename entrants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from attrs import frozen

from arena.tournament.models.records import Entry, State


@frozen
class CoordinatorCommand:
    """A command for the coordinator; numbers increase, and each is carried out once."""

    number: int  #: the position in the order of commands
    name: str  #: the name of the bot
    entry: Entry | None = None  #: the new version, which replaces any older one
    state: State = State.WITHDRAWN  #: without `entry`: the new state,
    why: str = ""  #: and its reason
    alias: str = ""  #: a name to show instead; then nothing else changes

    @property
    def is_withdrawal(self) -> bool:
        """Whether all versions of the bot leave."""
        return self.entry is None and not self.alias


class CommandQueue(Protocol):
    """The source of commands while a tournament runs."""

    def fetch(self, after: int) -> Sequence[CoordinatorCommand]:
        """Return the commands after this number, in order."""
