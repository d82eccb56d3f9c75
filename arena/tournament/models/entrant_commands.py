"""Commands to a running tournament that add, replace, remove or rename entrants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from attrs import frozen

from arena.tournament.models.records import Entry, State


@frozen
class EntrantCommand:
    """A command for the coordinator; numbers increase, and each is carried out once."""

    number: int  #: by which it comes in order
    name: str  #: of the bot
    entry: Entry | None = None  #: that is to take part, in place of any older version
    state: State = State.WITHDRAWN  #: else: where it stands from now on,
    why: str = ""  #: and why
    alias: str = ""  #: or all that is to happen: what is shown in place of its name


class CommandQueue(Protocol):
    """The source of commands while a tournament runs."""

    def fetch(self, after: int) -> Sequence[EntrantCommand]:
        """Return the commands after this number, in order."""
