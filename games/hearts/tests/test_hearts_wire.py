"""The lines of Hearts, to the letter, and the game for programs that learn."""

from __future__ import annotations

from collections.abc import Sequence
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
    build_pack,
)
from arena_hearts.wire import HeartsObservationEncoder, actions

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
