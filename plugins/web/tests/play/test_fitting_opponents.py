"""The opponent that the start page offers to a visitor with results."""

from __future__ import annotations

import pytest

from arena_web.play.offers import load_pools, offer
from arena_web.play.visitors.results import OpponentRecord


@pytest.mark.parametrize(
    ("streaks", "fitting"),
    [
        ({}, "easy"),
        ({"easy": 1}, "easy"),
        ({"easy": 2}, "medium"),
        ({"easy": -3}, "beginner"),
        ({"easy": 5, "medium": -2}, "medium"),
        ({"easy": 5, "medium": -3}, "easy"),
        ({"hard": 2}, "expert"),
        ({"expert": 9}, "expert"),
    ],
)
def test_who_wins_or_loses_in_a_row_is_offered_another_level(
    streaks: dict[str, int], fitting: str
) -> None:
    """Two wins lead up, three losses down, no further than there are levels."""
    offered = offer(load_pools(())["gops"])
    names = {bot.level: bot.name for bot in offered.ladder}
    records = {
        ("gops", names[level]): OpponentRecord("gops", names[level], streak=streak)
        for level, streak in streaks.items()
    }
    chosen = offered.choose_fitting(records)
    assert chosen
    assert chosen.level == fitting
