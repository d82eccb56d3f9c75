"""Coup in figures: what they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena import Greeting
from arena_coup import GAME, Coup
from arena_coup.rules import (
    CAPTAIN,
    DUKE,
    Acted,
    Blocked,
    Challenged,
    Drawn,
    Hand,
    Lost,
    Out,
    Settled,
    Turn,
)
from arena_coup.wire import CoupObservationEncoder, actions

HEARD: list[Any] = [
    Greeting("coup", 1, 3, Coup(), "seed"),
    Turn(3, 0, (3, 6, 0), (2, 1, 0), ((), (DUKE,), (CAPTAIN, DUKE))),
    Hand((CAPTAIN,)),
]


def encode(events: Sequence[Any]) -> list[float]:
    """Return the figures of a seat that was told this, the greeting first."""
    greeting, *told = events
    encoder = CoupObservationEncoder(greeting)
    for event in told:
        encoder.tell(event)
    return encoder.observation()


def test_the_number_of_figures() -> None:
    """It goes by the seats alone."""
    for seats in GAME.seats:
        assert len(encode([Greeting("coup", 0, seats, Coup(), "seed")])) == 30 + 5 * seats


def test_what_lies_open() -> None:
    """Cards by character, the share of the turns, and the seats from the own one on."""
    figures = encode(HEARD)
    assert figures[:15] == [0, 0, 0.5, 0, 0] + [0] * 5 + [2 / 3, 0, 1 / 3, 0, 0]
    assert figures[15:29] == [0] * 14
    assert figures[29] == 3 / 300
    assert figures[30:] == [0.5, 0.5, 0, 0, 0] + [0] * 5 + [0.25, 1, 1, 0, 0]


def test_a_claim_and_its_challenge() -> None:
    """A steal from this seat, which blocks it, and is challenged."""
    steal = encode([*HEARD, Acted(0, "steal:1")])
    assert steal[15:20] == [0, 0, 1, 0, 0]
    assert steal[20:29] == [0, 0, 0, 0, 1, 0, 0, 1, 0]
    blocked = encode([*HEARD, Acted(0, "steal:1"), Blocked(1, CAPTAIN), Challenged(0, 1, CAPTAIN)])
    assert (blocked[27:29], blocked[32:35]) == ([1, 1], [0, 1, 1])


def test_what_is_settled_is_gone() -> None:
    """With the last influence goes the hand, and with the seat its coins."""
    lost = [Lost(1, CAPTAIN), Out(1), Settled(0, "steal:1", succeeded=True)]
    figures = encode([*HEARD, Acted(0, "steal:1"), *lost])
    assert figures[:5] == figures[15:20] == [0] * 5
    assert figures[30:32] == [0, 0]


def test_cards_that_are_drawn() -> None:
    """They stand beside the hand until the exchange is done."""
    drawn = [*HEARD, Drawn((DUKE, DUKE))]
    assert encode(drawn)[5:10] == [1, 0, 0, 0, 0]
    assert encode([*drawn, Hand((DUKE,))])[5:10] == [0] * 5


def test_the_actions() -> None:
    """Seven deeds, three of them with each target, two words, five characters, twenty hands."""
    assert len(actions(Coup(), 6)) == 4 + 3 * 6 + 2 + 5 + 20
