"""The situations of `arena check` bring about what their names say."""

from __future__ import annotations

import re

import pytest

from arena import Situation
from arena.check.trials import Plan
from arena.entrants import entrant
from arena.hosting import House, Result, host
from arena.observer import Observer
from arena_coup import GAME, CoupLines
from arena_coup.situations import SITUATIONS

NAMES = [situation.name for situation in SITUATIONS]


class Lines(Observer):
    """Keeps the lines that one seat is sent."""

    def __init__(self, seat: int) -> None:
        self.seat, self.lines = seat, list[str]()

    def told(self, seat: int | None, event: object) -> None:
        if seat in (None, self.seat):
            self.lines += CoupLines(self.seat).tell(event)


def played(words: str, bot: str) -> tuple[str, Result, int]:
    """Let a bot sit in the situation of these words: what it is sent, the result, its seat."""
    tried = entrant(GAME, f"tried={bot}")
    batches = Plan(GAME, GAME.read_variant({}), tried, "1").batches()
    (trial,) = next(batch.trials for batch in batches if words in batch.name)
    seen = Lines(trial.seat)
    result = host(trial.setting, trial.seated, House(), [seen])
    return "\n".join(seen.lines), result, trial.seat


@pytest.mark.parametrize("situation", SITUATIONS, ids=NAMES)
def test_a_situation_can_be_played(situation: Situation) -> None:
    """By every bundled bot, to its end, and only who is to fail does."""
    for bot in GAME.bots:
        _, result, _ = played(situation.name, bot)
        failing = {
            f"other_{at}" for at, make in enumerate(situation.others, 1) if "Failing" in str(make)
        }
        assert {result.setting.names[seat] for seat in result.outcome.verdicts} <= failing


def test_names_differ() -> None:
    """A finding names its situation."""
    assert len({*NAMES}) == len(NAMES)


@pytest.mark.parametrize(("words", "bot", "line"), [
    ("by two at once", "bold", r"challenges \d {seat} \w+"),
    ("five challenge", "bold", r"challenges \d {seat} Duke"),
    ("is blocked", "honest", r"failed {seat} "),
    ("again and again", "honest", r"action \d assassinate:{seat}"),
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


def test_the_game_is_broken_off() -> None:
    """No line says so."""
    lines, result, _ = played("broken off", "honest")
    assert result.outcome.rounds == 5
    assert "won" not in lines
