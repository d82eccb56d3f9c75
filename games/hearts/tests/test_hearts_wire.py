"""The lines of Hearts, to the letter."""

from __future__ import annotations

from typing import Any

import pytest

from arena import Greeting, MalformedLineError, OneOf, SomeOf
from arena_hearts import GAME, Hearts, HeartsLines
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

WIRE = HeartsLines(1)
GOLDEN = [
    (Greeting("hearts", 1, 4, Hearts(), "seed"), "Seat: 1 of 4"),
    (DealStarted(3, "across", (10, 26, 0, 42)), "Deal: 3 across points 10 26 0 42"),
    (Hand(("4C", "QS")), "Hand: 4C QS"),
    (Received(0, ("3C", "8D", "AS")), "Received: 0 3C 8D AS"),
    (Played(2, "TC"), "Played: 2 TC"),
    (Taken(3, 14), "Taken: 3 14"),
    (Scored((0, -26, 0), (9, -1, 0)), "Scored: 0 -26 0 points 9 -1 0"),
]
PASS = PassCards(SomeOf(("4C", "5C", "6C", "QS"), 3, 3), 2)
PLAY = PlayCard(OneOf(("4C", "5C")))


@pytest.mark.parametrize(("event", "line"), GOLDEN)
def test_each_event_is_its_line(event: Any, line: str) -> None:
    """Every event is one line, to the letter."""
    assert list(WIRE.tell(event)) == [line]


def test_every_message_of_the_game_has_a_golden_line() -> None:
    """No event is left out above."""
    assert {type(event) for event, _ in GOLDEN} | {PassCards, PlayCard} == {
        *GAME.messages,
        Greeting,
    }


def test_questions_are_lines() -> None:
    """To whom to pass, and what may be played."""
    assert list(WIRE.ask(PASS)) == ["Pass: 3 to 2"]
    assert list(WIRE.ask(PLAY)) == ["Play: 4C 5C"]


@pytest.mark.parametrize(
    ("question", "answer", "line"), [(PASS, ("QS", "4C", "5C"), "QS 4C 5C"), (PLAY, "5C", "5C")]
)
def test_what_is_said_is_what_is_read(question: Any, answer: Any, line: str) -> None:
    """A program's line and its answer are each other's meaning."""
    assert WIRE.say(question, answer) == line
    assert WIRE.read(question, line) == answer


@pytest.mark.parametrize(
    ("question", "line"),
    [
        (PASS, ""), (PASS, "4C 5C"), (PASS, "4C 5C 6C QS"), (PASS, "4C  5C 6C"), (PASS, "4c 5c 6c"),
        (PASS, "Pass: 4C 5C 6C"), (PLAY, ""), (PLAY, "10C"), (PLAY, " 4C"), (PLAY, "4C 5C"),
        (PLAY, "4c"), (PLAY, "4C\n"),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_malformed(question: Any, line: str) -> None:
    """Cards as they stand on the wire, with single spaces, and as many as were asked for."""
    with pytest.raises(MalformedLineError, match="expected"):
        WIRE.read(question, line)
