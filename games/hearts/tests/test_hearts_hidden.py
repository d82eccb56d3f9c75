"""What a seat may not know of a position, and what it does."""

from __future__ import annotations

from random import Random

import pytest

from arena_hearts import Hearts, HeartsPosition
from arena_hearts.rules import build_pack

HANDS = (
    ("2C", "5C", "QS", "3H"),
    ("3C", "6D", "KS", "4H"),
    ("4C", "7D", "AS", "5H"),
)


def test_any_hidden_card_can_be_in_any_hidden_place() -> None:
    """What a seat does not hold is mixed as a whole."""
    start = HeartsPosition(Hearts(), HANDS, leader=0)
    drawn = [start.resample_hidden(2, Random(seed)) for seed in range(300)]
    hidden = {*HANDS[0], *HANDS[1]} - {"2C"}
    assert {card for other in drawn for card in other.hands[1]} == hidden
    assert {other.hands[2] for other in drawn} == {HANDS[2]}


@pytest.mark.parametrize(
    ("direction", "leader", "places"),
    [("left", None, {0, 1}), ("hold", None, {0}), ("left", 0, {0})],
)
def test_who_leads_first_is_known_once_nothing_is_passed(
    direction: str, leader: int | None, places: set[int]
) -> None:
    """Before the passing the lowest club may be anywhere; after it, its holder leads."""
    hands = (build_pack(3)[:17], build_pack(3)[17:34], build_pack(3)[34:])
    start = HeartsPosition(Hearts(), hands, direction, leader)
    drawn = [start.resample_hidden(2, Random(seed)) for seed in range(60)]
    assert {other.first_leader for other in drawn} == places
