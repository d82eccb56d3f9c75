"""What people read and see of Hearts, and what they may type."""

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

NAMES = ("Ann", "Bob", "Carl")
HELD = Hand(("2C", "TC", "QS", "3H", "AH"))
PASS = PassCards(SomeOf(HELD.cards, 3, 3), 2)
PLAY = PlayCard(OneOf(("2C", "TC")))
TRICK = (Played(0, "5C"), Played(1, "TC"), Played(2, "QS"), Taken(1, 13))


def narrate(seat: int | None, *told: Any) -> list[str]:
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
    ("deal", "line"), [((0, 26, 26), "Ann shoots the moon!"), ((0, -26, 0), "You shoot the moon!")]
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


FIVE = ("2C", "TC", "QS", "3H", "AH")
PASS_THREE = PassCards(SomeOf(FIVE, 3, 3), 2)


def looking(sight: Viewer) -> Perspective:
    """Return an eye on a deal in which Bob, seat 1, has looked at five cards of his."""
    eye = Perspective(GAME, Hearts(), ["Ann", "Bob", "Eve"], sight, page=True)
    eye.begin()
    eye.see_event(None, DealStarted(1, "left", (1, 2, 3)))
    eye.see_event(1, Hand(FIVE))
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
    eye.see_answer(1, PASS_THREE, ("QS", "3H", "AH"))
    assert read_board(eye)["hand1"].startswith("Bob: 2C TC /")
    eye.see_event(1, Received(0, ("5D",)))
    assert read_board(eye)["hand1"].startswith("Bob: 2C TC 5D /")


def test_a_trick_lies_until_the_next_begins() -> None:
    """Each card with who has played it; then who takes it, and what it was worth."""
    eye = looking(1)
    for event in (Played(0, "5C"), Played(1, "TC"), Played(2, "QS")):
        eye.see_event(None, event)
    assert read_board(eye)["trick"] == "Deal 1: 5C(0) TC(1) QS(2)"
    eye.see_event(None, Taken(1, 13))
    zones = read_board(eye)
    assert zones["trick"].endswith("5C(0) TC(1) QS(2) / Bob takes 13 points")
    assert zones["hand1"] == "Bob: 2C QS 3H AH / 15 points"
    assert zones["hand0"] == "Ann: +16 / 1 point"
    eye.see_event(None, Played(1, "2C"))
    assert read_board(eye)["trick"] == "Deal 1: 2C(1)"


def test_a_deal_is_scored() -> None:
    """The points are those of all deals."""
    eye = looking(1)
    eye.see_event(None, Scored((26, 0, 0), (27, 2, 3)))
    assert read_board(eye)["hand0"].endswith("/ 27 points")
