"""`arena gops` where the solver is not installed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from arena.plugins import load_command
from arena_gops.missing_solver import MISSING_SOLVER, gops
from arena_gops.solver_package import INSTALL_SOLVER
from tests.support.requirements import require_solver

pytestmark = pytest.mark.slow  # interpreters of another installation
RUN = """
import site, sys
site.addsitedir(sys.argv.pop(1))
from arena.cli import main
main()
"""
Arena = Callable[[str], "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Arena:
    """Run the arena of an installation that is this one without the solver."""
    return link_installation(tmp_path_factory.mktemp("installed"), without="gops_solver")


def link_installation(folder: Path, without: str) -> Arena:
    """Return a way to run the arena of an installation that lacks what has this in its name."""
    for thing in Path(click.__file__).parent.parent.iterdir():
        if without not in thing.name:
            (folder / thing.name).symlink_to(thing)

    def run(words: str) -> subprocess.CompletedProcess[str]:
        line = [sys.executable, "-I", "-S", "-c", RUN, str(folder), *words.split()]
        return subprocess.run(line, capture_output=True, text=True, check=False, timeout=300)

    return run


@pytest.mark.parametrize("words", ["", "solve --cards 13", "-- -"])
def test_it_says_how_to_get_the_solver(arena: Arena, words: str) -> None:
    """One line says how to install the solver, whatever is asked for."""
    done = arena(f"gops {words}")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"arena: {MISSING_SOLVER}\n"


def test_without_the_game_one_line_installs_both(tmp_path: Path) -> None:
    """The core alone knows from its metadata which extra brings the command."""
    done = link_installation(tmp_path, without="gops")("gops solve --cards 13")
    assert done.returncode == 2
    assert done.stderr == (
        "arena: arena gops is not installed; install it with: pip install 'cardbot-arena[solver]'\n"
    )


def test_it_is_listed(arena: Arena) -> None:
    """Among the other commands, with what it is for."""
    done = arena("--help")
    assert done.stderr == ""
    assert "gops        Solve GOPS exactly (not installed)." in done.stdout


def test_the_game_is_played_without_it(arena: Arena) -> None:
    """It lacks the bots that the solver brings, and nothing else."""
    assert arena("match gops match random --seed 1").returncode == 0
    bots = arena("bots gops").stdout
    assert "planner" in bots
    assert "nash" not in bots


@pytest.mark.parametrize(
    "words", ["play gops --against nash", "match gops nash-win:x=1 program:nash"]
)
def test_its_bots_say_how_to_get_it(arena: Arena, words: str) -> None:
    """Where somebody asks for one of them."""
    done = arena(words)
    bot = words.split()[-1 if "play" in words else 2].partition(":")[0]
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"arena: the bot {bot} is not installed; {INSTALL_SOLVER}\n"


def test_the_solver_brings_the_command_itself() -> None:
    """Where it is installed the game brings none."""
    require_solver()
    assert gops is None
    brought = load_command("gops")
    assert brought is not None
    assert brought.name == "gops"
    assert "not installed" not in brought.get_short_help_str()
