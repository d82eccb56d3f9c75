"""What machines that learn are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from arena import Greeting
from arena_briscola import GAME, Briscola, Hand, Played, Taken, Trick
from arena_briscola.rules import FULL_PACK
from arena_briscola.wire import BriscolaObservationEncoder, actions

GREETING = Greeting("briscola", 1, 2, Briscola(), "seed")
FIRST = [Trick(0, "7C", 34, (0, 0)), Hand(("4D", "6B", "AB")), Played(0, "3C")]
SECOND = [Played(1, "4D"), Taken(0, 10), Trick(0, "7C", 32, (10, 0)), Hand(("QC", "6B", "AB"))]


def encode(events: Sequence[Any]) -> list[float]:
    """Return the figures of a seat that was told this, the greeting first."""
    greeting, *told = events
    encoder = BriscolaObservationEncoder(greeting)
    for event in told:
        encoder.tell(event)
    return encoder.observation()


def read(events: list[Any]) -> dict[str, Any]:
    """Return the figures of a game of two under their names, cards as cards."""
    figures = encode([GREETING, *events])
    parts = [[card for card, mark in zip(FULL_PACK, figures[at : at + 40], strict=True) if mark]
             for at in range(0, 160, 40)]  # fmt: skip
    names = ("hand", "laid", "gone", "turned up")
    rest = figures[160:]
    return dict(zip(names, parts, strict=True), suit=rest[:4], stock=rest[4], scores=rest[5:])


def test_before_anything_is_told() -> None:
    """All is nought."""
    assert not any(encode([GREETING]))


def test_in_the_middle_of_a_trick() -> None:
    """The hand, what the other has laid, and what is turned up."""
    assert read(FIRST) == {
        "hand": ["4D", "6B", "AB"], "laid": ["3C"], "gone": [], "turned up": ["7C"],
        "suit": [1, 0, 0, 0], "stock": 34 / 40, "scores": [0, 0],
    }  # fmt: skip


def test_in_the_next_trick() -> None:
    """Cards of the trick before are gone; the own score comes first."""
    found = read(FIRST + SECOND)
    assert found["hand"] == ["QC", "6B", "AB"]
    assert found["laid"] == []
    assert found["gone"] == ["3C", "4D"]
    assert found["scores"] == [0, 10 / 120]


def test_in_the_next_deal() -> None:
    """The pack is whole again."""
    found = read([*FIRST, *SECOND, Trick(1, "5B", 34, (60, 60)), Hand(("2C", "4C", "5C"))])
    assert found["gone"] == found["laid"] == []
    assert found["suit"] == [0, 0, 0, 1]


@pytest.mark.parametrize(("seats", "count", "size"), [(2, 40, 167), (3, 39, 203), (4, 40, 249)])
def test_how_many_there_are(seats: int, count: int, size: int) -> None:
    """Actions are the cards of the pack; the figures depend on nothing but the seats."""
    assert len(actions(Briscola(), seats)) == count
    assert len(encode([Greeting("briscola", 0, seats, Briscola(), "seed")])) == size
    assert GAME.learning.actions is actions
    assert GAME.learning.encoder is BriscolaObservationEncoder
