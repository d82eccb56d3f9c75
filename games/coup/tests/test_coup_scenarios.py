"""The situations of `arena check` bring about what their names say."""

from __future__ import annotations

import re

import pytest

from arena.host import Result
from arena_coup import GAME
from tests.support.scenarios import play_scenario


def played(words: str, bot: str) -> tuple[str, Result, int]:
    """Let a bot sit in the situation of these words: what it is sent, the result, its seat."""
    sat = play_scenario(GAME, words, bot)
    return sat.lines, sat.result, sat.seat


@pytest.mark.parametrize(("words", "bot", "line"), [
    ("by two at once", "bold", r"challenges \d {seat} \w+"),
    ("five challenge", "bold", r"challenges \d {seat} Duke"),
    ("is blocked", "honest", r"failed {seat} "),
    ("assassinates", "honest", r"action \d assassinate:{seat}"),
    ("others steal", "honest", r"action \d steal:{seat}"),
    ("exchange", "honest", r"done \d exchange"),
    ("foreign aid", "bold", r"blocks {seat} Duke"),
    ("lie in every turn", "counter", r"challenges {seat} \d \w+"),
])  # fmt: skip
def test_it_comes_about(words: str, bot: str, line: str) -> None:
    """What the situation is for is seen by the bot."""
    lines, _, seat = played(words, bot)
    assert re.search(line.format(seat=seat), lines)


def test_it_is_out_early() -> None:
    """And is told how the others go on."""
    lines, _, seat = played("out early", "bold")
    assert "\nturn" in lines[lines.index(f"out {seat}") :]


def test_the_game_ends_at_its_turn_limit() -> None:
    """No line says that nobody has won."""
    lines, result, _ = played("turn limit", "honest")
    assert result.outcome.rounds == 5
    assert "won" not in lines
