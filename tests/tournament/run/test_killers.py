"""Workers that are killed, by bots or from outside: no match is lost for good, nobody is blamed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.rules import End
from arena.tournament.file.spec import TournamentSpec
from tests.support.programs import ECHO, HOST_NUMBER, list_command_lines
from tests.support.tournaments.folders import (
    count_matches,
    list_matches,
    list_states,
    run_tournament,
    write_bot,
    write_tournament,
)
from tests.support.tournaments.forked_workers import forked_workers

__all__ = ["forked_workers"]

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked_workers")]
KILLER = f"""
import os, signal
input()
os.kill({HOST_NUMBER}, signal.SIGKILL)
signal.pause()
"""
"""Kills the worker that hosts it at its first line."""

TOURNAMENT = """
game = "gops"
seed = "{}"
check = false
workers = 1
{}
[options]
cards = 4
"""


def list_states_by_name(folder: dict[str, str]) -> dict[str, str]:
    return {entrant.partition("@")[0]: state for entrant, state in folder.items()}


def list_void_matches(program: TournamentSpec) -> list[set[str]]:
    """Return who sat in each match that is void; no match has a verdict."""
    matches = list_matches(program)
    assert not [seat for match in matches for seat in match["seats"] if seat["verdict"]]
    return [
        {seat["name"] for seat in match["seats"]}
        for match in matches
        if match["outcome"] == End.VOID
    ]


def test_a_killer_among_honest_bots(
    tmp_path: Path, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A killer is set aside after three void matches, and everybody else plays all."""
    monkeypatch.setenv("ARENA_TEST_MARK", mark)
    mine = write_bot(tmp_path, "killer", KILLER)
    honest = ["random", "match", str(write_bot(tmp_path, "echo", ECHO))]
    text = TOURNAMENT.format("1", "matches = 12")
    program = write_tournament(tmp_path / "t", text, *honest, str(mine))
    monitor = run_tournament(program)
    assert list_states_by_name(list_states(program)) == {
        "random": "active", "match": "active", "echo": "active", "killer": "set aside",
    }  # fmt: skip
    deadly = list_void_matches(program)
    assert 3 <= len(deadly) <= 4  # two may come with no other match in between
    assert all("killer" in seated for seated in deadly)
    (line,) = monitor.lines
    assert re.fullmatch(
        r"killer is set aside: the workers of its matches (\d+\.0, ){2}\d+\.0 died twice, and no"
        " others",
        line,
    )
    assert count_matches(program).remaining == 0
    assert list_command_lines(mark) == []
