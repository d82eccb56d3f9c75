"""What is observed of the playing style of Briscola."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from arena import Observation
from arena.host import play_match
from arena_briscola.insights import STATISTICS, observe_tricks

Line = Mapping[str, Any]


def match(seats: int, *tricks: tuple[Sequence[str], int], fallback: int = -1) -> list[Line]:
    """Return a match with swords as trump, in which seat 0 leads to each trick."""
    lines: list[Line] = [{"seats": [{}] * seats}]
    for cards, taker in tricks:
        lines.append({"to": None, "event": {"tell": "Trick", "leader": 0, "trump": "2S"}})
        for seat, card in enumerate(cards):
            lines += [
                {"from": seat, "answer": card, "fallback": seat == fallback},
                {"to": None, "event": {"tell": "Played", "seat": seat, "card": card}},
            ]
        lines.append({"to": None, "event": {"tell": "Taken", "seat": taker, "points": 0}})
    return lines


def values(found: Sequence[Observation], seat: int, key: str) -> list[float]:
    return [float(seen.value) for seen in found if (seen.seat, seen.key) == (seat, key)]


def test_tricks_show_what_is_taken_and_lost() -> None:
    """A trump takes an ace in the first trick, and is lost to a higher one in the second."""
    found = [*observe_tricks(match(2, (["AC", "4S"], 1), (["5S", "3S"], 1)))]
    assert values(found, 0, "taken") == [0, 0]
    assert values(found, 1, "value") == values(found, 1, "trump_value") == [11, 10]
    assert values(found, 0, "given") == [11, 0]
    assert values(found, 0, "high_lost") == [1]
    assert values(found, 1, "high_lost") == [0]
    assert values(found, 0, "trumps_lost") == [1]
    assert values(found, 0, "plain_leads") == [0, 1]
    assert values(found, 0, "leads_held") == [0, 0]
    led = [(seen.x, float(seen.value)) for seen in found if seen.key == "leads" and seen.value]
    assert led == [(11, 1), (0, 1)]


def test_points_are_not_lost_to_a_partner() -> None:
    """Of four, those who sit across take for each other."""
    found = [*observe_tricks(match(4, (["3C", "2D", "AC", "2B"], 2)))]
    assert values(found, 0, "high_lost") == values(found, 2, "high_lost") == [0]
    assert values(found, 0, "given") == []
    assert values(found, 1, "given") == values(found, 3, "given") == [0]


def test_the_fallback_bot_is_not_observed() -> None:
    """The cards that it plays say nothing about the player that it replaces."""
    for seat in (0, 1):
        found = observe_tricks(match(2, (["AC", "4S"], 1), fallback=seat))
        assert {seen.seat for seen in found} == {1 - seat}


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_figures_agree_with_what_the_rules_count(seats: int) -> None:
    """In a whole match all tricks are taken once, and all their points by somebody."""
    text = play_match("briscola", ["random"] * seats, seed="5").transcript.text
    lines = [json.loads(line) for line in text.splitlines()]
    found = [*observe_tricks(lines)]
    events = [line["event"] for line in lines[1:] if "event" in line]
    tricks = [event for event in events if event["tell"] == "Taken"]
    assert sum(seen.value for seen in found if seen.key == "taken") == len(tricks)
    assert sum(seen.value for seen in found if seen.key == "value") == 120
    assert sum(seen.value for seen in found if seen.key == "leads") == len(tricks)
    assert {seen.key for seen in found} == {statistic.key for statistic in STATISTICS}
