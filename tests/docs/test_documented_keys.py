"""Every key of a file, option of a game and parameter of a format stands in the reference."""

from __future__ import annotations

import re
from typing import Any

import attrs
import pytest

from arena.host.bot_file import BotFile
from arena.plugins import get_plugins
from arena.tournament.file.contents import HillConfig, OAuth, TournamentFile
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


def compare(documented: set[str], known: set[str], page: str, place: str) -> None:
    """Raise AssertionError unless a part of a page explains each known name and no other.

    `place` says which part, as in "a row for 'points' `of briscola`".
    """
    for name in sorted(known - documented):
        raise AssertionError(f"write {place.format(name)} into docs/reference/{page}")
    for name in sorted(documented - known):
        raise AssertionError(f"delete {place.format(name)} from docs/reference/{page}: it is gone")


def list_option_names(kind: Any) -> set[str]:
    """Return the names of the parameters of a variant or of a format."""
    return {key.name for key in attrs.fields(kind) if key.init}


@pytest.mark.parametrize("kind", FILES, ids=lambda kind: kind.__name__)
def test_each_key_of_a_file_is_explained(kind: type) -> None:
    """And no other key is."""
    page, heading = FILES[kind]
    place = f"a row for {{!r}} (section {heading})" if heading else "a row for {!r}"
    keys = {key.name for key in attrs.fields(kind)}
    compare(list_keys(read_section(page, heading)), keys, page, place)


def check_format(name: str, kind: type) -> None:
    """Raise AssertionError unless the row of a format explains each of its parameters."""
    page = "tournament-file.md"
    rows = re.findall(rf"^\| `{name}` \|.*$", read_section(page, "Formats"), re.MULTILINE)
    assert len(rows) == 1, f"write a row for {name!r} (section Formats) into docs/reference/{page}"
    place = f"`{{}}=...` (row {name}, section Formats)"
    compare({*re.findall(r"`(\w+)=", rows[0])}, list_option_names(kind), page, place)


@pytest.mark.parametrize("name", get_plugins().formats)
def test_each_parameter_of_a_format_is_explained(name: str) -> None:
    """In the row of the format, where somebody looks who chooses one."""
    check_format(name, get_plugins().formats[name])


def list_documented_options() -> dict[str, set[str]]:
    """Return the options of each game in the table, which names a game in its first row only."""
    options: dict[str, set[str]] = {}
    game = ""
    for line in read_section("options-and-seeds.md", "Options").splitlines():
        if row := re.match(r"\| (?:`(\w+)` )?\| (?:`(\w+)` )?\|", line):
            game = row[1] or game
            options.setdefault(game, set()).update({row[2]} - {None})
    return options


def check_game(name: str, variant: type) -> None:
    """Raise AssertionError unless the table of options has a row for each option of a game."""
    documented = list_documented_options().get(name, set())
    place = f"a row for {{!r}} of {name} (section Options)"
    compare(documented, list_option_names(variant), "options-and-seeds.md", place)


@pytest.mark.parametrize("name", get_plugins().games)
def test_each_option_of_a_game_is_explained(name: str) -> None:
    """In the table of all games, and no other option is."""
    check_game(name, get_plugins().games[name].variant)


def test_the_table_of_options_has_rows_of_installed_games_alone() -> None:
    """A game that is gone has no rows."""
    assert list_documented_options().keys() <= get_plugins().games.keys()


def test_what_is_forgotten_is_named_with_its_page() -> None:
    """A new option, parameter or key fails with the name and the file to write it into."""
    forgetful = attrs.make_class("Forgetful", ["points"])
    words = "^write a row for 'points' of kuhn .section Options. into docs/reference/options-and-s"
    with pytest.raises(AssertionError, match=words):
        check_game("kuhn", forgetful)
    with pytest.raises(
        AssertionError, match=r"^delete a row for 'deals' of briscola .* it is gone"
    ):
        check_game("briscola", attrs.make_class("Empty", []))
    words = (
        r"^write `points=\.\.\.` .row ladder, section Formats. into docs/reference/tournament-file"
    )
    with pytest.raises(AssertionError, match=words):
        check_format("ladder", forgetful)
    with pytest.raises(
        AssertionError, match=r"^write a row for 'new' .* into docs/reference/tourn"
    ):
        check_format("new", forgetful)
