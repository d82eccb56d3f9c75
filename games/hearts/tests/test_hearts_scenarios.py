"""The situations of `arena check` bring about what their names say."""

from __future__ import annotations

import pytest

from arena.host import Result
from arena_hearts import GAME
from tests.support.scenarios import play_scenario


def played(words: str) -> tuple[str, Result]:
    """Let a bot sit in the situation of these words: give what it is sent, and the result."""
    sat = play_scenario(GAME, words, "low")
    assert sat.result.outcome.end == "finished"
    return sat.lines, sat.result


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("17 cards", "Deal: 3 hold"),
        ("three of clubs", " 3C\n"),
        ("nobody passes", "Deal: 1 hold"),
        ("hearts are broken early", "Received: "),
        ("take all points", "Scored: "),
        ("three digits", "Deal: 12 "),
        ("QS breaks", "Deal: 4 hold"),
        ("an opponent fails", "Deal: 4 hold"),
    ],
)
def test_a_situation_is_what_it_says(words: str, line: str) -> None:
    """Its line comes, and nobody fails but who is to."""
    lines, result = played(words)
    assert line in lines
    assert len(result.outcome.verdicts) == ("fails" in words)


def test_points_have_three_digits() -> None:
    """When the limit is high."""
    lines, _ = played("three digits")
    assert any(len(word) >= 3 for word in lines.split("points")[-1].split())
