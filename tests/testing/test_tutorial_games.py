"""The game of the tutorial on secret answers keeps the contract, as its page says."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from arena.testing.golden import write_playthroughs
from tests.support.checkout import ROOT
from tests.testing.games import cups
from tests.testing.games.holding import TESTS, contract, run

pytestmark = pytest.mark.slow  # a whole contract, and other interpreters
PAGE = ROOT / "docs" / "tutorials" / "coins.md"


@pytest.fixture(scope="module")
def coins(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The module of the page's code."""
    code = "\n\n".join(cups.code_before_leak(PAGE))
    return cups.module("coins_of_the_book", code, tmp_path_factory.mktemp("coins"))


@pytest.fixture(scope="module")
def golden(coins: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of its golden playthroughs."""
    folder = tmp_path_factory.mktemp("golden")
    write_playthroughs(coins.GAME, folder, {})
    return folder


@pytest.mark.parametrize("test", TESTS)
def test_the_game_of_the_tutorial_keeps_the_contract(
    coins: ModuleType, golden: Path, test: str
) -> None:
    """Every law holds for the very code of the page, with the class attributes of its contract."""
    settings = {"golden": golden, "nothing_hidden": True, "max_examples": 8}
    run(contract(coins.GAME, cpu_limit_seconds=20.0, **settings), test)
