"""Controls: where the starter does not do what it should, the comparisons with plain starts tell."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.players import starters
from tests.players.test_warm_starts import DIFFERENT, find_differences
from tests.support.script_runner import Runner

Alter = Callable[[str, str, str], None]


@pytest.fixture
def runner(tmp_path: Path, mark: str) -> Runner:
    """Return a way to run scripts."""
    (tmp_path / "work").mkdir()
    runner = Runner(sys.executable, tmp_path / "work" / "script.py", mark)
    runner.environment["CONTROL"] = str(tmp_path)  # which has a starter of its own
    return runner


@pytest.fixture
def alter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Alter:
    """Return a way to alter a file of the starter, for the starters of this test."""
    folder = tmp_path / "starter"
    shutil.copytree(starters.FOLDER, folder)
    monkeypatch.setattr(starters, "FOLDER", folder)

    def alter_file(name: str, old: str, new: str) -> None:
        path = folder / name
        text = path.read_text()
        assert text.count(old) == 1
        path.write_text(text.replace(old, new))

    return alter_file


def test_an_unaltered_copy_is_like_the_starter(runner: Runner, alter: Alter) -> None:
    """What the other controls find is due to what they alter."""
    alter("run.py", "import sys\n", "import sys\n\n")
    assert find_differences(runner) == DIFFERENT


def test_a_module_that_is_imported_beforehand_is_seen(runner: Runner, alter: Alter) -> None:
    """Modules that a plain interpreter has not imported are found."""
    alter("run.py", "import sys\n", "import sys\nimport json\n")
    found = find_differences(runner)
    assert "modules" in found
    assert found.keys() - DIFFERENT.keys() <= {"modules", "importers"}


def test_an_isolated_interpreter_is_seen(
    runner: Runner, alter: Alter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A starter must not have options that its scripts do not have."""
    folder = str(starters.FOLDER)
    alter("run.py", "import sys\n", f"import sys\nsys.path.insert(0, {folder!r})\n")
    build = starters.ProgramStarter._build_arguments
    monkeypatch.setattr(
        starters.ProgramStarter,
        "_build_arguments",
        lambda starter, descriptor: ["-I", *build(starter, descriptor)],
    )
    assert "flags" in find_differences(runner)


def test_frames_that_are_not_hidden_are_seen(runner: Runner, alter: Alter) -> None:
    """The message of an exception shows what stands below a script."""
    alter("starter_server.py", "        hide_frame(problem)\n", "        pass\n")
    plain, warm = runner.run_both_ways("1 / 0")
    assert plain != warm
    assert b"run.py" in warm[1]
