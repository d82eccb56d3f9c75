"""`tests/install.sh` says what it installs, and why, before it does."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.programs import TIMEOUT

TOOLS = ("awk", "cat", "grep", "id", "ls", "sh")


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """Return a folder for the PATH with what every Debian has, and no more."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name in TOOLS:
        (folder / name).symlink_to(shutil.which(name) or name)
    return folder


def install(root: Path, tools: Path) -> subprocess.CompletedProcess[str]:
    """Run the script where the PATH has these tools alone, and no apt-get."""
    return subprocess.run(
        [root / "tests/install.sh", "no-python", "/dev/null"], env={"PATH": str(tools)},
        capture_output=True, text=True, check=False, timeout=TIMEOUT,
    )  # fmt: skip


def test_missing_packages_are_listed_with_what_they_are_for(root: Path, tools: Path) -> None:
    """Where they cannot be installed the set-up ends in one line that says how to go on."""
    done = install(root, tools)
    assert done.returncode == 1
    assert "\n  bubblewrap             one of the two sandboxes\n" in done.stderr
    assert (
        "\n  uidmap                 gives each program in a sandbox a user of its own\n"
        in done.stderr
    )
    assert "\n  awk" not in done.stderr
    assert done.stderr.splitlines()[-1] == (
        "run: apt-get is not on this machine; install the packages yourself, or go on without"
        " them: ./run test --no-install"
    )


def test_a_program_that_is_there_needs_no_package(root: Path, tools: Path) -> None:
    """Only what is missing is listed."""
    (tools / "bwrap").symlink_to("/bin/sh")
    assert "bubblewrap" not in install(root, tools).stderr
