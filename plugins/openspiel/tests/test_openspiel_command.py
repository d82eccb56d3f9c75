"""The program: a player on standard input and output, and words for what is wrong."""

from __future__ import annotations

import json
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from arena_openspiel.bots import CustomPolicy
from arena_openspiel.openspiel_command import build_kind, main, run_command

GREETING = {
    "tell": "Greeting", "game": "kuhn", "seat": 0, "seats": 2, "variant": {}, "seed": "s",
    "format": 1,
}  # fmt: skip
CARD = {"tell": "Card", "rank": 3}
BET = {"ask": "Bet", "options": {"one_of": [False, True]}, "default": False}
FILE = """
from open_spiel.python.policy import UniformRandomPolicy

def bot(game, player, seed):
    return UniformRandomPolicy(game)

def other(game, player, seed):
    return "nobody"
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(FILE)
    return path


def told(monkeypatch: pytest.MonkeyPatch, *messages: Any) -> None:
    lines = "".join(f"{json.dumps(message)}\n" for message in messages)
    monkeypatch.setattr(sys, "stdin", StringIO(lines))


@pytest.mark.parametrize("words", [["uniform"], ["cfr", "--iterations", "5"], ["ismcts"]])
def test_it_answers_lines(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is a player as any program is: each question has one line of JSON."""
    told(monkeypatch, GREETING, CARD, BET)
    assert run_command(["kuhn", *words]) == 0
    assert capsys.readouterr().out in ("true\n", "false\n")


def test_a_file_brings_a_policy(
    mine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A function of a file makes the bot."""
    told(monkeypatch, GREETING, CARD, BET)
    assert run_command(["kuhn", str(mine)]) == 0
    assert capsys.readouterr().out in ("true\n", "false\n")


def test_a_function_may_be_named(
    mine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the named function makes is asked; here it is no bot, and that is said."""
    told(monkeypatch, GREETING, CARD, BET)
    assert run_command(["kuhn", f"{mine}:other"]) == 2
    assert "'nobody' is not a bot or a policy" in capsys.readouterr().err


def test_a_module_brings_a_bot() -> None:
    """A function of an installed module is named with a colon, and may want bids in turn."""
    kind = build_kind("gops", "pyspiel:make_uniform_random_bot", {"turn_based": True})
    assert isinstance(kind, CustomPolicy)
    assert kind.turn_based


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["kunh"], "unknown game or command 'kunh'; did you mean kuhn? (available: gops, hearts, kuhn, compare, solve, exploit)"),
        (["kuhn", "mcts"], "unknown bot for kuhn 'mcts'; did you mean ismcts? (available: uniform, ismcts, cfr, MODULE:FUNCTION, FILE.py, FILE.py:FUNCTION)"),
        (["kuhn", "uniform", "--iterations", "2"], "unknown parameter of uniform '--iterations' (available: none)"),
        (["kuhn", "cfr", "--simulations", "2"], "unknown parameter of cfr '--simulations'; did you mean --iterations? (available: --iterations)"),
        (["kuhn", "cfr", "--iterations", "0"], "Invalid value for '--iterations': 0 is not in the range x>=1."),
        (["kuhn", "nothing.py"], "nothing.py: no such file"),
        (["kuhn", "nothing:bot"], "nothing: No module named 'nothing'"),
        (["kuhn", "json:bot"], "json has no function 'bot'"),
        (["kuhn"], "Missing argument 'BOT'."),
        (["compare", "chess"], "Invalid value for 'GAME': 'chess' is not one of 'gops', 'hearts', 'kuhn'."),
        (["compare", "kuhn", "--seats", "3"], "kuhn has 2 seats, not 3"),
        (["compare", "gops", "-o", "ties"], "'ties' is not of the form NAME=VALUE"),
        (["compare", "gops", "-o", "ties=x"], "ties: 'x' is not one of discard, split, carry"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_a_line(
    words: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line says what is allowed, and the status is 2."""
    assert run_command(words) == 2
    assert capsys.readouterr().err == f"arena-openspiel: {line}\n"


@pytest.mark.parametrize(
    ("words", "code"), [(["-o", "cards=3"], 0), (["-o", "ties=split", "--seats", "2"], 1)]
)
def test_a_difference_that_is_not_explained_is_the_status(
    words: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """So a script can look whether the rules agree."""
    assert run_command(["compare", "gops", "--games", "20", *words]) == code
    assert capsys.readouterr().out.startswith("gops: 20 games, 20 deals, ")


@pytest.mark.parametrize("words", [[], ["--help"]])
def test_the_help_has_examples(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """They can be copied."""
    assert run_command(words) == 0
    assert 'arena match kuhn "arena-openspiel kuhn cfr" careful' in capsys.readouterr().out


def test_the_help_of_a_game_lists_its_bots(capsys: pytest.CaptureFixture[str]) -> None:
    """Each with what it is."""
    assert run_command(["hearts", "--help"]) == 0
    shown = capsys.readouterr().out
    assert "ismcts" in shown
    assert "mcts " not in shown.replace("ismcts", "").partition("Bots:")[2]


def test_main_ends_with_the_status() -> None:
    """The program's exit status is that of the command."""
    with pytest.raises(SystemExit) as ended:
        main(["kuhn"])
    assert ended.value.code == 2
