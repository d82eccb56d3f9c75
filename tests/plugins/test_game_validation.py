"""A game with a mistake is ignored with one line that names the class, its place and the fix."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena.plugins import get_plugins
from tests.support.command import Cli, Install

GAME = """
from attrs import frozen
from arena import Game, OneOf, Question, RandomBot, hookimpl

@frozen
class Shown:
    card: int

@frozen
class Pick(Question[int]):
    pass

@frozen
class Pips:
    cards: int = 3

    async def deal(self, table) -> "PipsPosition":
        return PipsPosition()

@frozen
class PipsPosition:
    variant: Pips = Pips()
    over: bool = False
    scores: tuple[int, ...] = (0, 0)

    async def round(self, table):
        card = await table.ask(0, Pick(OneOf((1, 2))))
        table.announce(Shown(card))
        return PipsPosition(over=True)

    def resample_hidden(self, seat, random):
        return self

@hookimpl
def arena_games():
    return [Game(name="pips", summary="pips", variant=Pips, seats=range(2, 3),
                 messages=(Shown, Pick), bots={"random": RandomBot}, demo=("random", "random"))]
"""

MISTAKES = {
    "bots-are-a-list": (
        'bots={"random": RandomBot}', "bots=[RandomBot]", 'dictionary.*"random": RandomBot'
    ),
    "a-bot-is-no-class": ('{"random": RandomBot}', '{"random": Shown}', "bots: random is .*Bot"),
    "variant-without-frozen": (
        "@frozen\nclass Pips:", "class Pips:", r"Pips \(pips\.py:\d+\) is not frozen: write @frozen"
    ),
    "deal-without-async": (
        "async def deal", "def deal", r"Pips\.deal \(pips\.py:\d+\).*write `async def deal"
    ),
    "round-without-async": (
        "async def round(self, table):\n        card = await", "def round(self, table):\n        card =",
        r"PipsPosition \(pips\.py:\d+\) has no `async def round"
    ),
    "no-over": ("    over: bool = False\n", "", r"PipsPosition \(.*\) has no `over` \(whether"),
    "no-scores": (
        "    scores: tuple[int, ...] = (0, 0)\n", "", r"PipsPosition \(.*\) has no `scores` \("
    ),
    "no-resample-hidden": (
        "def resample_hidden", "def resample", r"PipsPosition \(.*\) has no `resample_hidden` \("
    ),
    "encode": ("messages=", "encode=None, messages=", r"argument 'encode'; did you mean encoder=\?"),
    "an-unlisted-reveal": (
        "messages=", "reveals=(Pips,), messages=",
        r"reveals: Pips is not an event in `messages` \(available: Shown\)",
    ),
    "a-question-reveals": ("messages=", "reveals=(Pick,), messages=", "Pick is not an event"),
    "an-event-is-secret": (
        "messages=", "secret_answers={Shown: len}, messages=",
        r"Shown is not a question in `messages` \(available: Pick\)",
    ),
    "a-name-with-a-space": ('name="pips"', 'name="my pips"', "name: 'my pips' is not a name"),
}  # fmt: skip


def write(install: Install, old: str = "", new: str = "") -> Path:
    """Install the game with a change."""
    assert old in GAME
    return install("pips", GAME.replace(old, new, 1) if old else GAME)


def test_the_game_without_a_mistake_is_listed(install: Install, cli: Cli) -> None:
    """The game that the others are made from is one."""
    done = cli("games", PYTHONPATH=str(write(install)))
    assert "pips" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_in_one_line(mistake: str, install: Install, cli: Cli) -> None:
    """`arena games` lists all other games, and says in one line what is wrong with this one."""
    old, new, message = MISTAKES[mistake]
    done = cli("games", "--json", PYTHONPATH=str(write(install, old, new)))
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == len(get_plugins().games)
    (line,) = done.stderr.splitlines()
    assert "plugin pips" in line
    assert "is broken and ignored: " in line
    assert re.search(message, line), line


def test_a_round_that_returns_nothing_is_named(install: Install) -> None:
    """A round without `return` fails with a line that says so."""
    site = write(install, "return PipsPosition(over=True)", "PipsPosition(over=True)")
    code = (
        "import pips; from arena.rules import Play\n"
        "play = Play.deal(pips.Pips(), 2, 's')\n"
        "try: play.answer(0, 1)\n"
        "except TypeError as problem: print(problem)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(site)}, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert done.stdout == "PipsPosition.round returned nothing: return the next position\n"
