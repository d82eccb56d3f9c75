"""The bots of the book's page on compiled languages, built and played for real."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.checkout import ROOT
from tests.support.command import Cli
from tests.support.requirements import require
from tests.support.sandboxes.tiers import skip_where_hidden, tier
from tests.support.tournaments.folders import build_entrant_tables

pytestmark = pytest.mark.slow  # compiles bots

__all__ = ["tier"]

PAGE = ROOT / "docs/how-to/write-a-bot-in-a-compiled-language.md"
FILE = re.compile(r"```\{code-block\} \w+\n:caption: (\S+)\n\n(.*?)```", re.DOTALL)
COMPILERS = {"java": "javac", "rust": "rustc", "go": "go", "csharp": "dotnet"}
OLD = """name = "B"
build = "javac B.java"
command = "java -cp . B"
directory = "bot"
"""
"""Where a bot works in its folder, a class is found in it."""


def write(folder: Path, language: str) -> str:
    """Write the page's files; skip where the compiler of this one is missing; return its folder."""
    require(COMPILERS[language])
    for name, text in FILE.findall(PAGE.read_text()):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return f"{language}_bot"


def play(cli: Cli, *words: str) -> None:
    """Play matches, which must end by the rules and without a verdict."""
    done = cli("match", "gops", *words, "match", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    for line in done.stdout.splitlines():
        result = json.loads(line)
        assert [(seat["verdict"], seat["stderr"]) for seat in result["seats"]] == [(None, "")] * 2
        assert result["seats"][0]["score"] == result["seats"][1]["score"]  # they bid the same


@pytest.mark.release  # they are played in a sandbox in every run
@pytest.mark.parametrize("language", COMPILERS)
def test_a_recipe_plays(cli: Cli, tmp_path: Path, language: str) -> None:
    """It is built, and wins as much as the bundled bot that does the same."""
    play(cli, write(tmp_path, language))


@pytest.mark.each("language", "tier")
@pytest.mark.parametrize("language", COMPILERS)
def test_a_recipe_plays_in_a_sandbox(cli: Cli, tmp_path: Path, language: str, tier: str) -> None:
    """It is built there, too."""
    home = write(tmp_path, language)
    skip_where_hidden(tier, COMPILERS[language])
    play(cli, home, "--sandbox", tier)


def test_every_recipe_is_played_here() -> None:
    """A language that is added is tested."""
    folders = {name.partition("/")[0] for name, _ in FILE.findall(PAGE.read_text())}
    assert folders == {f"{language}_bot" for language in COMPILERS}


@pytest.mark.usefixtures("inline_workers")
def test_java_in_a_tournament(quick: Cli, tmp_path: Path) -> None:
    """It is built in its copy and played there; a class path may be written as it is by hand."""
    home = tmp_path / write(tmp_path, "java")
    (home / "B.java").write_text((home / "Bot.java").read_text().replace("class Bot", "class B"))
    (home / "bot.toml").write_text(OLD)
    text = 'game = "gops"\nmatches = 1\nworkers = 1\ncheck = false\n'
    (tmp_path / "t.toml").write_text(text + build_entrant_tables(home.name, "match"))
    done = quick("tournament", "run", "t.toml", "--json")
    assert done.returncode == 0, done.stderr
    seats = json.loads(done.stdout.splitlines()[0])["seats"]
    assert [seat["verdict"] for seat in seats] == [None, None]
    assert not (home / "B.class").exists()
    assert [*tmp_path.glob("t.arena/bots/*/B.class")]
