"""`./run` and `tests/install.sh` say what they install, and go on without what cannot be."""

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
    " .venv/solver.log); it needs a C++ compiler (Debian: apt install g++)\n"
)
BUILDING = "building the GOPS solver ...\n"
HALF_A_COMPILER = "#!/bin/sh\ncase $* in *-fsyntax-only*) exit 0 ;; *) exit 1 ;; esac\n"
"""Compiles a line, and builds nothing."""
FAILING_PIP = """#!/bin/sh
case $* in
    *"pip install"*) echo "it cannot be built" && exit 1 ;;
    *) exec {python} "$@" ;;
esac
"""
"""A Python whose pip installs nothing."""


@pytest.fixture
def checkout(root: Path, tmp_path: Path) -> Path:
    """Return a checkout with an environment in which everything is installed but the solver."""
    folder = tmp_path / "checkout"
    shutil.copytree(root / "plugins/gops-solver", folder / "plugins/gops-solver")
    shutil.copy(root / "run", folder)  # it works where it is
    for name in ("constraints.txt", "pyproject.toml", "games", "tests"):
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
    assert done.stderr.startswith(LEFT_OUT)
    assert "\nGOPS (Goofspiel): " in done.stdout
    assert "no-compiler: not found" in (checkout / ".venv/solver.log").read_text()


def test_a_build_that_failed_is_tried_again_when_the_compiler_has_changed(checkout: Path) -> None:
    """It is not tried in between, since it takes half a minute, but the line is printed."""
    compiler = checkout / "compiler"
    compiler.write_text(HALF_A_COMPILER)
    compiler.chmod(0o755)
    log = checkout / ".venv/solver.log"
    programs = checkout / ".venv/bin"
    programs.unlink()
    programs.mkdir()
    (programs / "arena").symlink_to(Path(sys.prefix) / "bin/arena")
    (programs / "python").write_text(FAILING_PIP.format(python=sys.executable))
    (programs / "python").chmod(0o755)
    for stderr in (BUILDING + LEFT_OUT, LEFT_OUT):
        done = demo(checkout, compiler, "--help")
        assert done.returncode == 0
        assert done.stderr.startswith(stderr)
        assert log.read_text() == "it cannot be built\n"
    compiler.write_text(HALF_A_COMPILER)
    assert demo(checkout, compiler, "--help").stderr.startswith(BUILDING + LEFT_OUT)


TOOLS = ("awk", "cat", "grep", "id", "ls", "sh")


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """Return a folder for the PATH with what every Debian has, and no more."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name in TOOLS:
        (folder / name).symlink_to(shutil.which(name) or name)
    return folder


def install(root: Path, tools: Path, log: str = "/dev/null") -> subprocess.CompletedProcess[str]:
    """Run the script where the PATH has these tools alone, and no apt-get."""
    return subprocess.run(
        [root / "tests/install.sh", "no-python", log], env={"PATH": str(tools)},
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


def test_what_is_missing_can_be_asked_for(root: Path, tools: Path) -> None:
    """A demo lists it at its end, and installs nothing."""
    done = install(root, tools, "--list")
    assert (done.returncode, done.stderr) == (0, "")
    assert "  bubblewrap             one of the two sandboxes\n" in done.stdout


def test_a_program_that_is_there_needs_no_package(root: Path, tools: Path) -> None:
    """Only what is missing is listed."""
    (tools / "bwrap").symlink_to("/bin/sh")
    assert "bubblewrap" not in install(root, tools).stderr


def list_changed(root: Path, folder: Path) -> list[str]:
    """Return the Python files that `./run quick` takes for changed in a folder."""
    text = (root / "run").read_text("utf-8")
    function = text[text.index("\nchanged() {") :].partition("\n}\n")[0] + "\n}\n"
    done = subprocess.run(
        ["sh", "-euc", f"{function}changed"], cwd=folder,
        env=os.environ | {"GIT_CEILING_DIRECTORIES": str(folder.parent)},
        capture_output=True, text=True, check=True, timeout=TIMEOUT,
    )  # fmt: skip
    return done.stdout.split()


def git(folder: Path, *words: str) -> None:
    """Run git in a folder, with nobody's settings."""
    who = ("-c", "user.name=a", "-c", "user.email=a@localhost", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, timeout=TIMEOUT)


def test_types_are_checked_where_python_may_have_changed(root: Path, tmp_path: Path) -> None:
    """They are after a commit, too; without `origin/HEAD`, nobody knows, so they always are."""
    origin, clone = tmp_path / "origin", tmp_path / "clone"
    origin.mkdir()
    assert list_changed(root, origin)
    git(origin, "init", "--quiet")
    (origin / "old.py").touch()
    git(origin, "add", ".")
    git(origin, "commit", "--quiet", "-m", "Begin")
    assert list_changed(root, origin)
    git(tmp_path, "clone", "--quiet", str(origin), str(clone))
    assert list_changed(root, clone) == []
    (clone / "page.md").touch()
    (clone / "new.py").touch()
    assert list_changed(root, clone) == ["new.py"]
    git(clone, "add", ".")
    git(clone, "commit", "--quiet", "-m", "Add")
    assert list_changed(root, clone) == ["new.py"]
    git(clone, "remote", "set-head", "origin", "--delete")
    assert list_changed(root, clone)
