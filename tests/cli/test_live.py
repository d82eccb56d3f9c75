"""The live display of a tournament, in a real terminal."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import termios
from pathlib import Path

import pytest

from tests.support.command import Cli
from tests.support.command_forks import start_forks
from tests.support.programs import ECHO, PYTHON, TIMEOUT, environment

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("inline_workers")]

TOURNAMENT = """
game = "kuhn"
matches = 8
seed = "1"
workers = 1
[[entrant]]
bot = "random"
[[entrant]]
bot = "careful"
[[entrant]]
name = "late"
bot = "program:random"
[[entrant]]
name = "broken"
bot = "bash -c 'exit 3'"
"""
CROWD = "".join(f'[[entrant]]\nname = "one_{number}"\nbot = "random"\n' for number in range(30))
LARGE, SMALL = (120, 40), (80, 24)  # columns, rows


def terminal(folder: Path, mark: str, size: tuple[int, int] = LARGE) -> tuple[int, str]:
    """Run the tournament on a terminal; return its exit status and all that the terminal got."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", *size[::-1], 0, 0))
    surroundings = {**environment(mark), "TERM": "xterm-256color"}
    del surroundings["NO_COLOR"], surroundings["COLUMNS"]
    words = ["tournament", "run", "cup.toml"]
    process = start_forks().start(words, folder, surroundings, [theirs] * 3)
    os.close(theirs)
    got = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # nobody holds the other end any more
            break
        got += part
    os.close(ours)
    return process.wait(TIMEOUT), got.decode()


def test_a_terminal_shows_how_far_it_is_and_who_leads(tmp_path: Path, mark: str) -> None:
    """Progress with the time left, who was left out, and at last the table, which stays."""
    (tmp_path / "cup.toml").write_text(TOURNAMENT)
    status, got = terminal(tmp_path, mark)
    assert status == 1  # somebody was left out
    assert "checking late, 3 of 4" in got
    assert "checking random" not in got  # a bundled bot need not be seen
    assert "broken is left out: crashed" in got
    assert " of 8 matches, " in got
    assert "a second, " in got
    for frame in frames(got):  # no table of zeros
        assert not any("rating" in line for line in frame) or any("│ 1 │" in line for line in frame)
    last = got.rpartition("rating")[2]
    assert all(name in last for name in ("careful", "random", "late", "broken (unfit)"))
    assert "●" in last
    assert got.count("\x1b[?25l") == got.count("\x1b[?25h")  # the cursor is back


def frames(got: str) -> list[list[str]]:
    """Return the pictures that a terminal was shown one after the other, as lines of text."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-JL-Za-z]", "", got)
    return [
        [line.strip("\r") for line in frame.strip().splitlines()]
        for frame in re.split(r"(?:\x1b\[\d*K)+", plain)
    ]


def test_a_small_terminal_shows_how_far_it_is(tmp_path: Path, mark: str) -> None:
    """Below as much of the standings as there is room for, in one line; all of them at last."""
    (tmp_path / "cup.toml").write_text('game = "kuhn"\nmatches = 1500\nworkers = 1\n' + CROWD)
    _, got = terminal(tmp_path, mark, SMALL)
    *during, last = [frame for frame in frames(got) if any("rating" in line for line in frame)]
    assert during
    for frame in during:
        assert len(frame) < SMALL[1]
        assert max(map(len, frame)) <= SMALL[0]
        assert re.fullmatch(r"\d+ of 1500 matches.*|\d+ matches are over.*", frame[-1])
        assert "lines more; `arena standings` shows all" in frame[-2]
    assert sum("one_" in line for line in last) == 30


def test_who_is_built_and_checked_is_said(quick: Cli, tmp_path: Path) -> None:
    """A line for each where nobody looks at a terminal, before anything is played; once only."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "bot.py").write_text(ECHO)
    (folder / "bot.toml").write_text(
        f'name = "mine"\nbuild = "true"\ncommand = "{PYTHON[0]} bot.py"\n'
    )
    (tmp_path / "cup.toml").write_text(
        'game = "gops"\nmatches = 2\nworkers = 1\n[[entrant]]\nbot = "random"\n[[entrant]]\nbot = "mine"\n'
    )
    said = quick("tournament", "run", "cup.toml").stderr.splitlines()
    assert said[:2] == ["building mine, 2 of 2", "checking mine, 2 of 2"]
    again = quick("tournament", "run", "cup.toml").stderr
    assert "building" not in again
    assert "checking" not in again
