"""What is observed of the playing style of Hearts."""

from __future__ import annotations

from typing import Any

from arena_hearts.insights import observe_deals

HAND = ["QS", "KS", "2H", "3C"]


def test_deals_show_passes_points_and_moons() -> None:
    """Whoever took all points has shot the moon; a fallback bot's deal and pass do not count."""
    lines: list[dict[str, Any]] = [
        {"seats": [{}, {}, {}]},
        {"to": 0, "question": {"ask": "Pass", "options": {"some_of": HAND}}},
        {"to": 1, "question": {"ask": "Pass", "options": {"some_of": HAND[1:]}}},
        {"from": 0, "answer": ["QS", "KS", "2H"], "fallback": False},
        {"from": 1, "answer": ["KS", "2H", "3C"], "fallback": True},
        {"to": None, "event": {"tell": "Taken", "seat": 0, "points": 20}},
        {"to": None, "event": {"tell": "Taken", "seat": 0, "points": 6}},
        {"to": None, "event": {"tell": "Scored", "deal": [0, 26, 26], "points": [0, 26, 26]}},
        {"to": None, "event": {"tell": "Taken", "seat": 1, "points": 5}},
        {"to": None, "event": {"tell": "Taken", "seat": 2, "points": 21}},
        {"to": None, "event": {"tell": "Scored", "deal": [0, 5, 21], "points": [0, 31, 47]}},
    ]
    found = [(seen.seat, seen.key, float(seen.value)) for seen in observe_deals(lines)]
    assert [value for seat, key, value in found if (seat, key) == (0, "moons")] == [1, 0]
    assert [value for seat, key, value in found if (seat, key) == (0, "points")] == [26, 0]
    assert [value for seat, key, value in found if (seat, key) == (0, "clean")] == [0, 1]
    assert [value for seat, key, value in found if (seat, key) == (1, "points")] == [5]
    assert [value for seat, key, value in found if key == "queen"] == [1]
    assert [value for _, key, value in found if key == "passed_rank"] == [12, 13, 2]
    assert sum(value for _, key, value in found if key == "suits") == 3
    assert sum(value for seat, key, value in found if (seat, key) == (2, "shares")) == 2
