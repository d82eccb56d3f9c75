"""What the book says must be all that there is, and as it is."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest
from attrs import fields

import arena_kuhn
from arena import hookspecs
from arena.check import Finding
from arena.cli.check import check_bot
from arena.cli.match import match
from arena.entrants import entrants
from arena.hosting import House, host
from arena.outcome import End, Fault
from arena.plugins import load_game
from arena.series import Series
from arena.tournament.file import File
from arena.tournament.formats import FORMATS

BOOK = Path(__file__).parent
PAGES = [page for page in BOOK.rglob("*.md") if "_build" not in page.parts]
HOOKS = [name for name in vars(hookspecs) if name.startswith("arena_")]


def page(name: str) -> str:
    """Give a page's text."""
    return (BOOK / name).read_text("utf-8")


def definitions(code: str) -> dict[str, str]:
    """Give each class, function and assignment of some code, in one style."""
    named = {}
    for node in ast.parse(code).body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                named[name] = ast.unparse(node)
            case ast.AsyncFunctionDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
                named[name] = ast.unparse(node)
    return named


def test_the_tutorial_ends_with_the_plugin() -> None:
    """All that Kuhn poker consists of stands in the tutorial, as it is in the plugin."""
    blocks = re.findall(
        r"^```python\n(.*?)^```", page("writing-a-game/kuhn.md"), re.MULTILINE | re.DOTALL
    )
    taught = definitions("".join(block for block in blocks if not block.startswith(">>>")))
    built = definitions(inspect.getsource(arena_kuhn))
    assert built == {name: taught.get(name) for name in built}


@pytest.mark.parametrize("name", HOOKS)
def test_every_hook_is_described_with_its_signature(name: str) -> None:
    """The page of the hooks has each of them, as it is called."""
    signature = str(inspect.signature(getattr(hookspecs, name))).replace("'", "")
    assert f"{name}{signature}" in page("hooks.md")


def test_every_option_of_a_match_is_described() -> None:
    """No option of `arena match` is left to the help text."""
    hosting = "".join(page.read_text("utf-8") for page in (BOOK / "hosting").glob("*.md"))
    said = re.sub(r"^\$ arena match --help.*?^```", "", hosting, flags=re.MULTILINE | re.DOTALL)
    names = {name for option in match.params for name in option.opts if name.startswith("--")}
    assert not {name for name in names if name not in said}


def test_every_option_of_a_check_is_described() -> None:
    """Beside what is shared with a match."""
    names = {name for option in check_bot.params for name in option.opts if name.startswith("--")}
    assert not {name for name in names if f"`{name}" not in page("writing-a-bot/debugging.md")}


def test_every_kind_of_finding_is_described() -> None:
    """Those that are no verdicts are listed."""
    kinds = re.findall(r"`(\w+)`", (Finding.__doc__ or "").partition("one of")[2])
    assert "lingers" in kinds
    assert all(f"| `{kind}` |" in page("writing-a-bot/debugging.md") for kind in kinds)


def test_every_key_of_a_tournament_is_described() -> None:
    """The page has a row for each key of the file, and for each format."""
    tournaments = page("hosting/tournaments.md")
    tables = {"options": "[options]", "time": "[time]", "entrant": "[[entrant]]"}
    keys = [tables.get(key.name, key.name) for key in fields(File)]
    assert [key for key in (*keys, *FORMATS) if f"| `{key}` |" not in tournaments] == []


def test_every_verdict_has_its_section() -> None:
    """A host can look up each kind of verdict."""
    assert all(f"### `{fault}`" in page("hosting/verdicts.md") for fault in Fault)


def test_every_key_of_a_result_is_described() -> None:
    """The JSON object of a match holds what its page says, and every outcome is named there."""
    game = load_game("kuhn")
    series = Series(game, game.read_variant({}), entrants(game, ["careful", "random"]), "1")
    packed = next(host(*each, House()).pack() for each in series.matches(1))
    results = page("hosting/results.md")
    assert all(f"| `{key}` |" in results for key in (*packed, *packed["seats"][0]))
    assert all(f"`{end}`" in results for end in End)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(BOOK)))
def test_no_page_shows_where_it_was_made(page: Path) -> None:
    """Folders of the machine that printed an example are no part of it."""
    assert not re.search(r"/(tmp|home|root|work)/", page.read_text("utf-8"))
