"""The dice game of the book holds to the contract; bugs that are planted into it are found."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from arena.testing.golden import write_playthroughs
from tests.testing.games import cups
from tests.testing.games.holding import contract, keeps, refuses, run
from tests.testing.games.planted import BUGS, DRAWN, KEPT, OF_THE_AUTHOR, OWN

pytestmark = pytest.mark.slow  # each planted bug is tried until it shows
MIN_FOUND_BY_CONTRACT = 55  # of the planted bugs


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return cups.module("cups_sound", cups.source(), tmp_path_factory.mktemp("cups"))


@pytest.fixture(scope="module")
def golden(sound: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("golden")
    write_playthroughs(sound.GAME, folder, {})
    return folder


def test_the_game_of_the_book_keeps_the_contract(sound: ModuleType, golden: Path) -> None:
    """Every law holds for the very code of the page."""
    keeps(contract(sound.GAME, golden=golden, cpu_limit_seconds=20.0, max_examples=2))


@pytest.mark.parametrize("test", [DRAWN, KEPT])
def test_a_roll_may_be_said_to_reveal(tmp_path: Path, test: str) -> None:
    """That by itself is no fault: what is shown afterwards is another thing."""
    code = cups.changed(cups.source(), {"reveals=(Shown,)": "reveals=(Rolled, Shown)"})
    game = cups.module("cups_revealing", code, tmp_path).GAME
    run(contract(game, cpu_limit_seconds=20.0, max_examples=8), test)


def of_the_author(game: ModuleType) -> list[str]:
    """Name the page's own tests of its rules that fail for a game."""
    names: dict[str, object] = {}
    exec(cups.tests().replace("from arena_cups", f"from {game.__name__}"), names)  # noqa: S102
    failed = []
    for name, test in names.items():
        if name.startswith("test_") and callable(test):
            try:
                test()
            except Exception:  # noqa: BLE001  # a bug may fail in any way
                failed.append(name)
    return failed


def test_the_game_of_the_book_passes_its_own_tests(sound: ModuleType) -> None:
    """They find nothing in the sound game."""
    assert of_the_author(sound) == []


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_is_found(name: str, tmp_path: Path) -> None:
    """By the test that is meant for it, in words that say what is wrong."""
    bug = BUGS[name]
    code = cups.changed(cups.source(), bug.edits)
    game = cups.module("cups_" + re.sub(r"\W", "_", name), code, tmp_path)
    if bug.test == OWN:
        assert any(test.startswith(bug.words) for test in of_the_author(game))
    else:
        refuses(game.GAME, bug.test, bug.words, **{"cpu_limit_seconds": 20.0, **bug.more})


def test_most_are_found_by_the_contract() -> None:
    """What is left to tests of the rules is what only the rules know."""
    assert len(BUGS) - len(OF_THE_AUTHOR) >= MIN_FOUND_BY_CONTRACT
