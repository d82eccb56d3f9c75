"""The plugin of `examples/plugins`, installed as its readers install it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import Cli

pytestmark = pytest.mark.slow


@pytest.fixture
def site(root: Path, tmp_path: Path) -> str:
    """Install the plugin into a folder that is put on the path."""
    folder = tmp_path / "site"
    here_alone = ("--no-index", "--no-deps", "--no-build-isolation", "--target", str(folder))
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *here_alone, str(root / "examples/plugins/slowest")],
        capture_output=True, check=True,
    )  # fmt: skip
    return str(folder)


def test_the_example_plugin_observes_a_match_and_brings_a_command(cli: Cli, site: str) -> None:
    """A program is slower than a bot in the host's process, and each match says so."""
    words = ("match", "kuhn", "careful", "program:random", "--games", "2")
    watched = cli(*words, PYTHONPATH=site)
    assert watched.returncode == 0
    assert watched.stderr == "random was the slowest\n" * 2
    assert cli(*words).stderr == ""
    assert cli("slowly", PYTHONPATH=site).stdout == "Take your time.\n"
