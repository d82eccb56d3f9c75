"""What the README shows can be typed as it stands."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.checkout import ROOT
from tests.support.command import run_arena
from tests.support.examples import copy_examples
from tests.support.requirements import require, require_solver

pytestmark = pytest.mark.slow  # runs commands

LINES = (ROOT / "README.md").read_text("utf-8").splitlines()
COMMANDS = [line for line in LINES if line.startswith("arena ")]
BOOK = {
    line.strip().removeprefix("$ ")
    for page in (ROOT / "docs").rglob("*.md")
    for line in page.read_text("utf-8").splitlines()
    if line.strip().startswith("$ arena ")
}
"""The commands that the tests of the book's pages type."""

SOLVED = [line for line in COMMANDS if " solve " in line or "nash" in line]
"""The commands that solve a game and use its solution, in this order."""
SOLVED_CARDS = 8
"""Instead of 13, which takes two and a half minutes of the processor."""


USES: dict[str, Sequence[str]] = {
    "gops-node": ["node"],
    "bs-koth": ["bash", "perl", "node", "ruby", "cc"],
}
"""What a part of a command has to be on the PATH for."""


@pytest.mark.parametrize(
    "command",
    [
        line
        for line in COMMANDS
        if line not in SOLVED and line.partition(" #")[0].strip() not in BOOK
    ],
)
def test_a_command_of_the_readme(command: str, tmp_path: Path) -> None:
    """It runs in a checkout, and nothing goes wrong; who plays may leave at once.

    What a page of the book runs in the same words is left to the page.
    """
    require(*(program for part, needed in USES.items() if part in command for program in needed))
    if command.startswith("arena gops"):
        require_solver()
    examples = copy_examples(tmp_path, matches=4)
    for path in (examples / "tournaments").glob("*.toml"):  # tests/check checks the bots
        path.write_text(f"check = false\n{path.read_text()}")
    see_it_run(command, tmp_path)


def test_the_commands_of_the_solved_game(tmp_path: Path) -> None:
    """A game with fewer cards than in the README is solved, and its solution plays."""
    require_solver()
    solve, play = SOLVED
    assert "--cards 13" in solve
    see_it_run(solve.replace("13", str(SOLVED_CARDS)), tmp_path)
    see_it_run(play.replace("nash", f"nash -o cards={SOLVED_CARDS}"), tmp_path)


def see_it_run(command: str, folder: Path) -> None:
    words = shlex.split(command, comments=True)[1:]
    done = run_arena(words, folder, os.environ)
    assert done.returncode == 0, done.stderr
    # there a tournament says how far it is, and `auto` what it has come to
    assert done.stderr == "" or {"tournament", "--sandbox"} & {*words}
    assert done.stdout


def test_the_readme_shows_commands() -> None:
    """The README shows enough commands for the test above to mean something."""
    assert len(COMMANDS) >= 5
    assert len(SOLVED) == 2


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_what_a_page_points_to_is_there(name: str) -> None:
    """Every link to a file of the checkout leads somewhere."""
    text = (ROOT / name).read_text("utf-8")
    links = [part.partition(")")[0].partition("#")[0] for part in text.split("](")[1:]]
    missing = [link for link in links if "://" not in link and not (ROOT / link).exists()]
    assert missing == []
