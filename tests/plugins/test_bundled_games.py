"""Every game of the house is tried as strangers' games are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena import Game
from arena.plugins import get_plugins
from arena.rules import format_choices
from arena.testing import golden
from arena.testing.harness.cases import Case
from tests.support.bundled_games import GAMES

FOLDERS = {name: f"{kind}/{name}" for name, kind in GAMES.items()}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_game_keeps_the_contract(root: Path, name: str) -> None:
    """A test of its own derives from the contract, and names it."""
    files = (root / FOLDERS[name] / "tests").glob("test_*_contract.py")
    text = "".join(file.read_text("utf-8") for file in files)
    assert re.search(r"^class Test\w+\(Contract\):$", text, re.MULTILINE)


@pytest.mark.parametrize("name", FOLDERS)
def test_a_game_has_golden_playthroughs(root: Path, name: str) -> None:
    """One for each number of seats, and none for other games."""
    game, folder = get_plugins().find_game(name), root / FOLDERS[name] / "tests/golden"
    assert [file for file in golden.plan_files(game, folder, {}) if not file.exists()] == []
    for file in folder.iterdir():
        assert golden.read_case(file).seats in game.seats
        assert file.read_text("utf-8").startswith(f"format: 1\ngame: {name}\n")


def test_all_games_are_known_here() -> None:
    """No game of the house is forgotten."""
    assert {*get_plugins().games} == {*FOLDERS}


@pytest.mark.parametrize("name", FOLDERS)
def test_the_page_of_games_lists_it(root: Path, name: str) -> None:
    """With the numbers of players that the rules allow, and in the table of speeds."""
    page = (root / "docs/reference/games.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
    assert len(rows) == 2
    assert rows[0].split(" | ")[1] == format_choices(get_plugins().find_game(name).seats)


@pytest.mark.parametrize("name", FOLDERS)
def test_a_playthrough_that_changed_is_another_text(name: str) -> None:
    """Golden files notice another deal."""
    game = get_plugins().find_game(name)
    texts = {golden.render_playthrough(game, Case({}, game.seats[0], seed)) for seed in ("1", "2")}
    assert len(texts) == 2


@pytest.mark.parametrize("game", get_plugins().games.values(), ids=lambda game: game.name)
def test_a_person_is_told_the_rules(game: Game) -> None:
    """The rules fit a screen of 24 lines and 80 columns, with the question below them."""
    lines = game.presentation.typed_rules.splitlines()
    assert "Type" not in game.presentation.rules  # which pages show, too
    assert len([*filter(None, lines)]) >= 4
    assert len(lines) <= 22
    assert max(map(len, lines)) < 80
