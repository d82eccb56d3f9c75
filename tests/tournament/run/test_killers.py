"""Bots that kill their workers, among honest ones: they are told, and nobody else is."""

from __future__ import annotations

from multiprocessing import resource_tracker
from pathlib import Path

import pytest

from arena.rules import End
from tests.support.programs import ECHO, HOST_NUMBER, list_command_lines
from tests.support.tournaments.folders import (
    count_matches,
    list_matches,
    list_states,
    run_tournament,
    write_bot,
    write_tournament,
)

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


def names(folder: dict[str, str]) -> dict[str, str]:
    """Return where everybody stands, by name."""
    return {entrant.partition("@")[0]: state for entrant, state in folder.items()}


def guilty(program: object) -> set[tuple[str, str]]:
    """Return who has which verdict."""
    return {
        (seat["name"], seat["verdict"]["kind"])
        for match in list_matches(program)  # type: ignore[arg-type]
        for seat in match["seats"]
        if seat["verdict"]
    }


def test_a_killer_among_honest_bots(
    tmp_path: Path, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the verdict in what it has killed, is set aside, and everybody else plays all."""
    resource_tracker.ensure_running()  # it lives on, and is not to carry this test's mark
    monkeypatch.setenv("ARENA_TEST_MARK", mark)
    mine = write_bot(tmp_path, "killer", KILLER)
    honest = ["random", "match", str(write_bot(tmp_path, "echo", ECHO))]
    text = TOURNAMENT.format("1", "matches = 12")
    program = write_tournament(tmp_path / "t", text, *honest, str(mine))
    said = run_tournament(program)
    assert guilty(program) == {("killer", "crashed")}
    assert names(list_states(program)) == {
        "random": "active", "match": "active", "echo": "active", "killer": "set aside",
    }  # fmt: skip
    assert [line for line in said.lines if "killer is set aside: it has killed" in line]
    ends = [match["outcome"] for match in list_matches(program)]
    assert End.VOID not in ends
    assert ends.count(End.FORFEITED) >= 3
    assert count_matches(program).remaining == 0
    assert list_command_lines(mark) == []


def test_what_cannot_be_told_stays_void_and_is_said(tmp_path: Path) -> None:
    """Two that have met nobody else: neither has a verdict."""
    mine = write_bot(tmp_path, "killer", KILLER)
    program = write_tournament(
        tmp_path / "t", TOURNAMENT.format("1", "matches = 1"), "random", str(mine)
    )
    said = run_tournament(program)
    assert guilty(program) == set()
    assert {match["outcome"] for match in list_matches(program)} == {End.VOID}
    assert all("it is unclear which bot did that" in done.detail for done in said.over)
    assert names(list_states(program)) == {"random": "active", "killer": "active"}


def test_swiss_goes_on_with_killers_in_it(tmp_path: Path) -> None:
    """Where each round needs the results of the last, what cannot be told is void in the meantime."""
    mine = write_bot(tmp_path, "killer", KILLER)
    text = TOURNAMENT.format("3", 'format = "swiss:rounds=3"')
    program = write_tournament(tmp_path / "t", text, "random", "match", "hard", str(mine))
    run_tournament(program)
    assert count_matches(program).remaining == 0
    assert guilty(program) <= {("killer", "crashed")}
    assert names(list_states(program))["killer"] == "set aside"
