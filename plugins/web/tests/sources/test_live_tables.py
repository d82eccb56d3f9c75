"""Tables of a tournament are watched while they are played, and a gate holds their bots up."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import httpx2
import pytest
from playwright.sync_api import Locator, expect
from playwright.sync_api import TimeoutError as NotThere

from arena_web.app import build_application
from arena_web.routes import SourcePages
from arena_web.server import run_in_thread
from arena_web.sources import open_sources
from tests.support.programs import TIMEOUT
from tests.support.web.browser import Pages as Windows
from tests.support.web.browser import check_page

GATED = """
import sys
gate = open(sys.argv[1], "r+b", 0)
for line in sys.stdin:
    if line.startswith("Competition"):
        gate.read(1)
        print(line.split()[-1], flush=True)
"""
ENOUGH = 4000  # answers
FILE = """
game = "gops"
matches = {matches}
table = 2
workers = 1
seed = "1"
check = false
duplicate = {duplicate}
transcripts = "all"

[time]
move = {timeout}
start = {timeout}

[options]
cards = 60  # more answers than anybody waits for

[[entrant]]
name = "gated"
bot = "{python} -I -S gated.py {gate}"

[[entrant]]
bot = "match"
"""


class Gate:
    """What a bot waits for before each answer."""

    def __init__(self, folder: Path) -> None:
        (folder / "gated.py").write_text(GATED)
        self._path = folder / "gate"
        os.mkfifo(self._path)
        self._file: IO[bytes] | None = None

    def arrive(self) -> None:
        """Wait until the bot is there."""
        self._file = self._path.open("wb", 0)

    def let(self, answers: int) -> None:
        """Let it give so many answers."""
        assert self._file
        self._file.write(b"x" * answers)

    def let_until_there(self, place: Locator) -> None:
        """Let it go on, answer by answer, until this is on the page.

        A worker looks whether it is watched when something happens, once a second at most.
        """
        while True:
            self.let(1)
            try:
                place.wait_for(timeout=3000)
            except NotThere:
                continue
            return

    def close(self) -> None:
        """Close it."""
        if self._file:
            self._file.close()


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    """Make the gate, and the bot that waits there."""
    made = Gate(tmp_path)
    yield made
    made.close()


@pytest.fixture
def playing(tmp_path: Path, gate: Gate, request: pytest.FixtureRequest) -> Iterator[str]:
    """Run a tournament until the bot has its first question, and serve it."""
    file = tmp_path / "hill.toml"
    values = {
        "gate": tmp_path / "gate",
        "python": sys.executable,
        "timeout": TIMEOUT,
        "matches": 2,
        "duplicate": "false",
    }
    file.write_text(FILE.format(**values | getattr(request, "param", {})))
    arena = Path(sys.executable).with_name("arena")
    with subprocess.Popen([arena, "tournament", "run", file], cwd=tmp_path) as run:
        try:
            gate.arrive()
            pages = SourcePages(open_sources([str(file)]))
            with run_in_thread(
                build_application(pages.routes, on_shutdown=[pages.close])
            ) as address:
                yield f"{address}t/hill/"
        finally:
            gate.let(ENOUGH)  # a run ends when the matches that it plays are over
            run.terminate()


COUNTED = """
window.streams = new Set();
window.EventSource = class extends EventSource {
  constructor(url) { super(url); window.streams.add(this); }
  close() { super.close(); window.streams.delete(this); }
};
"""
"""Keeps the open streams of a page."""


def test_a_table_is_watched_as_it_is_played(playing: str, gate: Gate, pages: Windows) -> None:
    """Who comes in the middle sees all from the beginning, and then each bid as it is shown.

    The live page has what changes in the tournament and at the table by one connection.
    """
    table, page = pages.blank(), pages.blank(script=COUNTED)
    page.goto(f"{playing}live")
    link = page.get_by_role("link", name="Watch")
    gate.let_until_there(link)
    table.goto(f"{playing}{link.get_attribute('href')}")
    log = table.locator("#log")
    expect(log).to_contain_text("Round 1 of 60")
    check_page(table)
    expect(page.locator("#broadcast .kind")).to_contain_text("being played")
    gate.let(3)
    expect(page.locator("#broadcast .told")).not_to_be_empty()
    expect(page.locator("#broadcast .shown .card").first).to_be_visible()
    assert page.evaluate(
        "[...streams].map((stream) => new URL(stream.url).search.slice(0, 7))"
    ) == ["?table="]
    gate.let(60)
    expect(table.locator("#ended")).to_be_visible()
    expect(log).to_contain_text("Round 60 of 60")
    expect(table.locator("#turn")).to_have_text("The match is over")
    expect(page.locator("#part tbody a")).to_have_count(1)
    assert page.evaluate("streams.size") == 1


@pytest.mark.parametrize("playing", [{"duplicate": "true"}], indirect=True)
def test_a_table_whose_deal_is_played_again_is_not_shown(
    playing: str, gate: Gate, pages: Windows
) -> None:
    """What is announced in one rotation would be news in the other, to a program that listens."""
    page = pages.open(f"{playing}live")
    gate.let_until_there(page.locator(".tables .key").first)
    expect(page.get_by_role("link", name="Watch")).to_have_count(0)
    with httpx2.Client(base_url=playing, verify=False) as client:
        key = page.locator(".tables .key").first.inner_text()
        assert client.get(f"live/{key}").status_code == 403
        assert client.get(f"live/{key}/events").status_code == 204
        assert client.get("live/99.0/events").status_code == 204
        assert client.get("live/99.0").status_code == 404
