"""An arena in a folder that other users cannot enter: root cannot start programs in Landlock."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.programs import TIMEOUT

ASK = """
import sys
sys.path.insert(0, sys.argv[1])
from arena.sandbox import LANDLOCK, find_obstacle
print(find_obstacle(LANDLOCK))
"""


def test_the_closed_folder_is_named(root: Path, tmp_path: Path) -> None:
    """The reason says which folder it is, and what to do, in one line."""
    if os.getuid() != 0:
        pytest.skip("only root has programs run as other users")
    private = tmp_path / "private"
    shutil.copytree(root / "arena", private / "checkout" / "arena")
    for folder in (*tmp_path.parents[:-2], tmp_path):
        folder.chmod(0o755)
    private.chmod(0o700)
    done = subprocess.run(
        [sys.executable, "-c", ASK, private / "checkout"], capture_output=True, text=True, check=False, timeout=TIMEOUT
    )  # fmt: skip
    assert done.stderr == ""
    assert f"cannot enter {private}: install the arena elsewhere" in done.stdout
    assert done.stdout.count("\n") == 1
