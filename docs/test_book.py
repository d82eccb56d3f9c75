"""What the book says must be all that there is, and as it is."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from runpy import run_path

import pytest
from attrs import fields
from pygments.styles import get_style_by_name

import arena_kuhn
from arena.check import Finding
from arena.cli.check import check_bot
from arena.cli.doctor import STRONG_PROTECTION
from arena.cli.match import match
from arena.host import HostConfig, Series, host, parse_entrants
from arena.plugins import hookspecs, load_game
from arena.rules import End, Fault
from arena.tournament.file.contents import TournamentFile
from arena.tournament.file.reader import TABLES
from arena.tournament.formats import FORMATS

BOOK = Path(__file__).parent
PAGES = [page for page in BOOK.rglob("*.md") if "_build" not in page.parts]
NEARLY_BLACK = 0.04045  # up to here the parts of a colour are linear in sRGB
LEGIBLE = 4.5  # the contrast that WCAG 2 asks for in 1.4.3
HOOKS = [name for name in vars(hookspecs) if name.startswith("arena_")]


def read_page(name: str) -> str:
    """Return the text of a page."""
    return (BOOK / name).read_text("utf-8")


def parse_definitions(code: str) -> dict[str, str]:
    """Return the source of each class, function and assignment of some code, by name."""
    sources = {}
    for node in ast.parse(code).body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                sources[name] = ast.unparse(node)
            case ast.AsyncFunctionDef(name=name) | ast.Assign(targets=[ast.Name(id=name)]):
                sources[name] = ast.unparse(node)
    return sources


def leave_out_reveal(source: str) -> str:
    """Return the source of a narrator without its method `reveal` and the `ranks` for that."""
    (narrator,) = ast.parse(source).body
    assert isinstance(narrator, ast.ClassDef)
    narrator.body = [node for node in narrator.body if getattr(node, "name", "") != "reveal"]
    lines = ast.unparse(narrator).split("\n")
    return "\n".join([line for line in lines if "self.ranks" not in line])


def test_the_tutorial_ends_with_the_plugin() -> None:
    """All of Kuhn poker stands in it but what is there for pages and for comparisons.

    Those are the board, turning points, what a fold left hidden, tips, hints, styles, a yardstick.
    """
    blocks = re.findall(
        r"^```python\n(.*?)^```", read_page("tutorials/kuhn-poker.md"), re.MULTILINE | re.DOTALL
    )
    taught = parse_definitions("".join(block for block in blocks if not block.startswith(">>>")))
    built = parse_definitions(inspect.getsource(arena_kuhn))
    hooks = ("arena_hints", "arena_insights", "arena_yardsticks")
    for name in ("FACES", "KuhnBoard", "KuhnTurningPoints", *hooks):
        del built[name]
    for field in (
        ", title='Kuhn poker'",
        ", count=Count('chip')",
        ", scoring='Chips are those won or lost; now you see both cards, shown or not.'",
        ", board=KuhnBoard",
        "turning_points=KuhnTurningPoints, ",
        ", strengths=Path(__file__).with_name('strengths.json')",
    ):
        assert field in built["GAME"]
        built["GAME"] = built["GAME"].replace(field, "")
    built["KuhnNarrator"] = leave_out_reveal(built["KuhnNarrator"])
    built["GAME"] = re.sub(r"guide=\{[^}]*\}, |, guide=\{[^}]*\}", "", built["GAME"])
    assert built == {name: taught.get(name) for name in built}


@pytest.mark.parametrize("name", HOOKS)
def test_every_hook_is_described_with_its_signature(name: str) -> None:
    """The page of the hooks has each of them, as it is called."""
    signature = str(inspect.signature(getattr(hookspecs, name))).replace("'", "")
    assert f"{name}{signature}" in read_page("reference/hooks.md")


def test_the_book_describes_every_option_of_a_match() -> None:
    """No option of `arena match` is left to the help text."""
    book = "".join(page.read_text("utf-8") for page in PAGES)
    text = re.sub(r"^\$ arena match --help.*?^```", "", book, flags=re.MULTILINE | re.DOTALL)
    names = {name for option in match.params for name in option.opts if name.startswith("--")}
    assert not {name for name in names if name not in text}


def test_the_book_describes_every_option_of_a_check() -> None:
    """The page about bots names every option of `arena check`."""
    names = {name for option in check_bot.params for name in option.opts if name.startswith("--")}
    assert not {name for name in names if f"`{name}" not in read_page("how-to/debug-a-bot.md")}


def test_the_book_describes_every_kind_of_finding() -> None:
    """The findings that are not verdicts are listed."""
    kinds = re.findall(r"`(\w+)`", (Finding.__doc__ or "").partition("one of")[2])
    assert "lingers" in kinds
    assert all(f"| `{kind}` |" in read_page("how-to/debug-a-bot.md") for kind in kinds)


def test_the_book_describes_every_key_of_a_tournament() -> None:
    """The page has a row for each key of the file, and for each format."""
    tournaments = read_page("reference/tournament-file.md")
    keys = [TABLES.get(key.name, key.name) for key in fields(TournamentFile)]
    assert [key for key in (*keys, *FORMATS) if f"| `{key}` |" not in tournaments] == []


def test_the_book_shows_what_doctor_says_of_a_good_machine() -> None:
    """The page has the lines of full protection, also where the machine that tests has less."""
    lines = "\n   ".join(line.strip() for line in STRONG_PROTECTION.values())
    assert f"   {lines}\n" in read_page("how-to/host-untrusted-bots.md")


def test_every_verdict_has_its_section() -> None:
    """A host can look up each kind of verdict."""
    assert all(f"### `{fault}`" in read_page("reference/verdicts.md") for fault in Fault)


def test_the_book_describes_every_key_of_a_result() -> None:
    """The JSON object of a match holds what its page says, and every outcome is named there."""
    game = load_game("kuhn")
    series = Series(game, game.read_variant({}), parse_entrants(game, ["careful", "random"]), "1")
    packed = next(host(*each, HostConfig()).pack() for each in series.iter_matches(1))
    results = read_page("reference/results.md")
    assert all(f"| `{key}` |" in results for key in (*packed, *packed["seats"][0]))
    assert all(f"`{end}`" in results for end in End)


def test_no_page_shows_a_folder_of_the_machine() -> None:
    """The output of an example contains no folder of the machine that printed it."""
    folder = re.compile(r"/(tmp|home|root|work)/")
    assert [page for page in PAGES if folder.search(page.read_text("utf-8"))] == []


def compute_luminance(colour: str) -> float:
    """Return the relative luminance of a colour such as `ff8800`, from 0 to 1, by WCAG 2."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4))
    red, green, blue = (
        part / 12.92 if part <= NEARLY_BLACK else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def compute_contrast(colour: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21."""
    dark, bright = sorted(map(compute_luminance, (colour, other)))
    return (bright + 0.05) / (dark + 0.05)


def test_contrasts_are_those_of_wcag() -> None:
    """Black on white has the most; the grey that the book once had on grey was too little."""
    assert compute_contrast("000000", "ffffff") == pytest.approx(21)
    assert compute_contrast("888888", "f0f0f0") == pytest.approx(3.11, abs=0.01)


@pytest.mark.parametrize("scheme", ["pygments_style", "pygments_dark_style"])
def test_all_code_can_be_read(scheme: str) -> None:
    """Every token of code and output stands out from what is behind it, by day and by night."""
    style = get_style_by_name(run_path(str(BOOK / "conf.py"))[scheme])
    behind = style.background_color.removeprefix("#")
    found = {
        str(token): compute_contrast(look["color"], look["bgcolor"] or behind)
        for token, look in style
        if look["color"]
    }
    assert {name: ratio for name, ratio in found.items() if ratio < LEGIBLE} == {}


@pytest.mark.parametrize(
    ("shown", "found"),
    [
        (
            "6 matches are over\n",
            "2 of 6 matches\n4 of 6 matches, 0.3 a second, 0:06 left\n6 matches are over\n",
        ),
        (
            "6 matches are over, 3 a second\n",
            "4 matches are over, 2 a second\n6 matches are over, 2 a second\n",
        ),
        (
            "a vs b: 8 games, 3 won\n",
            "a vs b: 4 games, 2 won\na vs b: 6 games, 3 won\na vs b: 8 games, 3 won\n",
        ),
    ],
    ids=["a tournament", "one that goes on", "a duel"],
)
def test_how_often_a_command_says_how_far_it_is_does_not_matter(shown: str, found: str) -> None:
    """A page holds on a busy machine; what comes at last is compared."""
    command = run_path(str(BOOK / "conftest.py"))["ConsoleCommand"]("arena", shown)
    assert command.matches(found)
    assert not command.matches(
        found.replace("3 won\n", "4 won\n").replace("6 matches are", "5 are")
    )
