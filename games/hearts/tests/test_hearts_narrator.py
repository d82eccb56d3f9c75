"""What people read of Hearts, and what they may type."""

from __future__ import annotations

from typing import Any

import pytest

from arena import (
    AnswerEvent,
    Greeting,
    IllegalAnswerError,
    MalformedLineError,
    Mark,
    OneOf,
    PrivateEvent,
    SomeOf,
)
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


def narrate(seat: int | None, *told: Any) -> list[str]:
    """Return the lines on these events."""
    narrator = GAME.build_narrator(seat, NAMES)
    return [line for event in told for line in narrator.tell(event)]


def test_a_deal_at_a_seat() -> None:
    """A trick is told with its cards when it is taken; points are bad news for who takes them."""
    dealt = DealStarted(1, "left", (1, 2, 3)), HELD, Received(0, ("2C", "3C", "4C"))
    lines = narrate(1, Greeting("hearts", 1, 3, Hearts(), ""), *dealt, *TRICK)
    assert lines == [
        "You, Ann and Carl play Hearts. The fewest points win.",
        "Deal 1: cards go left.",
        "Ann passes you 2♣ 3♣ 4♣.",
        "The trick: Ann 5♣, you 10♣, Carl Q♠.",
        "You take the trick with 10♣: 13 points.",
    ]
    assert getattr(lines[-1], "mark", None) is Mark.LOST


@pytest.mark.parametrize(
    ("deal", "line"),
    [((0, 26, 26), "Ann shoots the moon!"), ((0, -26, 0), "You shoot the moon!")],
)
def test_the_moon_is_shot(deal: tuple[int, ...], line: str) -> None:
    """A moon is described in a line for both ways to count it."""
    assert narrate(1, Scored(deal, deal))[0] == line
    assert narrate(1, Scored((0, 13, 13), deal))[0] == "This deal: Ann 0, you 13, Carl 13."


def test_questions_show_what_one_must_know() -> None:
    """The hand by suits, what lies there, and what may be played if that is not all."""
    narrator = GAME.build_narrator(1, NAMES)
    assert [*narrator.tell(HELD), *narrator.ask(PASS)] == [
        "Your hand: ♣ 2 10  ♠ Q  ♥ 3 A",
        "Which three cards do you pass to Carl?",
    ]
    assert [*narrator.tell(Played(0, "5C")), *narrator.ask(PLAY)] == [
        "",
        "On the table: Ann 5♣.",
        "Your hand: ♣ 2 10  ♠ Q  ♥ 3 A",
        "Which card do you play?",
        "  (2♣ 10♣)",
    ]
    assert [*GAME.build_narrator(1, NAMES).ask(PLAY)][-1] == "Which card do you lead?"


@pytest.mark.parametrize(
    ("question", "typed", "answer"),
    [
        (PASS, "qs, 10c  ah", ("QS", "TC", "AH")), (PASS, "Q♠ T♣ A♥\ufe0f", ("QS", "TC", "AH")),
        (PLAY, "10c", "TC"), (PLAY, "2♣", "2C"),
    ],
)  # fmt: skip
def test_cards_are_typed_in_many_ways(question: Any, typed: str, answer: Any) -> None:
    """Small letters, symbols, commas, and 10 for T."""
    assert GAME.build_narrator(1, NAMES).read(question, typed) == answer


@pytest.mark.parametrize(
    ("question", "typed", "said"),
    [
        (PASS, "qs tc", "2 cards, not 3"), (PASS, "qs qs tc", "appears twice"),
        (PASS, "qs tc 9d", "'9d' is not one of: 2♣, 10♣, Q♠"), (PLAY, "", "not one of: 2♣, 10♣"),
        (PLAY, "qs", "'qs' is not one of: 2♣, 10♣"),
    ],
)  # fmt: skip
def test_what_cannot_be_typed_is_explained(question: Any, typed: str, said: str) -> None:
    """A person is asked again, and told what can be."""
    with pytest.raises((MalformedLineError, IllegalAnswerError), match=said):
        question.options.read(GAME.build_narrator(1, NAMES).read(question, typed))


def test_who_watches_sees_all_hands_once() -> None:
    """As they are dealt; then what is passed, and each trick."""
    assert narrate(
        None, DealStarted(1, "left", (0, 0, 0)), PrivateEvent(1, HELD), AnswerEvent(1, PASS, ("QS", "TC", "AH")),
        PrivateEvent(1, HELD), *TRICK, DealStarted(2, "hold", (0, 13, 0)), PrivateEvent(1, HELD),
    ) == [
        "Deal 1: cards go left.",
        "Bob holds  ♣ 2 10  ♠ Q  ♥ 3 A",
        "Bob passes Q♠ 10♣ A♥ to Carl.",
        "The trick: Ann 5♣, Bob 10♣, Carl Q♠.",
        "Bob takes the trick with 10♣: 13 points.",
        "Deal 2: nobody passes cards.",
        "Bob holds  ♣ 2 10  ♠ Q  ♥ 3 A",
    ]  # fmt: skip
