"""Whose fault it is that something with a bot failed: the bot's, the host's, or a plugin's."""

from __future__ import annotations

from enum import Enum, auto

from arena.host.shortages import describe_shortage
from arena.rules import HostError, UserError


class Culprit(Enum):
    """Who has to mend what failed."""

    BOT = auto()  #: its files, its parameters or its program
    HOST = auto()  #: the machine, its disk, its sandbox or its database
    CODE = auto()  #: a game or a plugin, which would fail again


def find_culprit(problem: BaseException | None) -> Culprit:
    """Return whose fault an exception is, where a bot is made ready or plays.

    The host's are a `HostError`, what the system refuses and what the machine lacks. Any other
    `UserError` says what is wrong with the bot. Anything else is a mistake in code, and so is what
    failed without an exception.
    """
    if isinstance(problem, HostError | OSError) or describe_shortage(problem):
        return Culprit.HOST
    return Culprit.BOT if isinstance(problem, UserError) else Culprit.CODE
