"""Hearts for programs that learn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena import Greeting
from arena_hearts import GAME, Hearts
from arena_hearts.rules import DealStarted, Hand, Played, Received, Taken, build_pack
from arena_hearts.wire import HeartsObservationEncoder, actions

HELLO = Greeting("hearts", 1, 4, Hearts(), "seed")
HAND = build_pack(4)[:13]


def encode(events: Sequence[Any]) -> list[float]:
    """Return the figures of a seat that was told this, the greeting first."""
    greeting, *told = events
    encoder = HeartsObservationEncoder(greeting)
    for event in told:
        encoder.tell(event)
    return encoder.observation()


def test_actions_are_cards_and_choices_of_three() -> None:
    """22,100 choices of three, if cards are passed at all."""
    assert [len(actions(Hearts(), seats)) for seats in (3, 4, 5)] == [
        51 + 20825,
        52 + 22100,
        50 + 19600,
    ]
    assert actions(Hearts(passing=False), 4) == build_pack(4)


def test_the_encoding_shows_the_hand_and_the_trick() -> None:
    """Seats are counted from the own one, and points are parts of what there is."""
    figures = encode([HELLO, DealStarted(1, "hold", (50, 100, 0, 25)), Hand(HAND), Played(2, "AS")])
    assert figures[:52] == [1.0] * 13 + [0.0] * 39
    assert sum(figures[52:104]) == figures[52 + build_pack(4).index("AS")] == 1
    assert figures[-4:] == [1.0, 0.0, 0.25, 0.5]
    assert GAME.learning.encoder is HeartsObservationEncoder


def test_the_encoding_shows_what_was_passed() -> None:
    """What the seat gave to the next one, and what it received."""
    after = (*HAND[3:], "2H", "3H", "4H")
    figures = encode(
        [HELLO, DealStarted(1, "left", (0,) * 4), Hand(HAND), Received(0, after[-3:]), Hand(after)]
    )
    received, given = figures[104:156], figures[156:364]
    assert [build_pack(4)[at] for at, mark in enumerate(received) if mark] == ["2H", "3H", "4H"]
    assert [at for at, mark in enumerate(given) if mark] == [52, 53, 54]


def test_the_encoding_counts_points() -> None:
    """Of this deal, as a part of 26."""
    assert encode([HELLO, Taken(1, 13)])[-8:-4] == [0.5, 0.0, 0.0, 0.0]
