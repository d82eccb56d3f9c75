"""`./run` sets up what can be set up, and goes on without the rest."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.programs import TIMEOUT

LEFT_OUT = (
    "run: going on without the GOPS solver (arena gops), which cannot be built here (see"
    " .venv/solver.log); it needs a C++ compiler and Python's headers (Debian: apt install g++"
    " python3-dev)\n"
)
BUILDING = "building the GOPS solver ...\n"
HALF_A_COMPILER = "#!/bin/sh\ncase $* in *-fsyntax-only*) exit 0 ;; *) exit 1 ;; esac\n"
"""Compiles Python's headers, as far as anybody can see, and builds nothing."""


@pytest.fixture
def checkout(root: Path, tmp_path: Path) -> Path:
    """Return a checkout with an environment in which everything is installed but the solver."""
    folder = tmp_path / "checkout"
    shutil.copytree(root / "plugins/gops-solver", folder / "plugins/gops-solver")
    shutil.copy(root / "run", folder)  # it works where it is
    for name in ("constraints.txt", "pyproject.toml", "games"):
        (folder / name).symlink_to(root / name)
    environment = folder / ".venv"
    environment.mkdir()
    for name in ("bin", "lib", "include", "pyvenv.cfg"):
        (environment / name).symlink_to(Path(sys.prefix) / name)
    (environment / "installed-demo").touch()
    return folder


def demo(folder: Path, compiler: Path | str, *words: str) -> subprocess.CompletedProcess[str]:
    """Type `./run demo` and these words where this is the C++ compiler, and no package index is in reach."""
    settings = {"CXX": str(compiler), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder)}
    return subprocess.run(
        [folder / "run", "demo", *words], env=os.environ | settings,
        capture_output=True, text=True, check=False, timeout=TIMEOUT,
    )  # fmt: skip


def test_a_demo_needs_no_compiler(checkout: Path) -> None:
    """The solver is left out, one line says so, its file says why, and the matches are played."""
    done = demo(checkout, checkout / "no-compiler")
    assert done.returncode == 0
    assert done.stderr == LEFT_OUT
    assert "\nGOPS (Goofspiel): " in done.stdout
    assert "no-compiler: not found" in (checkout / ".venv/solver.log").read_text()


def test_a_build_that_failed_is_tried_again_when_the_compiler_has_changed(checkout: Path) -> None:
    """It is not tried in between, since it takes half a minute, but the line is printed."""
    compiler = checkout / "compiler"
    compiler.write_text(HALF_A_COMPILER)
    compiler.chmod(0o755)
    log = checkout / ".venv/solver.log"
    for stderr in (BUILDING + LEFT_OUT, LEFT_OUT):
        done = demo(checkout, compiler, "--help")
        assert done.returncode == 0
        assert done.stderr == stderr
        assert "scikit-build-core" in log.read_text()  # which pip does not find
    compiler.write_text(HALF_A_COMPILER)
    assert demo(checkout, compiler, "--help").stderr == BUILDING + LEFT_OUT
