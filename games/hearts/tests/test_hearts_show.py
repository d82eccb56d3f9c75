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
from tests.support.zone_lines import list_turns, read_board

NAMES = ("Ann", "Bob", "Carl")
HELD = Hand(("2C", "TC", "QS", "3H", "AH"))
PASS = PassCards(SomeOf(HELD.cards, 3, 3), 2)
PLAY = PlayCard(OneOf(("2C", "TC")))
SMALL_TRICK = (Played(1, "3H"), Played(2, "2H"), Played(0, "AS"), Taken(1, 2))
EMPTY_TRICK = (Played(1, "2D"), Played(2, "5D"), Played(0, "3D"), Taken(2, 0))
TRICK = (Played(0, "5C"), Played(1, "TC"), Played(2, "QS"), Taken(1, 13))


def narrate(seat: int | None, *told: Any) -> list[str]:
    narrator = GAME.build_narrator(seat, NAMES)
    return [line for event in told for line in narrator.tell(event)]


def test_a_deal_at_a_seat() -> None:
    """Each trick is a line of a score sheet; the reader's own points stand out."""
    dealt = DealStarted(1, "left", (1, 2, 3)), HELD, Received(0, ("2C", "3C", "4C"))
    tricks = (*TRICK, *SMALL_TRICK, *EMPTY_TRICK)
    lines = narrate(1, Greeting("hearts", 1, 3, Hearts(), ""), *dealt, *tricks)
    assert lines == [
        "You, Ann and Carl play Hearts. The fewest points win.",
        "Deal 1: cards are passed left.",
        "Ann passes you 2♣ 3♣ 4♣.",
        "Trick 1: Ann leads 5♣, you 10♣, Carl Q♠. You take 13 points.",
        "Trick 2: you lead 3♥, Carl 2♥, Ann A♠. You take 2 points (15 so far).",
        "Trick 3: you lead 2♦, Carl 5♦, Ann 3♦. Carl takes it: no points.",
    ]
    marks = [getattr(line, "mark", None) for line in lines[3:]]
    assert marks == [Mark.LOST, Mark.LOST, None]


@pytest.mark.parametrize(
    ("deal", "line"), [((0, 26, 26), "Ann shoots the moon!"), ((0, -26, 0), "You shoot the moon!")]
)
def test_the_moon_is_shot(deal: tuple[int, ...], line: str) -> None:
    """A moon is described in a line for both ways to count it."""
    assert narrate(1, Scored(deal, deal))[0] == line
    assert narrate(1, Scored((0, 13, 13), (5, 13, 20))) == [
        "Points in this deal: Ann 0, you 13, Carl 13.",
        "Points in all deals: Ann 5, you 13, Carl 20.",
    ]
    assert narrate(1, Scored((0, 13, 13), (0, 13, 13))) == [
        "Points in this deal: Ann 0, you 13, Carl 13."
    ]


def test_questions_show_what_one_must_know() -> None:
    """The hand by suits, what lies there, and what may be played if that is not all."""
    narrator = GAME.build_narrator(1, NAMES)
    [*narrator.tell(DealStarted(1, "left", (0, 0, 0)))]
    assert [*narrator.tell(HELD), *narrator.ask(PASS)] == [
        "Your hand: ♣ 2 10  ♠ Q  ♥ 3 A",
        "Which three cards do you pass to Carl, on your left?",
    ]
    assert [*narrator.tell(Played(0, "5C")), *narrator.ask(PLAY)] == [
        "",
        "Trick 1: Ann leads 5♣.",
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
        "Deal 1: cards are passed left.",
        "Bob holds  ♣ 2 10  ♠ Q  ♥ 3 A",
        "Bob passes Q♠ 10♣ A♥ to Carl.",
        "Trick 1: Ann leads 5♣, Bob 10♣, Carl Q♠. Bob takes 13 points.",
        "Deal 2: no cards are passed.",
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
        "trick": (
            "Deal 1: cards are passed left: - / You pass three cards to Eve, and get three from Ann"
        ),
        "hand1": "Bob: 2C TC QS 3H AH / 2 points",
    }
    assert read_board(looking(0))["hand1"] == "Bob: +17 / 2 points"
    assert read_board(looking(Spectator.ALL))["hand1"] == "Bob: 2C TC QS 3H AH / 2 points"
    trick = read_board(looking(Spectator.PUBLIC))["trick"]
    assert trick.endswith("/ Each passes three cards to the player on the left")
    assert list_turns(looking(1)) == []  # nobody knows who has the lowest club


def test_cards_are_passed() -> None:
    """What is passed leaves the hand at once, and what comes is in it."""
    eye = looking(1)
    eye.see_answer(1, PASS_THREE, ("QS", "3H", "AH"))
    assert read_board(eye)["hand1"].startswith("Bob: 2C TC /")
    eye.see_event(1, Received(0, ("5D",)))
    assert read_board(eye)["hand1"].startswith("Bob: 2C TC 5D /")


def look_after_trick(sight: Viewer) -> Perspective:
    """Return an eye on a trick that Bob has taken."""
    eye = looking(sight)
    for event in (Played(0, "5C"), Played(1, "TC"), Played(2, "QS"), Taken(1, 13)):
        eye.see_event(None, event)
    return eye


def test_a_running_trick_says_what_was_led() -> None:
    """Each card stands with who has played it, and the next in turn is marked."""
    eye = looking(1)
    eye.see_event(None, Played(0, "5C"))
    assert read_board(eye)["trick"] == "Deal 1, trick 1: 5C(0) / Ann led ♣"
    assert list_turns(eye) == [1]
    eye.see_event(None, Played(1, "QS"))
    assert read_board(eye)["trick"] == "Deal 1, trick 1: 5C(0) QS(1) / Ann led ♣ · 13 points in it"
    assert list_turns(eye) == [2]
    eye.see_event(None, Played(2, "TC"))
    assert list_turns(eye) == [2]


def test_a_trick_lies_until_the_next_begins() -> None:
    """With who takes it, and what it was worth; nothing of it is left beside the next."""
    eye = look_after_trick(0)
    zones = read_board(eye)
    assert zones["trick"].endswith("5C(0) TC(1) QS(2) / Bob takes 13 points")
    assert zones["hand1"] == "Bob: +16 / 15 points (+13)"
    assert zones["hand0"] == "Ann: +16 / 1 point (+0)"
    assert zones["hand2"].endswith(" (+0) · no ♣")
    eye.see_event(0, Hand(("7D",)))
    assert read_board(eye)["trick"] == zones["trick"]
    eye.see_event(None, Played(1, "2C"))
    assert read_board(eye)["trick"] == "Deal 1, trick 2: 2C(1) / Bob led ♣"
    assert eye.board
    assert [eye.board.zones[f"hand{seat}"].act for seat in (0, 1, 2)] == ["", "leads 2♣", ""]
    last = eye.board.zones["last"]
    assert (last.cards, last.seats, last.won) == (("5C", "TC", "QS"), (0, 1, 2), (1,))


def test_cards_that_were_passed_to_a_hand_are_marked_until_a_trick_is_taken() -> None:
    """Also where the hand is sorted, and the title says no more which way cards are passed."""
    for sight in (1, Spectator.ALL):
        eye = looking(sight)
        assert eye.board
        eye.see_event(1, Received(0, ("3C", "KS")))
        assert read_board(eye)["trick"] == "Deal 1: -"
        eye.see_event(1, Hand(("2C", "3C", "QS", "KS", "AH")))
        assert eye.board.zones["hand1"].received == (1, 3)
        eye.see_event(None, Played(1, "2C"))
        assert eye.board.zones["hand1"].received == (0, 2)
        for event in (Played(2, "4C"), Played(0, "5C"), Taken(0, 0)):
            eye.see_event(None, event)
        assert [*eye.board.zones["hand1"].received] == []


def test_whoever_leads_plays_to_an_empty_table() -> None:
    """Its cards have been seen by then, and would look like a trick to follow."""
    eye = look_after_trick(1)
    assert list_turns(eye) == [1]
    eye.see_event(1, Hand(("2C", "3H", "AH")))
    assert read_board(eye)["trick"] == "Deal 1, trick 2: -"


def test_a_deal_is_scored() -> None:
    """The sheet has what all took, and no line for a deal that has not begun; hands have all points."""
    eye = look_after_trick(1)
    eye.see_event(None, Scored((0, 26, 26), (1, 28, 29)))
    assert read_board(eye)["trick"] == "Deal 1 is over: - / Ann shoots the moon!"
    assert read_board(eye)["hand0"].endswith("/ 1 point")
    assert eye.board
    labels = [label for label, *_ in eye.board.zones["sheet"].rows]
    assert labels == ["", "In all", "Deal 1"]
    eye.see_event(None, DealStarted(2, "right", (1, 28, 29)))
    assert read_board(eye)["hand2"] == "Eve: +17 / 29 points"
    assert read_board(eye)["trick"].startswith("Deal 2: cards are passed right: - / You pass")


def test_a_sheet_has_the_points_of_each_deal() -> None:
    """Its columns stand as the hands do; what is taken in this deal counts in all at once."""
    eye = look_after_trick(1)
    assert "sheet" not in read_board(eye)
    eye.see_event(None, Scored((0, 26, 26), (1, 28, 29)))
    eye.see_event(None, DealStarted(2, "right", (1, 28, 29)))
    for event in (Played(2, "2C"), Played(0, "3C"), Played(1, "QS"), Taken(0, 13)):
        eye.see_event(None, event)
    assert eye.board
    zones = eye.board.zones
    hands = [zone.title for zone in zones.values() if zone.of is not None]
    assert hands == ["Eve", "Ann", "Bob"]
    assert zones["sheet"].rows == (
        ("", "Eve", "Ann", "you"),
        ("In all", "29", "14", "28"),
        ("This deal", "0", "13", "0"),
        ("Deal 1", "26", "0", "26"),
    )


@pytest.mark.parametrize(("taker", "who"), [(0, "Ann"), (1, "you")])
def test_the_review_says_who_was_on_the_way_to_the_moon(taker: int, who: str) -> None:
    """That one player had all points so far is why a single trick cost so much."""
    narrator = GAME.build_narrator(None, NAMES)
    [*narrator.tell(DealStarted(1, "hold", (0, 0, 0)))]
    assert not narrator.reveal(1, PLAY, "2C")
    for seat, card in ((0, "QS"), (1, "2S"), (2, "3S")):
        [*narrator.tell(Played(seat, card))]
    [*narrator.tell(Taken(taker, 13))]
    said = f"You played 2♣ when {who} had all 13 points so far, on the way to the moon."
    assert narrator.reveal(1, PLAY, "2C") == said
