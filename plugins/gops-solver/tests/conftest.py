from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from arena.cli.match import match as match_command
from arena.tournament.file.reader import load
from arena.tournament.run.monitor import Monitor
from arena.tournament.run.tournament_run import run as run_tournament
from tests.support.tournaments.inline_workers import play_inline

if TYPE_CHECKING:  # where it was not built, its tests are skipped
    from arena_gops_solver import SolvedGame

Solve = Callable[..., "SolvedGame"]
MATCHES = "gops hard planner -o cards=5 --games 10 --seed 3 --json --transcript"
HILL = """
game = "gops"
matches = 12
workers = 1
seed = "1"
check = false
duplicate = true
options = {cards = 5}
[[entrant]]
bot = "easy"
[[entrant]]
bot = "hard"
[[entrant]]
bot = "planner"
"""


@pytest.fixture(scope="session")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Solve:
    from arena_gops_solver import SolvedGame, TableSpec, solve

    folder: Path = tmp_path_factory.mktemp("tables")

    def give(cards: int, objective: str = "points") -> SolvedGame:
        return SolvedGame(solve(TableSpec(cards, objective), folder / f"{cards}-{objective}"))

    return give


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Have a cache, and a wide terminal, for the tests of a file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("COLUMNS", "120")
        yield


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("matches")
    CliRunner().invoke(match_command, [*MATCHES.split(), str(folder)], catch_exceptions=False)
    return folder


@pytest.fixture(scope="session")
def hill(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a tournament of three bots, each pair four times."""
    file: Path = tmp_path_factory.mktemp("hill") / "hill.toml"
    file.write_text(HILL)
    with play_inline():
        run_tournament(load(file), Monitor())
    return file
