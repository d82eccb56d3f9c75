"""`arena new-game`, and a newcomer's path: from an empty folder to a tournament, as people walk it.

The golden playthroughs of the new game are templates, too. When they should change, say so
and look at what they have become: `REFRESH=1 pytest tests/scaffold/test_new_game.py`.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.plugins import get_plugins
from tests.support.checkout import ROOT
from tests.support.command import Cli
from tests.support.installs import install_editable
from tests.support.programs import environment
from tests.support.refresh import explain_refresh, is_refreshing
from tests.support.requirements import require

TEMPLATES = ROOT / "arena" / "scaffold" / "templates" / "game"
Walk = Callable[..., str]


@pytest.fixture
def walk(cli: Cli, tmp_path: Path) -> Walk:
    """Return a way to run `arena` where a new game `pips` is installed; nothing may be wrong."""
    assert cli("new-game", "pips").returncode == 0
    path = install_editable(tmp_path / "pips", tmp_path / "site")

    def run(*words: str | Path) -> str:
        done = cli(*words, PYTHONPATH=path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_a_newcomer_comes_as_far_as_a_tournament(walk: Walk, tmp_path: Path) -> None:
    """A game, a match, a bot of one's own, a check, a match with it, a tournament."""
    assert '"outcome": "finished"' in walk("match", "pips", "random", "thrifty", "--json")
    walk("new-bot", "pips", "mine", "--lang", "python")
    assert "pip install arena-pips\n" in (tmp_path / "mine/.github/workflows/check.yml").read_text()
    assert "\nPassed" in walk("check", "pips", "mine", "--quick")  # slow starts are a remark
    result = json.loads(walk("match", "pips", "mine", "thrifty", "--json"))
    assert {seat["name"]: seat["verdict"] for seat in result["seats"]} == {
        "mine": None,
        "thrifty": None,
    }
    walk("tournament", "new", "pips", "cup.toml")
    file = tmp_path / "cup.toml"
    text = re.sub(r"(?m)^table = \d+", "table = 2", file.read_text())
    text = re.sub(r"(?m)^matches = \d+", "matches = 6\nworkers = 1", text)
    file.write_text(text + '\n[[entrant]]\nbot = "mine"\n')
    walk("tournament", "run", "cup.toml")
    rows = [json.loads(line) for line in walk("standings", "cup.toml", "--json").splitlines()]
    assert {row["name"] for row in rows if "name" in row} == {"mine", "random", "thrifty"}


def test_the_readme_of_a_new_game_leads_to_all_that_needs_no_bots(
    walk: Walk, tmp_path: Path
) -> None:
    """Its commands exist; they name an opponent, a browser with hints and reviews, and a study."""
    text = (tmp_path / "pips/README.md").read_text()
    commands = [line.split()[1:] for line in re.findall("^arena .*", text, re.MULTILINE)]
    assert ["play", "pips", "--against", "search", "--web"] in commands
    for words in commands:
        assert "Usage: arena" in walk(*words, "--help")
    study = [*commands[[command[0] for command in commands].index("study")], "--seed", "1"]
    told = walk(*study, "--matches", "8", "--playouts", "1", "--format", "markdown")
    assert "| share of the stronger bot | thrifty against random |" in told
    assert {"hints", "review"} <= {*re.findall(r"\w+", text)}


def test_the_tests_of_a_new_game_find_another_rule(quick: Cli, mark: str, tmp_path: Path) -> None:
    """Its rules are tested by hand, beside the contract, which a page of the book sees at work."""
    assert quick("new-game", "high_card_2").returncode == 0
    rules = tmp_path / "high_card_2/arena_high_card_2/rules.py"
    rule, broken = "laid, key=lambda seat: laid[seat]", "laid, key=lambda seat: -laid[seat]"
    assert rule in rules.read_text()
    rules.write_text(rules.read_text().replace(rule, broken))
    path = install_editable(tmp_path / "high_card_2", tmp_path / "site")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-k", "better"],
        cwd=tmp_path, env=environment(mark, PYTHONPATH=path),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert re.findall("^FAILED ([a-z_0-9]+)/tests/", done.stdout, re.MULTILINE) == ["high_card_2"]


def test_a_new_game_is_written_as_this_house_writes(
    quick: Cli, mark: str, root: Path, tmp_path: Path
) -> None:
    """Style, form and types of it are clean by the settings of this checkout."""
    assert quick("new-game", "pips").returncode == 0
    config, first = (
        str(root / "pyproject.toml"),
        "lint.isort.known-first-party = ['arena', 'arena_pips']",
    )
    for where, words in (
        (tmp_path, ["ruff", "check", "--no-cache", "--config", config, "--config", first]),
        (tmp_path, ["ruff", "format", "--check", "--no-cache", "--config", config]),
        (root, ["mypy", "--config-file", config]),  # the cache has the arena's own types
    ):
        done = subprocess.run(
            [sys.executable, "-m", *words, str(tmp_path / "pips")],
            cwd=where, env=environment(mark, MYPYPATH=str(tmp_path / "pips")),
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("words", "jobs"),
    [
        (("new-game", "mine"), ["pip install -e '.[test]'", "pytest"]),
        (("new-bot", "bs", "mine"), ["pip install arena-bs", "arena check bs ."]),
    ],
    ids=["game", "bot"],
)
def test_a_new_repository_is_tested_after_each_push(
    quick: Cli, tmp_path: Path, words: tuple[str, ...], jobs: list[str]
) -> None:
    """GitHub runs what the README says; what running leaves behind is not committed."""
    require("git")
    assert quick(*words).returncode == 0
    folder = tmp_path / "mine"
    (written,) = folder.glob(".github/workflows/*.yml")
    assert re.findall("- run: (.*)", written.read_text()) == jobs
    files = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "bot.pyc").touch()
    git = ("git", "-C", str(folder))
    subprocess.run([*git, "init", "-q"], check=True)
    listed = subprocess.run(
        [*git, "ls-files", "--others", "--exclude-standard"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert {Path(line) for line in listed.stdout.splitlines()} == files


def test_a_new_bot_speaks_the_wire_of_a_new_game(walk: Walk) -> None:
    """Its cues are right as they come."""
    walk("new-bot", "pips", "plain", "--wire", "text")
    (line,) = walk("match", "pips", "plain", "random", "--json").splitlines()
    assert [seat["verdict"] for seat in json.loads(line)["seats"]] == [None, None]


def test_golden_templates_are_what_the_game_gives(walk: Walk, tmp_path: Path) -> None:
    """A new game comes with the playthroughs that `arena golden` writes for it."""
    walk("golden", "pips", "--into", "again")
    for file in sorted((tmp_path / "again").iterdir()):
        template = TEMPLATES / "tests" / "golden" / f"{file.name.replace('pips', 'NAME')}.j2"
        found = file.read_text("utf-8").replace("game: pips\n", "game: {{ name }}\n")
        found = found.replace("PipsVariant", "{{ Name }}Variant")
        if is_refreshing():
            template.write_text(found, "utf-8")
        assert template.read_text("utf-8") == found, explain_refresh(__file__)


NAMES = {
    "Pips": "lowercase letters",
    "1st": "lowercase letters",
    "a__b": "lowercase letters",
    "_a": "lowercase letters",
    "a_": "lowercase letters",
    "a-b": "lowercase letters",
    "../a": "lowercase letters",
    "x" * 33: "at most 32 characters",
    "": "lowercase letters",
    "class": "a Python keyword",
    "gops": "a game 'gops' already exists",
}


@pytest.mark.parametrize(("name", "words"), NAMES.items())
def test_a_name_that_no_game_can_have(quick: Cli, tmp_path: Path, name: str, words: str) -> None:
    """Is refused in one line, and nothing is written."""
    done = quick("new-game", name)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert words in line
    assert [*tmp_path.iterdir()] == []


def test_a_package_that_is_there_is_no_new_game(
    quick: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or the two would be one for Python."""
    (tmp_path / "arena_taken.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert "a package 'arena_taken' already exists" in quick("new-game", "taken").stderr


def test_nothing_is_overwritten(quick: Cli, tmp_path: Path) -> None:
    """A folder with anything in it stays as it is; an empty one is filled."""
    folder = tmp_path / "pips"
    folder.mkdir()
    assert quick("new-game", "pips").returncode == 0
    (folder / "README.md").write_text("mine")
    done = quick("new-game", "pips")
    assert (done.returncode, done.stderr) == (2, "arena: pips is not empty, and was not changed\n")
    assert (folder / "README.md").read_text() == "mine"


def test_a_place_that_cannot_be_written(quick: Cli, tmp_path: Path) -> None:
    """Is said in one line."""
    (tmp_path / "file").touch()
    done = quick("new-game", "pips", "--into", "file")
    assert done.returncode == 2
    assert "file/pips cannot be written: Not a directory" in done.stderr


def test_what_is_written_and_what_comes_next_is_said(quick: Cli, tmp_path: Path) -> None:
    """Each file, and three commands."""
    files, _, following = quick("new-game", "pips", "--into", "my games").stdout.partition("\n\n")
    written = sorted(path for path in (tmp_path / "my games").rglob("*") if path.is_file())
    assert sorted(tmp_path / line for line in files.splitlines()) == written
    assert following.splitlines() == [
        "Next:",
        "  pip install -e 'my games/pips[test]'",
        "  pytest 'my games/pips'",
        "  arena match pips random thrifty --games 10",
    ]


def test_a_template_names_no_game_of_the_house() -> None:
    """They are part of the core."""
    names = re.compile(rf"\b({'|'.join(get_plugins().games)})\b", re.IGNORECASE)
    for path in TEMPLATES.parent.rglob("*.j2"):
        assert not names.search(path.read_text("utf-8")), path
