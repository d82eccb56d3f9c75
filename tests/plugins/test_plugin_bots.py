"""Bots that a plugin brings for another's game: they are found everywhere, and may be choosy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import Cli, Install

SOURCE = """
from arena import Bot, UserError, hookimpl

class Folding(Bot):
    'Never bets, and plays nothing but Kuhn poker for two.'

    def check_support(self, variant, seats):
        if seats != 2 or getattr(variant, "cards", 5) != 5:
            raise UserError("for two, with 5 cards")

    def choose(self, question):
        return question.options.draw(self.random)

@hookimpl
def arena_bots():
    return {"kuhn": {"folding": Folding}, "gops": {"folding": Folding, "random": Folding}}
"""
REFUSED = "folding: for two, with 5 cards"


@pytest.fixture
def site(install: Install) -> dict[str, str]:
    """Return the environment in which the plugin is installed."""
    return {"PYTHONPATH": str(install("arena_test_bots", SOURCE))}


def test_they_stand_behind_the_games_own(cli: Cli, site: dict[str, str]) -> None:
    """In the list they come last; one with a name that is taken is left out, and it is said."""
    done = cli("games", "--json", **site)
    games = {game["name"]: game["bots"] for game in map(json.loads, done.stdout.splitlines())}
    assert games["kuhn"][-2:] == ["folding", "search"]  # search is for every game
    assert games["gops"].count("random") == 1
    assert "plugin random is broken and ignored" in done.stderr
    assert "Never bets" in cli("bots", "kuhn", **site).stdout


def test_they_play_in_this_process_and_as_programs(cli: Cli, site: dict[str, str]) -> None:
    """Here, as a program that loads no more than it has to, and among the workers of a duel."""
    match = cli("match", "kuhn", "folding", "program:folding", "--games", "2", "--json", **site)
    assert [json.loads(line)["outcome"] for line in match.stdout.splitlines()] == ["finished"] * 2
    duel = cli(
        *["duel", "kuhn", "folding", "careful", "--pairs", "2", "--workers", "1", "--json"], **site
    )
    assert sum(json.loads(duel.stdout)["pairs"]) == 2, duel.stderr


@pytest.mark.parametrize(
    "words",
    [
        "match gops folding hard",
        "match gops hard program:folding",
        "match gops folding hard match -o cards=5",
        "play gops --against folding",
        "check gops folding",
        "duel gops folding hard",
    ],
)
def test_what_one_cannot_play_is_refused_before_it_begins(
    cli: Cli, site: dict[str, str], words: str
) -> None:
    """In one line, wherever a bot is seated."""
    done = cli(*words.split(), **site)
    assert done.returncode == 2
    assert REFUSED in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_a_tournament_refuses_whom_it_does_not_suit(
    cli: Cli, site: dict[str, str], tmp_path: Path
) -> None:
    """As it does whoever cannot be built or started."""
    (tmp_path / "t.toml").write_text(
        'game = "gops"\nformat = "round-robin"\nmatches = 2\n'
        'entrant = [{ bot = "folding" }, { bot = "hard" }]\n'
    )
    done = cli("tournament", "run", "t.toml", **site)
    assert done.returncode == 2
    assert REFUSED in done.stderr


def test_a_check_seats_those_that_can_play(cli: Cli, site: dict[str, str]) -> None:
    """A bot is not tried against one that the variant does not suit."""
    assert cli("check", "gops", "hard", "--quick", **site).returncode == 0


BARE = """
from attrs import evolve
from arena import Learning, Presentation, hookimpl
from arena_gops import GAME

@hookimpl
def arena_games():
    bare = evolve(GAME, bots={}, learning=Learning(), presentation=Presentation())
    return [evolve(bare, name="two"), evolve(bare, name="three", seats=range(3, 4))]
"""


@pytest.mark.parametrize(
    ("game", "entrants"),
    [("two", {"random", "search_20"}), ("three", {"random", "search_20", "search_40"})],
)
def test_a_game_without_bots_has_opponents_and_a_tournament(
    cli: Cli, install: Install, tmp_path: Path, game: str, entrants: set[str]
) -> None:
    """It is lent a bot that plays at random and one that searches, and a new file has enough."""
    site = {"PYTHONPATH": str(install("arena_test_bare", BARE))}
    bots = [json.loads(line) for line in cli("bots", game, "--json", **site).stdout.splitlines()]
    assert [bot["name"] for bot in bots] == ["random", "search"]
    cli("tournament", "new", game, "t.toml", **site)
    file = tmp_path / "t.toml"
    text = file.read_text()
    assert "\nmatches = 100\n" in text
    file.write_text(
        text.replace("\nmatches = 100\n", "\nmatches = 1\n").replace("# cards = 13", "cards = 3")
    )
    done = cli("tournament", "run", "t.toml", "--json", **site)
    assert done.returncode == 0, done.stderr
    standings = cli("standings", "t.toml", "--json", **site).stdout.splitlines()
    assert {json.loads(line)["name"] for line in standings} == entrants
