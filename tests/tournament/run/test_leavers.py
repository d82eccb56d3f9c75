"""Entrants that leave during a run: none of their matches begins any more."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from attrs import define, field

from arena.plugins import entry_points, get_plugins
from arena.tournament.commands import CoordinatorCommand, WithdrawalCommand
from arena.tournament.file.spec import TournamentSpec
from arena.tournament.run import admission
from arena.tournament.run.coordinator import Ending
from arena.tournament.run.tournament_run import run
from tests.support.command import Install
from tests.support.tournaments.folders import RecordingMonitor, count_matches, write_tournament
from tests.support.tournaments.forked_workers import forked_workers

__all__ = ["forked_workers"]

pytestmark = pytest.mark.usefixtures("forked_workers")
FALTERING = """
import os, signal
from attrs import evolve, frozen
from arena import hookimpl
from arena_kuhn import GAME, Kuhn

@frozen
class Faltering(Kuhn):
    "Waits for a writer of a pipe at its first deal, and then fails, or kills the worker."
    kills: bool = False
    async def deal(self, table):
        with open("deals", "a") as file:
            file.write("x")
            number = file.tell()
        if number == 1:
            with open("pipe") as pipe:
                pipe.read()
        if self.kills:
            os.kill(os.getpid(), signal.SIGKILL)
        raise ZeroDivisionError("a bug in the rules")

@hookimpl
def arena_games():
    return [evolve(GAME, name="faltering", variant=Faltering)]
"""
HILL = """
game = "faltering"
format = "round-robin"
check = false
duplicate = false
workers = 1
[options]
kills = {}
[hill]
share = 1
"""


@define
class LeaveInMatch(RecordingMonitor):
    """Withdraws bob in the first match, lets that go on then, and ends the run when all is over."""

    spec: TournamentSpec = field(kw_only=True)
    is_match_held: bool = True

    def fetch(self, after: int) -> Sequence[CoordinatorCommand]:
        if after and self.is_match_held:
            Path("pipe").write_text("")
            self.is_match_held = False
        if after and count_matches(self.spec).remaining == 0:
            signal.raise_signal(signal.SIGINT)
        has_begun = Path("deals").exists()
        return [WithdrawalCommand(1, "bob", "by its author")] if has_begun and not after else []


@pytest.fixture(autouse=True)
def faltering(tmp_path: Path, install: Install, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the game of this module, and check for commands all the time."""
    monkeypatch.syspath_prepend(install("faltering", FALTERING))
    monkeypatch.setattr(admission, "QUEUE_POLL_SECONDS", 0)
    monkeypatch.chdir(tmp_path)
    forget_plugins()
    yield
    forget_plugins()


def forget_plugins() -> None:
    """Forget which plugins are installed, so that they are found again."""
    entry_points._read_entry_points.cache_clear()
    get_plugins.cache_clear()


@pytest.mark.parametrize("kills", ["false", "true"])
def test_a_match_of_who_has_left_is_not_played_again(kills: str, tmp_path: Path) -> None:
    """A match that is void or lost with its worker is cancelled if an entrant has left meanwhile."""
    os.mkfifo("pipe")
    spec = write_tournament(tmp_path, HILL.format(kills), ann="random", bob="careful")
    monitor = LeaveInMatch(spec=spec)
    assert run(spec, monitor, commands=monitor) is Ending.INTERRUPTED
    assert Path("deals").read_text() == "x"
    counts = count_matches(spec)
    assert monitor.records == []
    assert (counts.cancelled, counts.planned) == (1, 1)
