"""Every key of a file, option of a game and parameter of a format stands in the reference."""

from __future__ import annotations

import re
from typing import Any

import attrs
import pytest

from arena.host.bot_file import BotFile
from arena.plugins import get_plugins
from arena.tournament.file import HillConfig, OAuth, TournamentFile
from arena_tune.tune_file import TuneFile
from tests.support.checkout import ROOT

REFERENCE = ROOT / "docs" / "reference"
FILES = {
    BotFile: ("bot-toml.md", ""),
    TournamentFile: ("tournament-file.md", "Keys"),
    HillConfig: ("hill.md", "Settings"),
    OAuth: ("hill.md", "Sign-in"),
    TuneFile: ("tune-file.md", "Keys"),
}


def read_section(page: str, heading: str) -> str:
    """Return the part of a page below a heading, or above all of them."""
    text = (REFERENCE / page).read_text("utf-8")
    part = text.partition(f"\n## {heading}\n")[2] if heading else text
    return part.partition("\n## ")[0]


def list_keys(text: str) -> set[str]:
    """Return the keys that a section explains: in the first cells of its table, or above a colon."""
    cells = re.findall(r"^\| (`.+?) \|", text, re.MULTILINE)
    heads = re.findall(r"^(`\S+`.*)\n: ", text, re.MULTILINE)
    return {
        key
        for words in (*cells, *heads)
        for key in re.findall(r"`\[{0,2}(\w+)(?:\.NAME)?\]{0,2}`", words)
    }


@pytest.mark.parametrize("kind", FILES, ids=lambda kind: kind.__name__)
def test_each_key_of_a_file_is_explained(kind: type) -> None:
    """And no other key is."""
    assert list_keys(read_section(*FILES[kind])) == {key.name for key in attrs.fields(kind)}


@pytest.mark.parametrize("name", get_plugins().formats)
def test_each_parameter_of_a_format_is_explained(name: str) -> None:
    """In the row of the format, where somebody looks who chooses one."""
    (row,) = re.findall(
        rf"^\| `{name}` \|.*$", read_section("tournament-file.md", "Formats"), re.MULTILINE
    )
    kind: Any = get_plugins().formats[name]
    parameters = {key.name for key in attrs.fields(kind) if key.init}
    assert {*re.findall(r"`(\w+)=", row)} == parameters


def list_documented_options() -> dict[str, set[str]]:
    """Return the options of each game in the table, which names a game in its first row only."""
    options: dict[str, set[str]] = {}
    game = ""
    for line in read_section("options-and-seeds.md", "Options").splitlines():
        if row := re.match(r"\| (?:`(\w+)` )?\| (?:`(\w+)` )?\|", line):
            game = row[1] or game
            options.setdefault(game, set()).update({row[2]} - {None})
    return options


def test_each_option_of_a_game_is_explained() -> None:
    """In the table of all games, and no other option is."""
    games = get_plugins().games.items()
    options = {name: {option.name for option in attrs.fields(game.variant)} for name, game in games}
    assert list_documented_options() == {name: names for name, names in options.items() if names}
