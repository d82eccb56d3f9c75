"""Hearts as zones: the own hand, how many the others hold, and the trick between them."""

from __future__ import annotations

from arena import OneOf, SomeOf
from arena.records import Perspective, Spectator, Viewer
from arena_hearts import GAME, Hearts
from arena_hearts.rules import (
    DealStarted,
    Hand,
    PassCards,
    PlayCard,
    Played,
    Received,
    Scored,
    Taken,
)
from tests.support.zone_lines import read_board

HELD = ("2C", "TC", "QS", "3H", "AH")
PASS = PassCards(SomeOf(HELD, 3, 3), 2)


def looking(sight: Viewer) -> Perspective:
    """Return an eye on a deal in which Bob, seat 1, has looked at five cards of his."""
    eye = Perspective(GAME, Hearts(), ["Ann", "Bob", "Eve"], sight, page=True)
    eye.begin()
    eye.see_event(None, DealStarted(1, "left", (1, 2, 3)))
    eye.see_event(1, Hand(HELD))
    return eye


def test_a_deal_from_a_seat() -> None:
    """The others' cards are counted."""
    assert read_board(looking(1)) == {
        "hand2": "Eve: +17 / 3 points",
        "hand0": "Ann: +17 / 1 point",
        "trick": "Deal 1: cards go left: -",
        "hand1": "Bob: 2C TC QS 3H AH / 2 points",
    }
    assert read_board(looking(0))["hand1"] == "Bob: +17 / 2 points"
    assert read_board(looking(Spectator.ALL))["hand1"] == "Bob: 2C TC QS 3H AH / 2 points"


def test_cards_are_passed() -> None:
    """What is passed leaves the hand at once, and what comes is in it."""
    eye = looking(1)
    eye.see_answer(1, PASS, ("QS", "3H", "AH"))
    assert read_board(eye)["hand1"].startswith("Bob: 2C TC /")
    eye.see_event(1, Received(0, ("5D",)))
    assert read_board(eye)["hand1"].startswith("Bob: 2C TC 5D /")


def test_a_trick_lies_until_the_next_begins() -> None:
    """Each card with who has played it; then who takes it, and what it was worth."""
    eye = looking(1)
    for event in (Played(0, "5C"), Played(1, "TC"), Played(2, "QS")):
        eye.see_event(None, event)
    assert read_board(eye)["trick"] == "Deal 1: cards go left: 5C(0) TC(1) QS(2)"
    eye.see_event(None, Taken(1, 13))
    zones = read_board(eye)
    assert zones["trick"].endswith("5C(0) TC(1) QS(2) / Bob takes 13 points")
    assert zones["hand1"] == "Bob: 2C QS 3H AH / 15 points"
    assert zones["hand0"] == "Ann: +16 / 1 point"
    eye.see_event(None, Played(1, "2C"))
    assert read_board(eye)["trick"] == "Deal 1: cards go left: 2C(1)"


def test_a_question_changes_nothing() -> None:
    """Nobody sees by it what may be played."""
    eye = looking(1)
    before = read_board(eye)
    assert not eye.see_question(1, PlayCard(OneOf(HELD))).zones
    assert read_board(eye) == before


def test_a_deal_is_scored() -> None:
    """The points are those of all deals."""
    eye = looking(1)
    eye.see_event(None, Scored((26, 0, 0), (27, 2, 3)))
    assert read_board(eye)["hand0"].endswith("/ 27 points")
