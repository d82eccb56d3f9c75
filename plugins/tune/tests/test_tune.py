"""`arena tune`: whole runs, with workers, kills, and all that can be looked at afterwards."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.support.command import Cli, run_arena, start_arena
from tests.support.programs import environment, wait_for_end
from tests.support.tuning.line_bot import LINE_BOT, write_line_bot

pytestmark = pytest.mark.slow

EARLY_LINES = 7  # of the run's output, after which it is killed


def run_tune(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run_arena(["tune", "line.toml", "--json", *words], folder, environment(uuid4().hex))


def without_seconds(output: str) -> str:
    """Return the output of a run without the seconds that it took."""
    *lines, end = output.splitlines()
    packed = json.loads(end)
    assert packed.pop("seconds") > 0
    return "\n".join([*lines, json.dumps(packed)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run with two workers that is over."""
    folder = tmp_path_factory.mktemp("tuned")
    write_line_bot(folder)
    done = run_tune(folder, "--workers", "2")
    assert (done.returncode, done.stderr) == (0, "")
    (folder / "output").write_text(done.stdout)
    return folder


@pytest.fixture(scope="module")
def end(folder: Path) -> dict[str, Any]:
    packed: dict[str, Any] = json.loads((folder / "output").read_text().splitlines()[-1])
    return packed


def test_a_bot_is_tuned_and_tested(end: dict[str, Any]) -> None:
    """The winner beats the default in both tests, and the object says so with its figures."""
    assert end["conclusion"] == "better"
    assert end["winner"]["style"] == "near"
    assert end["bot"].startswith("line.py:Line:slope=")
    assert (end["gate"]["decision"], end["held"]["decision"]) == ("H1", "H1")
    held_out = {row["name"]: row["held_out"] for row in end["opponents"]}
    assert held_out == {"match": False, "random": False, "medium": True, "line.py:Line": True}
    assert end["verdicts"] == {}


def test_a_parameter_that_changed_nothing_is_named(end: dict[str, Any]) -> None:
    """A remark names it without advice: with other values of the rest it may count."""
    rows = {row["name"]: row for row in end["parameters"]}
    assert rows["style"]["changed_results"]
    assert rows["style"]["loss"] > rows["style"]["error"] > 0
    assert not rows["idle"]["changed_results"]
    assert rows["idle"]["loss"] == 0 < rows["idle"]["error"] < 0.2
    (remark,) = [remark for remark in end["remarks"] if "idle" in remark]
    assert remark == "moving idle alone changed no result; with other values of the rest it may"


def test_a_run_that_is_killed_comes_to_the_same_end(
    folder: Path, quick: Cli, tmp_path: Path
) -> None:
    """Killed with two workers, and gone on with by one, it prints the same bytes."""
    write_line_bot(tmp_path)
    mark = uuid4().hex
    words = ["tune", "line.toml", "--json", "--workers", "2"]
    with start_arena(words, tmp_path, environment(mark)) as run:
        for _ in range(EARLY_LINES):
            run.stdout.readline()
        run.process.kill()
        assert run.process.wait() == -signal.SIGKILL
    assert wait_for_end(mark) == {}
    done = quick("tune", "line.toml", "--json", "--workers", "1")
    assert without_seconds(done.stdout) == without_seconds((folder / "output").read_text())


def test_a_run_can_be_looked_at_without_playing(
    folder: Path, end: dict[str, Any], quick: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--show` prints what the run printed, and a report has a plot for each part."""
    monkeypatch.chdir(folder)
    assert quick("tune", "line.toml", "--show", "--json").stdout == (folder / "output").read_text()
    shown = quick("tune", "line.toml", "--show").stdout.splitlines()
    assert shown[-1] == "Conclusion: better."
    assert " ".join(shown).count(end["headline"]) == 1
    quick("tune", "line.toml", "--report", "report")
    page = (folder / "report" / "index.html").read_text()
    for words in (
        "Progress",
        "The final test",
        "By opponent",
        "By parameter",
        end["headline"],
        "A pair is",
    ):
        assert words in page
    assert page.count('role="img"') == 1 + 2 + 4 + 5  # progress, tests, opponents, parameters
    assert "already exists" in quick("tune", "line.toml", "--report", "report").stderr


def test_another_run_is_not_continued(
    folder: Path, quick: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed bot or a changed file is an error in one line, and nothing is played."""
    monkeypatch.chdir(folder)
    text = (folder / "line.toml").read_text()
    (folder / "line.toml").write_text(text.replace("gain = 0.06", "gain = 0.07"))
    done = quick("tune", "line.toml")
    assert done.stderr.startswith("arena: line.db: changed since this run began: settings;")
    (folder / "line.toml").write_text(text)
    (folder / "line.py").write_text(LINE_BOT + "\n# changed\n")
    done = quick("tune", "line.toml")
    assert done.stderr.startswith("arena: line.db: changed since this run began: bot, opponents;")
    (folder / "line.py").write_text(LINE_BOT)


def test_a_candidate_that_crashes_loses(quick: Cli, tmp_path: Path) -> None:
    """Its verdicts are counted, and where an opponent crashes the match does not count."""
    file = write_line_bot(tmp_path)
    file.write_text(file.read_text().replace("matches = 400", "matches = 200"))
    crashing = LINE_BOT.replace(
        "        if self.ends", "        self.ends or 1 / 0\n        if self.ends"
    )
    (tmp_path / "line.py").write_text(crashing)
    done = quick("tune", "line.toml", "--json", "--workers", "1")
    end = json.loads(done.stdout.splitlines()[-1])
    assert end["winner"]["ends"] is True
    assert end["verdicts"]["crashed"] > 0
    assert end["void"] > 0  # against the default, which is held out


def test_a_bad_tune_file_is_one_line(quick: Cli, tmp_path: Path) -> None:
    """It is refused before anything is made."""
    (tmp_path / "mine.toml").write_text('game = "gops"\nbot = "nobody"\n')
    done = quick("tune", "mine.toml")
    assert done.returncode == 2
    assert done.stderr.startswith("arena: mine.toml: nobody: not a folder with a bot.toml")
    assert done.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["mine.toml"]


def test_a_raised_budget_is_a_new_stage(quick: Cli, tmp_path: Path) -> None:
    """All that was played stays, and the search goes on from the winner; it is not lowered."""
    file = write_line_bot(tmp_path)
    text = file.read_text().replace("gain = 0.06, pairs = 200", "gain = 0.5, pairs = 16")
    file.write_text(text.replace("matches = 400", "matches = 100"))
    first = quick("tune", "line.toml", "--json", "--workers", "1").stdout.splitlines()
    file.write_text(text.replace("matches = 400", "matches = 200"))
    second = quick("tune", "line.toml", "--json", "--workers", "1").stdout.splitlines()
    assert second[: len(first) - 1] == first[:-1]
    assert json.loads(second[len(first) - 1])["stage"] == "search"
    assert json.loads(second[-1])["matches"] > json.loads(first[-1])["matches"] + 80
    assert quick("tune", "line.toml", "--show", "--json").stdout.splitlines() == second
    shown = quick("tune", "line.toml", "--show").stdout
    generations = f"{sum(json.loads(line).get('stage') == 'search' for line in second)}"
    assert f"; {generations} of {generations} generations\n" in shown
    file.write_text(text.replace("matches = 400", "matches = 150"))
    refused = quick("tune", "line.toml")
    assert refused.stderr.startswith("arena: line.db: changed since this run began: settings;")
