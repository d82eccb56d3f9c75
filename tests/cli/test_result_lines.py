"""Each match's line comes as soon as it is over, and none is lost."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.command import ARENA
from tests.support.programs import TIMEOUT

pytestmark = pytest.mark.slow

BOT = """
import os
import signal
from pathlib import Path
from time import monotonic, sleep

from arena.players import RandomBot


class Second(RandomBot):
    matches = 0

    def greet(self, greeting):
        super().greet(greeting)
        type(self).matches += 1
        self.begins = self.matches == 2

    def choose(self, question):
        if self.begins:
            self.begins = False
            self.begin()
        return super().choose(question)


class Waiting(Second):
    def begin(self):
        deadline = monotonic() + PATIENCE
        while not Path("read").exists():
            if monotonic() > deadline:
                raise TimeoutError("nobody has read the first line")
            sleep(0.01)


class Ending(Second):
    def begin(self):
        os.kill(os.getpid(), signal.SIGTERM)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with bots that do something in their second match."""
    (tmp_path / "bots.py").write_text(f"PATIENCE = {TIMEOUT / 2}\n{BOT}")
    return tmp_path


def start_match(folder: Path, bot: str) -> subprocess.Popen[str]:
    """Start three matches of this bot, whose result lines go into a pipe."""
    words = f"match gops random bots.py:{bot} --games 3 --json --move-time {TIMEOUT}".split()
    return subprocess.Popen([ARENA, *words], cwd=folder, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)  # fmt: skip


def test_a_line_does_not_wait_for_the_next_match(folder: Path) -> None:
    """The line of a match comes through a pipe while the next match is still played."""
    with start_match(folder, "Waiting") as arena:
        assert arena.stdout
        first = arena.stdout.readline()
        (folder / "read").touch()
        rest, _ = arena.communicate(timeout=TIMEOUT)
    lines = [json.loads(line) for line in (first, *rest.splitlines())]
    assert len(lines) == 3
    assert not [seat["verdict"] for line in lines for seat in line["seats"] if seat["verdict"]]


def test_a_signal_loses_no_line(folder: Path) -> None:
    """What was played before a signal is written."""
    with start_match(folder, "Ending") as arena:
        written, _ = arena.communicate(timeout=TIMEOUT)
    assert arena.returncode == 143
    assert [json.loads(line)["outcome"] for line in written.splitlines()] == ["finished"]
