"""The live display of a tournament, in a real terminal."""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
import termios
from pathlib import Path

from tests.conftest import ARENA
from tests.programs import environment

TOURNAMENT = """
game = "kuhn"
matches = 200
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
SIZE = struct.pack("HHHH", 40, 120, 0, 0)  # rows, columns


def terminal(folder: Path, mark: str) -> tuple[int, str]:
    """Run the tournament on a terminal; give its exit status and all that the terminal got."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, SIZE)
    surroundings = {**environment(mark), "TERM": "xterm-256color"}
    del surroundings["NO_COLOR"], surroundings["COLUMNS"]
    process = subprocess.Popen(
        [ARENA, "tournament", "run", "cup.toml"],
        cwd=folder, env=surroundings, stdin=theirs, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    got = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # nobody holds the other end any more
            break
        got += part
    os.close(ours)
    return process.wait(), got.decode()


def test_a_terminal_shows_how_far_it_is_and_who_leads(tmp_path: Path, mark: str) -> None:
    """Progress with the time left, who was left out, and at last the table, which stays."""
    (tmp_path / "cup.toml").write_text(TOURNAMENT)
    status, got = terminal(tmp_path, mark)
    assert status == 1  # somebody was left out
    assert "broken is left out: crashed" in got
    assert " of 200 matches, " in got
    assert "a second, " in got
    last = got.rpartition("rating")[2]
    assert all(name in last for name in ("careful", "random", "late", "broken (unfit)"))
    assert "●" in last
    assert got.count("\x1b[?25l") == got.count("\x1b[?25h")  # the cursor is back
