"""Briscola as zones: the own hand, the trump under the stock, and the trick."""

from __future__ import annotations

from arena.records import Perspective, Spectator, Viewer
from arena_briscola import GAME, Briscola
from arena_briscola.rules import Hand, Played, Taken, Trick
from tests.support.zone_lines import read_board


def looking(sight: Viewer) -> Perspective:
    """Return an eye on a deal in which Bob, seat 1, has looked at three cards of his."""
    eye = Perspective(GAME, Briscola(), ["Ann", "Bob", "Eve", "Dan"], sight, page=True)
    eye.begin()
    eye.see_event(None, Trick(0, "QD", 4, (3, 0, 3, 0)))
    eye.see_event(1, Hand(("KC", "7S", "AB")))
    return eye


def test_a_deal_from_a_seat() -> None:
    """The partner across is named as such; the trump is the last card of the stock."""
    assert read_board(looking(1)) == {
        "hand2": "Eve: +3 / 3 points",
        "hand3": "Dan: +3 / partner · 0 points",
        "hand0": "Ann: +3 / 3 points",
        "stock": "Trumps: Denari: QD +3",
        "trick": "Trick 1: -",
        "hand1": "Bob: KC 7S AB / 0 points",
    }
    assert read_board(looking(0))["hand1"] == "Bob: +3 / 0 points"
    assert read_board(looking(Spectator.ALL))["hand1"] == "Bob: KC 7S AB / 0 points"


def test_a_trick_lies_until_the_next_begins() -> None:
    """Partners share its points; when the stock is gone all have drawn for the last time."""
    eye = looking(1)
    for event in (Played(0, "4D"), Played(1, "KC"), Played(2, "2S"), Played(3, "AD")):
        eye.see_event(None, event)
    eye.see_event(None, Taken(3, 15))
    eye.see_event(None, Trick(3, "QD", 0, (3, 15, 3, 15)))
    zones = read_board(eye)
    assert zones["trick"] == "Trick 2: 4D(0) KC(1) 2S(2) AD(3) / Dan takes 15 points"
    assert zones["stock"] == "Trumps: Denari: - / The stock is gone"
    assert zones["hand3"] == "Dan: +3 / partner · 15 points"
    assert zones["hand1"] == "Bob: 7S AB / 15 points"
    eye.see_event(None, Played(3, "2B"))
    assert read_board(eye)["trick"] == "Trick 2: 2B(3)"
    assert read_board(eye)["hand3"].startswith("Dan: +2")
