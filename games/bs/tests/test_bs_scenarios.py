"""The situations of `arena check` bring about what their names say."""

from __future__ import annotations

import re

import pytest

from arena import Scenario
from arena.host import Result
from arena_bs import GAME
from arena_bs.bots import SCENARIOS
from tests.support.scenarios import assert_playable, play_scenario

pytestmark = pytest.mark.slow  # whole games of bots
NAMES = [situation.name for situation in SCENARIOS]


def played(words: str, bot: str = "honest") -> tuple[str, Result]:
    """Let a bot sit in the situation of these words: give what it is sent, and the result."""
    sat = play_scenario(GAME, words, bot)
    return sat.lines, sat.result


@pytest.mark.parametrize("situation", SCENARIOS, ids=NAMES)
def test_a_situation_can_be_played(situation: Scenario) -> None:
    """By every bundled bot, to its end, and only who is to fail does."""
    assert_playable(GAME, situation)


def test_names_differ() -> None:
    """A finding names its situation."""
    assert len({*NAMES}) == len(NAMES)


def test_whatever_is_laid_is_called() -> None:
    """By two, in the end by the bot's opponents only."""
    lines, _ = played("by two at once", "liar")
    assert lines.count("Called BS: other") == 0
    assert len(re.findall(r"Called BS: \w+\(\d+\), \w+\(\d+\)$", lines, re.MULTILINE)) > 10
    assert "Your bluff was called: " in lines


def test_five_call_at_once() -> None:
    """Whenever the bot lays cards."""
    lines, _ = played("five call")
    assert re.search(r"Called BS: (\w+\(\d+\), ){4}\w+\(\d+\)$", lines, re.MULTILINE)


def test_nobody_calls() -> None:
    """The pile only grows, until somebody goes out."""
    lines, _ = played("nobody else ever calls", "liar")
    assert "Called BS: " not in lines
    assert " won!" in lines


def test_the_others_bluff_and_say_so() -> None:
    """The line that tells of it comes without cards."""
    lines, _ = played("Peanut Butter", "liar")
    assert re.search(r"Called BS:\nPlayer \w+\(\d+\) was bluffing\.\nPlayers", lines)


def test_a_high_pile_comes_to_a_hand() -> None:
    """All cards of it stand in one line."""
    lines, _ = played("the pile is high", "liar")
    taken = re.findall(r"(?:called|misjudged): (.+)", lines)
    assert max(len(cards.split()) for cards in taken) >= 15


def test_25_cards_are_laid_at_once() -> None:
    """Which is a number of two digits."""
    lines, _ = played("25 cards")
    assert " plays: 25 x " in lines


def test_the_last_play_is_called() -> None:
    """The call of BS on the last play comes from every seat that is still in the game."""
    lines, _ = played("the last play is called", "liar")
    assert re.search(r"Called BS: (\w+\(\d+\), ){10,}", lines)


def test_nicknames_are_strange_or_the_same() -> None:
    """Opponents may have strange nicknames, or all the same one, as the protocol allows."""
    assert re.search(r"Players: .*\bplays\(\d+\).*\b0\(\d+\)", played("strange")[0])
    assert len(re.findall(r"\bBob\(\d+\)", played("the same nickname")[0].splitlines()[0])) == 3


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


def test_lines_are_long() -> None:
    """As long as the protocol can make them."""
    lines, _ = played("2000 characters")
    assert max(map(len, lines.splitlines())) > 2000
