"""The plugin of `examples/plugins`, installed from its wheel, as its readers install it."""

from __future__ import annotations

from contextlib import chdir
from pathlib import Path
from zipfile import ZipFile

import pytest
from hatchling.build import build_wheel

from tests.support.command import Cli

pytestmark = pytest.mark.slow


@pytest.fixture
def site(root: Path, tmp_path: Path) -> str:
    """Install the plugin into a folder that is put on the path."""
    folder = tmp_path / "site"
    with chdir(root / "examples/plugins/slowest"):
        wheel = build_wheel(str(tmp_path))
    ZipFile(tmp_path / wheel).extractall(folder)
    return str(folder)


def test_the_example_plugin_observes_a_match_and_brings_a_command(cli: Cli, site: str) -> None:
    """A program is slower than a bot in the host's process, and each match says so."""
    words = ("match", "kuhn", "careful", "program:random", "--games", "2")
    watched = cli(*words, PYTHONPATH=site)
    assert watched.returncode == 0
    assert watched.stderr == "random was the slowest\n" * 2
    assert cli(*words).stderr == ""
    assert cli("slowly", PYTHONPATH=site).stdout == "Take your time.\n"
