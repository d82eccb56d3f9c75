"""Tests whose program is missing are skipped, and counted by the package that has it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import requirements
from tests.support.programs import TIMEOUT
from tests.support.requirements import (
    PACKAGE_INDEX,
    PACKAGES,
    SANDBOX,
    count_missing,
    explain_missing,
    require,
    require_package_index,
)
from tests.support.summary import FILE, describe_left_out

WORKER = "PYTEST_XDIST_WORKER"  # in the environment of one


def test_a_missing_program_is_named_with_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has to be installed stands at the end of the reason."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(pytest.skip.Exception, match=r"node is not .*: apt install nodejs$"):
        require("node")
    with pytest.raises(pytest.skip.Exception, match=r"ruby is not .*: apt install ruby$"):
        require("ruby")
    with pytest.raises(pytest.skip.Exception, match=r"go is not .*: install Go$"):
        require("go")


def test_a_missing_package_index_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where pip reaches no package index the test is skipped; in CI it fails."""
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    problem = requirements.probe_package_index()
    monkeypatch.setattr(requirements, "probe_package_index", lambda: problem)
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception) as skip:
        require_package_index()
    assert count_missing([f"Skipped: {skip.value}"]) == {PACKAGE_INDEX: 1}
    monkeypatch.setenv("CI", "1")
    with pytest.raises(pytest.fail.Exception, match="No matching distribution"):
        require_package_index()


def test_skipped_tests_are_counted_by_package() -> None:
    """What is skipped for other reasons is not counted; a sandbox may say what is missing, too."""
    reasons = [explain_missing("cc"), "Skipped: bwrap is not installed: apt install bubblewrap"]
    own_user = "its user cannot enter /root: install the arena elsewhere"
    sandboxes = [
        f"sandbox landlock does not work on this machine: {own_user}",
        f"landlock: {own_user}: install {SANDBOX}",
    ]
    assert count_missing([*reasons, reasons[1], "another Python", *sandboxes]) == {
        "bubblewrap": 2,
        SANDBOX: 2,
        PACKAGES["cc"]: 1,
    }


def test_what_was_left_out_is_summed_up() -> None:
    """With what there was too little of, the most of it first; only what there is is named."""
    cgroups = "the kernel counts no programs here: this machine has no cgroup v2"
    reasons = ["another Python", explain_missing("go"), cgroups, cgroups]
    assert describe_left_out(reasons, 1290) == [
        "4 skipped (cgroup v2 2, Go 1, other reasons 1)",
        "a release's 1,290 left out (--all)",
    ]
    assert describe_left_out([], 0) == []


LACKING = """
import pytest
from tests.support.requirements import require

@pytest.mark.parametrize("program", ["ruby", "node", "node"])
def test_a_bot(program):
    require(program)

@pytest.mark.release
def test_a_load():
    pass
"""


def test_the_last_lines_of_a_run_count_them(root: Path, tmp_path: Path) -> None:
    """So do those of a run with a worker where no Ruby and no Node is; `./run test` reads them."""
    own = {name: value for name, value in os.environ.items() if name != WORKER}  # it is no worker
    own |= {"PATH": str(tmp_path), FILE: str(tmp_path / "summary"), "PYTHONPATH": str(root)}
    (tmp_path / "test_bots.py").write_text(LACKING)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = release\n")
    plugins = ("-p", "xdist", "-p", "tests.support.summary", "-p", "no:cacheprovider")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, "-m", "not release", "-n", "1", "-q"],
        cwd=tmp_path, env=own | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True, text=True, check=False, timeout=TIMEOUT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    said = (tmp_path / "summary").read_text().split("; ")
    assert said == ["no tests", "3 skipped (nodejs 2, ruby 1)", "a release's 1 left out (--all)"]
    assert {*said[1:]} <= {*done.stdout.splitlines()}
