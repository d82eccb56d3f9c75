"""Scores that a narrator tells are those of the game, or the contract says which are not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from attrs import evolve

from arena import Game, Mark, MarkedLine, Narrator, load_game
from arena.testing import Case
from arena.testing.laws.wires import told_scores_are_the_scores

CASES = {
    "briscola": Case(seats=4),
    "gops": Case({"ties": "split"}, 3),
    "hearts": Case({"deals": 2}, 4),
}
"""Of each game whose narrator tells scores, one in which partners, fractions or deals count."""


def count_more(line: str) -> str:
    """Return a line with one point more for the last player."""
    *_, last = re.finditer(r"\d+", line)
    return f"{line[: last.start()]}{int(last[0]) + 1}{line[last.end() :]}"


def forget_last(line: str) -> str:
    """Return a line without the last player's number."""
    return line[: line.rindex(", ")] + "."


def change_narrator(game: Game, change: Callable[[str], str]) -> Game:
    """Return a game whose narrator changes each line that tells scores."""
    honest = game.presentation.narrator
    assert isinstance(honest, type)
    assert issubclass(honest, Narrator)

    class Changed(honest):  # type: ignore[misc, valid-type]
        def describe(self, message: Any) -> Iterator[str]:
            for line in super().describe(message):
                told = isinstance(line, MarkedLine) and line.mark is Mark.SCORES
                yield MarkedLine(change(line), Mark.SCORES) if told else line

    return evolve(game, presentation=evolve(game.presentation, narrator=Changed))


@pytest.mark.parametrize("name", CASES)
def test_true_scores_keep_the_law(name: str) -> None:
    """A game's own narrator tells scores in this case, and tells them as they are."""
    told = list[str]()

    def note(line: str) -> str:
        told.append(line)
        return line

    told_scores_are_the_scores(change_narrator(load_game(name), note), CASES[name])
    assert told


@pytest.mark.parametrize("name", CASES)
def test_a_lie_about_a_score_is_caught(name: str) -> None:
    """One point too many for one player is named, with the score that the player has."""
    lying = change_narrator(load_game(name), count_more)
    with pytest.raises(AssertionError, match=r"marked SCORES, is told when '\w+' has \d"):
        told_scores_are_the_scores(lying, CASES[name])


@pytest.mark.parametrize("name", CASES)
def test_a_player_without_a_score_is_missed(name: str) -> None:
    """A line that tells scores tells everybody's."""
    silent = change_narrator(load_game(name), forget_last)
    with pytest.raises(AssertionError, match="marked SCORES, has no number behind"):
        told_scores_are_the_scores(silent, CASES[name])
