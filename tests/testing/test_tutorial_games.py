"""The games of the tutorials on secret answers and on teams keep the contract."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from arena.testing.golden import write_playthroughs
from tests.support.checkout import ROOT
from tests.support.lanterns import build_lanterns
from tests.testing.games import cups
from tests.testing.games.holding import TESTS, contract, refuses, run

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


@pytest.fixture(scope="module")
def lanterns(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The module of the code on teams."""
    return build_lanterns(tmp_path_factory.mktemp("lanterns"))


@pytest.mark.parametrize("test", [test for test in TESTS if test != "golden_playthroughs"])
def test_the_game_of_teams_keeps_the_contract(lanterns: ModuleType, test: str) -> None:
    """Every law holds where partners are told apart, and where all may lose."""
    run(contract(lanterns.GAME, cpu_limit_seconds=20.0, max_examples=8), test)


def test_a_leak_between_partners_is_found(tmp_path: Path) -> None:
    """A partner may read another's number no more than an opponent may."""
    code = "\n\n".join(cups.code_before_leak(ROOT / "docs" / "tutorials" / "lanterns.md"))
    leaky = "Light(OneOf(MOMENTS), default=1 + (numbers[0] > 5))"
    code = cups.changed(code, {"Light(OneOf(MOMENTS))": leaky})
    game = cups.module("lanterns_that_leak", code, tmp_path).GAME
    refuses(game, "draws_for_one_seat_stay_secret", r"seat \d can tell", cpu_limit_seconds=20.0)
