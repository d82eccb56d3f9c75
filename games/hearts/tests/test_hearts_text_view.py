"""What people see of Hearts, and what they may type."""

from __future__ import annotations

from typing import Any

import pytest

from arena import AnswerEvent, Greeting, MalformedLineError, OneOf, PrivateEvent, SomeOf
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

NAMES = ("Ann", "Bob", "Carl")
HELD = Hand(("2C", "TC", "QS", "3H", "AH"))
PASS = PassCards(SomeOf(HELD.cards, 3, 3), 2)
PLAY = PlayCard(OneOf(("2C", "TC")))
TRICK = (Played(0, "5C"), Played(1, "TC"), Played(2, "QS"), Taken(1, 13))


def shown(seat: int | None, *events: Any) -> list[str]:
    """Return the lines of these events."""
    view = GAME.build_view(seat, NAMES)
    return [line for event in events for line in view.tell(event)]


def test_a_person_is_told_the_rules() -> None:
    """A person is told the rules at the beginning, in three lines."""
    assert len(shown(1, Greeting("hearts", 1, 3, Hearts(), "seed"))) == 3


def test_a_deal_at_a_seat() -> None:
    """Who plays is called you, and a trick is one line."""
    lines = shown(
        1, DealStarted(1, "left", (1, 2, 3)), HELD, Received(0, ("2C", "3C", "4C")), *TRICK
    )
    assert lines == [
        "",
        "Deal 1: cards go left. Points: Ann 1, you 2, Carl 3.",
        "Ann passes you 2♣ 3♣ 4♣.",
        "Ann 5♣, you T♣, Carl Q♠ – You take 13 points.",
    ]


@pytest.mark.parametrize(
    ("deal", "line"),
    [((0, 26, 26), "Ann shoots the moon!"), ((0, -26, 0), "You shoot the moon!")],
)
def test_the_moon_is_shot(deal: tuple[int, ...], line: str) -> None:
    """A moon is described in a line for both ways to count it."""
    assert shown(1, Scored(deal, deal))[0] == line
    assert len(shown(1, Scored((0, 13, 13), deal))) == 1


def test_questions_show_what_one_must_know() -> None:
    """The hand by suits, what lies there, and what may be played if that is not all."""
    view = GAME.build_view(1, NAMES)
    assert [*view.tell(HELD), *view.ask(PASS)] == [
        "Your hand:  ♣ 2 T  ♠ Q  ♥ 3 A",
        "Which three cards do you pass to Carl?",
    ]
    assert [*view.tell(Played(0, "5C")), *view.ask(PLAY)][1:] == [
        "On the table: Ann 5♣",
        "Your hand:  ♣ 2 T  ♠ Q  ♥ 3 A",
        "Which card do you play? (2♣ T♣)",
    ]
    assert [*GAME.build_view(1, NAMES).ask(PLAY)][1] == "You lead."


@pytest.mark.parametrize(
    ("question", "typed", "answer"),
    [
        (PASS, "qs, 10c  ah", ("QS", "TC", "AH")), (PASS, "Q♠ T♣ A♥\ufe0f", ("QS", "TC", "AH")),
        (PLAY, "10c", "TC"), (PLAY, "2♣", "2C"),
    ],
)  # fmt: skip
def test_cards_are_typed_in_many_ways(question: Any, typed: str, answer: Any) -> None:
    """Small letters, symbols, commas, and 10 for T."""
    assert GAME.build_view(1, NAMES).read(question, typed) == answer


@pytest.mark.parametrize(
    ("question", "typed", "said"),
    [
        (PASS, "qs tc", "type 3 cards that you hold"), (PASS, "qs qs tc", "type 3 cards"),
        (PASS, "qs tc 9d", "type 3 cards that you hold"), (PASS, "qs tc ah qs", "type 3 cards"),
        (PLAY, "", "you may play 2♣ T♣"), (PLAY, "qs", "you may play 2♣ T♣"),
        (PLAY, "queen", "queen is not a card"),
    ],
)  # fmt: skip
def test_what_cannot_be_typed_is_explained(question: Any, typed: str, said: str) -> None:
    """A person is asked again, and told what can be."""
    with pytest.raises(MalformedLineError, match=said):
        GAME.build_view(1, NAMES).read(question, typed)


def test_who_watches_sees_all_hands_once() -> None:
    """As they are dealt; then what is passed, and each trick."""
    lines = shown(
        None, DealStarted(1, "left", (0, 0, 0)), PrivateEvent(1, HELD), AnswerEvent(1, PASS, ("QS", "TC", "AH")),
        PrivateEvent(1, HELD), *TRICK, DealStarted(2, "hold", (0, 13, 0)), PrivateEvent(1, HELD),
    )  # fmt: skip
    assert [line for line in lines if line] == [
        "Deal 1: cards go left. Points: Ann 0, Bob 0, Carl 0.",
        "  Bob holds  ♣ 2 T  ♠ Q  ♥ 3 A",
        "  Bob passes Q♠ T♣ A♥ to Carl.",
        "Ann 5♣, Bob T♣, Carl Q♠ – Bob takes 13 points.",
        "Deal 2: nobody passes cards. Points: Ann 0, Bob 13, Carl 0.",
        "  Bob holds  ♣ 2 T  ♠ Q  ♥ 3 A",
    ]
