"""The games of the tutorials on secret answers and on teams keep the contract."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from arena.testing.golden import write_playthroughs
from tests.support.checkout import ROOT
from tests.support.lanterns import build_lanterns
from tests.testing.games import cups
from tests.testing.games.holding import contract, keeps, refuses

pytestmark = pytest.mark.slow  # a whole contract, and other interpreters
PAGE = ROOT / "docs" / "tutorials" / "coins.md"


@pytest.fixture(scope="module")
def coins(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    code = "\n\n".join(cups.code_before_leak(PAGE))
    return cups.module("coins_of_the_book", code, tmp_path_factory.mktemp("coins"))


@pytest.fixture(scope="module")
def golden(coins: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("golden")
    write_playthroughs(coins.GAME, folder, {})
    return folder


def test_the_game_of_the_tutorial_keeps_the_contract(coins: ModuleType, golden: Path) -> None:
    """Every law holds for the very code of the page, with the class attributes of its contract."""
    settings = {"golden": golden, "nothing_hidden": True, "max_examples": 2}
    keeps(contract(coins.GAME, cpu_limit_seconds=20.0, **settings))


@pytest.fixture(scope="module")
def lanterns(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return build_lanterns(tmp_path_factory.mktemp("lanterns"))


def test_the_game_of_teams_keeps_the_contract(lanterns: ModuleType) -> None:
    """Every law holds where partners are told apart, and where all may lose."""
    made = contract(lanterns.GAME, cpu_limit_seconds=20.0, max_examples=2)
    keeps(made, without="golden_playthroughs")


def test_a_leak_between_partners_is_found(tmp_path: Path) -> None:
    """A partner may read another's number no more than an opponent may."""
    code = "\n\n".join(cups.code_before_leak(ROOT / "docs" / "tutorials" / "lanterns.md"))
    leaky = "Light(OneOf(MOMENTS), default=1 + (numbers[0] > 5))"
    code = cups.changed(code, {"Light(OneOf(MOMENTS))": leaky})
    game = cups.module("lanterns_that_leak", code, tmp_path).GAME
    refuses(game, "draws_for_one_seat_stay_secret", r"seat \d can tell", cpu_limit_seconds=20.0)
