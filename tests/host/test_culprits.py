"""Whose fault it is that something with a bot failed."""

from __future__ import annotations

import pytest

from arena.host import BotError, Culprit, MachineError, ShortageError, find_culprit
from arena.rules import GameError, StorageError, UnknownNameError, UserError
from arena.sandbox import NoSandboxError
from arena.tournament.run.entrant_sandboxes import UntrustedEntrantError


@pytest.mark.parametrize(
    ("problem", "culprit"),
    [
        (BotError("mine has no program"), Culprit.BOT),
        (UnknownNameError("bot", "nobody", ["random"]), Culprit.BOT),
        (UserError("gops is for 2 players, not 3"), Culprit.BOT),
        (MachineError("the copy has changed"), Culprit.HOST),
        (ShortageError("no space left on the disk"), Culprit.HOST),
        (NoSandboxError("no sandbox works here"), Culprit.HOST),
        (StorageError("the disk is away"), Culprit.HOST),
        (UntrustedEntrantError("no sandbox contains it"), Culprit.HOST),
        (PermissionError(), Culprit.HOST),
        (MemoryError(), Culprit.HOST),
        (RuntimeError("can't start new thread"), Culprit.HOST),
        (GameError("the rules tell nobody"), Culprit.CODE),
        (ZeroDivisionError(), Culprit.CODE),
        (None, Culprit.CODE),
    ],
)
def test_each_error_has_one_culprit(problem: BaseException | None, culprit: Culprit) -> None:
    """What names neither the host nor code says what is wrong with the bot."""
    assert find_culprit(problem) is culprit
