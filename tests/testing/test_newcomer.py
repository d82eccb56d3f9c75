"""What an author sees who writes a few lines: a test for each law, and the case that fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.testing import LAWS
from arena.testing.golden import write_playthroughs
from tests.testing.games.higher import HIGHER

pytestmark = pytest.mark.slow  # starts pytest
FILE = """
from pathlib import Path

from attrs import evolve

from arena.testing import Contract
from tests.testing.games import faulty
from tests.testing.games import higher

GAME = evolve({game}, name="mine")


class TestMine(Contract):
    game = GAME
    golden = Path(__file__).parent / "golden"
    max_examples = 2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the golden playthroughs of the game."""
    for file in write_playthroughs(HIGHER, tmp_path / "golden", {}):
        text = file.read_text("utf-8").replace("game: higher", "game: mine")
        (file.parent / file.name.replace("higher", "mine")).write_text(text)
    return tmp_path


def run(folder: Path, root: Path, game: str, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_mine.py").write_text(FILE.format(game=game))
    environment = {**os.environ, "PYTHONPATH": str(root), "COLUMNS": "120"}
    environment.pop("PYTEST_ADDOPTS", None)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-W", "error", *words],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_sound_game_passes_some_thirty_tests(folder: Path, root: Path) -> None:
    """A few lines are enough, and nothing warns; the game lives in the test file itself.

    Whatever becomes a law is tested under its name. The contract is collected where it is derived
    from, and nowhere else. No file is left; hypothesis keeps its own folder, which git ignores.
    """
    done = run(folder, root, "higher.HIGHER", "-v")
    assert done.returncode == 0, done.stdout
    passed = [line for line in done.stdout.splitlines() if " PASSED " in line]
    assert len(passed) >= 30
    assert "skipped" not in done.stdout
    assert all("TestMine::test_" in line for line in passed)
    assert LAWS
    for law in LAWS:
        assert f"TestMine::test_law[{law}]" in done.stdout
    left = {file.name for file in folder.iterdir()} - {"__pycache__", ".hypothesis"}
    assert left == {"test_mine.py", "golden"}


def test_a_failing_test_shows_the_case(folder: Path, root: Path) -> None:
    """The case is small, and can be pasted; a game that cannot be played fails once.

    Then the law that every game ends fails, and all other tests are skipped with its reason.
    """
    scoreless = FILE.format(game="faulty.WITHOUT_A_SCORE").replace("TestMine", "TestScores")
    (folder / "test_scores.py").write_text(scoreless)
    done = run(
        folder, root, "faulty.REFUSING", "-q", "-rs", "-k", "TestMine or scores_are_complete"
    )
    assert done.returncode == 1
    (failed,) = [line for line in done.stdout.splitlines() if " failed" in line]
    assert "2 failed" in failed
    assert "passed" not in failed
    assert "are 1 for 2 seats" in done.stdout
    case = "".join(line.removeprefix("E").strip() for line in done.stdout.splitlines())
    assert "case=Case(options={},seats=2,seed='0',moves=())" in case.replace(", ", ",")
    assert "GameError: the rules reject an answer that their question allows" in done.stdout
    (reason,) = {line.partition(": ")[2] for line in done.stdout.splitlines() if "SKIPPED" in line}
    assert reason.startswith("the game cannot be played to its end: the rules rej")
    assert reason.endswith("(see test_law[every_game_ends])")
