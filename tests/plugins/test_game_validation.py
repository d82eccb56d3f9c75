"""A game with a mistake is ignored with one line that names the class, its place and the fix."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from arena.plugins import Game, get_plugins
from arena.rules import GameError, Play
from tests.support.command import Cli, Install

GAME = """
from attrs import frozen
from arena import Game, OneOf, Presentation, Question, RandomBot, Secrecy, Secret, hookimpl

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
                 messages=(Shown, Pick), bots={"random": RandomBot},
                 presentation=Presentation(demo=("random", "random")))]
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
    "encode": ("messages=", "encode=None, messages=", r"'encode'; did you mean learning=Learning\(encoder=\.\.\.\)\?"),
    "in-another-group": (
        "Presentation(", "Presentation(reveals=(Shown,), ", r"mean secrecy=Secrecy\(reveals=\.\.\.\)\?"
    ),
    "a-bare-codec": ("messages=", "wires={'text': Pips}, messages=", r"write Wire\(\.\.\.\) around"),
    "no-group": ("messages=", "secrecy=(Shown,), messages=", r"write secrecy=Secrecy\(\.\.\.\)"),
    "an-unlisted-reveal": (
        "messages=", "secrecy=Secrecy(reveals=(Pips,)), messages=",
        r"reveals: Pips is not an event in `messages` \(available: Shown\)",
    ),
    "a-question-reveals": ("messages=", "secrecy=Secrecy(reveals=(Pick,)), messages=", "Pick is not an event"),
    "an-event-is-secret": (
        "messages=", "secrecy=Secrecy(secret_answers={Shown: Secret()}), messages=",
        r"Shown is not a question in `messages` \(available: Pick\)",
    ),
    "a-bare-function": (
        "messages=", "secrecy=Secrecy(secret_answers={Pick: len}), messages=",
        r"secret_answers\[Pick\]: is <built-in function len>; write Secret\(at_once=\.\.\.\) around",
    ),
    "a-question-is-announced": (
        "messages=", "secrecy=Secrecy(secret_answers={Pick: Secret(later={Pick: len})}), messages=",
        r"secret_answers\[Pick\]\.later: Pick is not an event in `messages`",
    ),
    "variant-is-an-object": ("variant=Pips", "variant=Pips()", r"variant: is Pips\(cards=3\); name"),
    "a-message-is-an-object": (
        "messages=(Shown, Pick)", "messages=(Shown(1), Pick)",
        r"messages: Shown\(card=1\) is not a class; list the class",
    ),
    "messages-without-brackets": ("messages=(Shown, Pick)", "messages=Pick", "in brackets"),
    "options-of-its-own-kind": (
        "class Pick(Question[int]):\n    pass",
        "class Own:\n    read = draw = None\n\n@frozen\nclass Pick(Question[int]):\n    options: Own",
        r"Pick\.options is of type Own; write OneOf\(.*",
    ),
    "a-name-with-a-space": ('name="pips"', 'name="my pips"', "name: 'my pips' is not a name"),
}  # fmt: skip

ASK = "await table.ask(0, Pick(OneOf((1, 2))))"
FORGOTTEN = (
    r"PipsPosition\.round \(pips\.py:26\): table\.ask \(Pick\) was never awaited;"
    " is an `await` missing\\?"
)
MISTAKES_IN_PLAY = {
    "round-without-return": (
        "return PipsPosition(over=True)", "PipsPosition(over=True)",
        r"PipsPosition\.round \(pips\.py:26\) returned nothing: return the next position",
    ),
    "deal-without-return": (
        "return PipsPosition()", "PipsPosition()",
        r"Pips\.deal \(pips\.py:17\) returned nothing: return the next position",
    ),
    "options-are-a-list": (
        "Pick(OneOf((1, 2)))", "Pick([1, 2])",
        r"Pick\.options is of type list; write OneOf\(.*",
    ),
    "options-are-of-their-own-kind": (
        "OneOf((1, 2))", "type('Own', (), {'read': None, 'draw': None})()",
        r"Pick\.options is of type Own; write OneOf\(.* or a class that derives from one of these",
    ),
    "options-are-empty": (
        "OneOf((1, 2))", "OneOf(())", "Pick.options is empty; a seat that cannot answer .*"
    ),
    "an-ask-is-not-awaited": (ASK, ASK.removeprefix("await "), FORGOTTEN),
    "an-ask-is-not-awaited-and-the-next-statement-fails": (
        ASK, f"{ASK.removeprefix('await ')} + 1",
        rf"{FORGOTTEN} \(then the round failed: TypeError: unsupported operand .*\)",
    ),
    "an-ask-for-the-seat-is-not-awaited": (
        ASK, "await table.ask(table.ask(0, Pick(OneOf((0,)))), Pick(OneOf((1, 2))))",
        r"PipsPosition\.round \(pips\.py:27\) asks a seat that is the call of ask\(.*`await` missing\?",
    ),
    "a-part-is-not-awaited": (
        ASK, ("sum(self.choose(table))\n    async def choose(self, table):\n        return"
        " await table.ask(0, Pick(OneOf((1,))))"),
        r"TypeError: 'coroutine' .* \(pips\.py:27, in round\); is an `await` missing\?",
    ),
    "a-seat-that-there-is-not": (
        ASK, ("await self.choose(table)\n    async def choose(self, table):\n        return"
        " await table.ask_all({0: Pick(OneOf((1,))), 10: Pick(OneOf((1,)))})"),
        r"PipsPosition\.choose \(pips\.py:29\) asks seat 10, but the seats are 0 to 1",
    ),
    "a-seat-that-there-is-not-is-told": (
        ASK, f"{ASK}; table.tell(2, Shown(1))", "tells seat 2, but the seats are 0 to 1",
    ),
    "a-sum-of-what-is-not-awaited": (
        ASK, ("1 + self.choose(table)\n    async def choose(self, table):\n        return"
        " await table.ask(0, Pick(OneOf((1,))))"),
        r"TypeError: .*'coroutine' \(pips\.py:27, in round\); is an `await` missing\?",
    ),
    "the-next-position-is-not-awaited": (
        "return PipsPosition(over=True)", ("return self.later()\n    async def later(self):\n"
        "        return PipsPosition(over=True)"),
        (r"PipsPosition\.round \(pips\.py:26\) returned the call of later\(\.\.\.\), which was never"
        r" awaited; is an `await` missing\?"),
    ),
    "the-next-position-is-in-a-list": (
        "return PipsPosition(over=True)", "return [PipsPosition(over=True)]",
        r"PipsPosition\.round \(pips\.py:26\) returned \[.*\], which is no position: it has no `round`",
    ),
    "an-event-is-not-listed": (
        "messages=(Shown, Pick)", "messages=(Pick,)",
        r"Shown is not among the game's messages; list it in Game\(messages=\.\.\.\)",
    ),
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


def play_once(game: Game) -> None:
    """Play the game to its end, and write what is told."""
    play = Play.deal(game.read_variant({}), 2, "s")
    play.answer(0, 1)
    for _, event in play.drain():
        game.vocabulary.pack(event)


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
@pytest.mark.parametrize("mistake", MISTAKES_IN_PLAY)
def test_a_mistake_in_a_round_is_named_in_one_line(mistake: str, tmp_path: Path) -> None:
    """What shows only while a game is played names the class, and its line or the fix."""
    old, new, message = MISTAKES_IN_PLAY[mistake]
    assert old in GAME
    (tmp_path / "pips.py").write_text(GAME.replace(old, new, 1))
    (game,) = runpy.run_path(str(tmp_path / "pips.py"))["arena_games"]()
    with pytest.raises((TypeError, GameError)) as raised:
        play_once(game)
    assert re.fullmatch(message, str(raised.value)), str(raised.value)
