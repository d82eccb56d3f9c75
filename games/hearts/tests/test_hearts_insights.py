"""What is observed of the playing style of Hearts, in matches whose figures are known."""

from __future__ import annotations

from typing import Any

from arena_hearts.insights import observe_deals

HAND = ["QS", "KS", "2H", "3C"]
LINES: list[dict[str, Any]] = [
    {"seats": [{}, {}, {}]},
    {"to": 0, "question": {"ask": "PassCards", "options": {"some_of": HAND}}},
    {"to": 1, "question": {"ask": "PassCards", "options": {"some_of": HAND[1:]}}},
    {"to": 2, "question": {"ask": "PassCards", "options": {"some_of": HAND}}},
    {"from": 0, "answer": ["QS", "KS", "2H"], "fallback": False},
    {"from": 1, "answer": ["KS", "2H", "3C"], "fallback": True},
    {"from": 2, "answer": ["KS", "2H", "3C"], "fallback": False},
    {"to": None, "event": {"tell": "Taken", "seat": 0, "points": 20}},
    {"to": None, "event": {"tell": "Taken", "seat": 0, "points": 6}},
    {"to": None, "event": {"tell": "Scored", "deal": [0, 26, 26], "points": [0, 26, 26]}},
    {"to": None, "event": {"tell": "Taken", "seat": 1, "points": 5}},
    {"to": None, "event": {"tell": "Taken", "seat": 2, "points": 21}},
    {"to": None, "event": {"tell": "Scored", "deal": [0, 5, 21], "points": [0, 31, 47]}},
]
"""Two deals: seat 0 shoots the moon in the first, which the fallback bot plays for seat 1."""


def summarize(key: str, x: str = "") -> dict[int, tuple[float, int]]:
    """Return what the observations of a statistic come to by seat: their sum, and how many."""
    sums: dict[int, tuple[float, int]] = {}
    for seen in observe_deals(LINES):
        if (seen.key, seen.x) == (key, x):
            value, many = sums.get(seen.seat, (0, 0))
            sums[seen.seat] = value + seen.value, many + seen.many
    return sums


def test_deals_show_points_and_moons() -> None:
    """Whoever took all points has shot the moon; the fallback bot's deal does not count."""
    assert summarize("points") == {0: (26, 2), 1: (5, 1), 2: (21, 2)}
    assert summarize("clean") == {0: (1, 2), 1: (0, 1), 2: (1, 2)}
    assert summarize("moons") == {0: (1, 2), 1: (0, 1), 2: (0, 2)}


def test_deals_are_shared_out_by_points() -> None:
    """Every deal is in one group of points, also where no other deal is."""
    assert summarize("shares", "26 or more") == {0: (1, 2), 1: (0, 1), 2: (0, 2)}
    assert summarize("shares", "14-25") == {0: (0, 2), 1: (0, 1), 2: (1, 2)}
    assert summarize("shares", "4-8") == {0: (0, 2), 1: (1, 1), 2: (0, 2)}
    assert summarize("shares", "0") == {0: (1, 2), 1: (0, 1), 2: (1, 2)}


def test_passes_show_ranks_and_suits() -> None:
    """The queen of spades counts where it is held; what the fallback bot passes does not."""
    assert summarize("queen") == {0: (1, 1), 2: (0, 1)}
    assert summarize("passed_rank") == {0: (12 + 13 + 2, 3), 2: (13 + 2 + 3, 3)}
    assert summarize("suits", "spades") == {0: (2, 3), 2: (1, 3)}
    assert summarize("suits", "hearts") == {0: (1, 3), 2: (1, 3)}
    assert summarize("suits", "clubs") == {0: (0, 3), 2: (1, 3)}
    assert summarize("suits", "diamonds") == {0: (0, 3), 2: (0, 3)}
