"""The situations of `arena check` bring about what their names say."""

from __future__ import annotations

import re

import pytest

from arena.host import Result
from arena_bs import GAME
from tests.support.scenarios import play_scenario

pytestmark = pytest.mark.slow  # whole games of bots


def played(words: str, bot: str = "honest") -> tuple[str, Result]:
    """Let a bot sit in the situation of these words: give what it is sent, and the result."""
    sat = play_scenario(GAME, words, bot)
    return sat.lines, sat.result


@pytest.mark.parametrize(("words", "bot", "seen", "unseen"), [
    ("by two at once", "liar", r"(Called BS: \w+\(\d+\), \w+\(\d+\)\n[^$]*){11}", "Called BS: other"),
    ("by two at once", "liar", "Your bluff was called: ", None),
    ("five call", "honest", r"Called BS: (\w+\(\d+\), ){4}\w+\(\d+\)$", None),
    ("nobody else ever calls", "liar", " won!", "Called BS: "),
    ("Peanut Butter", "liar", r"Called BS:\nPlayer \w+\(\d+\) was bluffing\.\nPlayers", None),
    ("25 cards", "honest", " plays: 25 x ", None),
    ("the last play is called", "liar", r"Called BS: (\w+\(\d+\), ){10,}", None),
    ("strange", "honest", r"Players: .*\bplays\(\d+\).*\b0\(\d+\)", None),
    ("the same nickname", "honest", r"^Players: (.*\bBob\(\d+\)){3}", None),
    ("2000 characters", "honest", r"^.{2001,}$", None),
])  # fmt: skip
def test_it_comes_about(words: str, bot: str, seen: str, unseen: str | None) -> None:
    """What the situation is for is seen by the bot."""
    lines, _ = played(words, bot)
    assert re.search(seen, lines, re.MULTILINE)
    assert unseen is None or unseen not in lines


def test_a_high_pile_comes_to_a_hand() -> None:
    """All cards of it stand in one line."""
    lines, _ = played("the pile is high", "liar")
    taken = re.findall(r"(?:called|misjudged): (.+)", lines)
    assert max(len(cards.split()) for cards in taken) >= 15


def test_an_opponent_fails() -> None:
    """And its seat is played on for many more turns."""
    _, result = played("an opponent fails")
    (verdict,) = result.outcome.verdicts.values()
    assert verdict.kind == "crashed"
    assert result.outcome.rounds > verdict.ask


def test_nobody_wins() -> None:
    """The game ends after some turns, without a line that says so."""
    lines, result = played("turn limit")
    assert " won!" not in lines
    assert result.outcome.rounds == 7
