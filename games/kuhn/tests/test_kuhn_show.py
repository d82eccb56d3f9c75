"""What people read and see of Kuhn poker, and which moments they can jump to."""

from __future__ import annotations

from typing import Any

import pytest

from arena import Greeting, Mark, PrivateEvent, Seat
from arena.records import Perspective, Spectator, Viewer
from arena_kuhn import BET, GAME, Acted, Card, Kuhn, KuhnBoard, Showdown
from tests.support.zone_lines import read_board

NAMES = ("Ann", "Bob")
GREETING = Greeting("kuhn", 0, 2, Kuhn(), "")
FOLD = (Acted(0, bets=False), Acted(1, bets=True), Acted(0, bets=False))
CALL = (Acted(0, bets=True), Acted(1, bets=True), Showdown((3, 1)))
BLUFF = (Acted(0, bets=False), Acted(1, bets=True), Acted(0, bets=True), Showdown((3, 1)))
CHECK = (Acted(0, bets=False), Acted(1, bets=False), Showdown((2, 3)))


def narrate(seat: Seat | None, *told: Any) -> list[str]:
    narrator = GAME.build_narrator(seat, NAMES)
    return [line for event in told for line in narrator.tell(event)]


def test_the_reader_is_told_its_own_card() -> None:
    """A spectator of all is told both."""
    assert narrate(0, GREETING, Card(3)) == [
        "You and Bob play Kuhn poker for a pot of 2 chips.",
        "You hold the king.",
    ]
    assert narrate(None, PrivateEvent(0, Card(3)), PrivateEvent(1, Card(1))) == [
        "Ann holds the king.",
        "Bob holds the jack.",
    ]


@pytest.mark.parametrize(
    ("told", "lines"),
    [
        (FOLD, ["You pass.", "Bob bets.", "You fold.", "Bob wins 1 chip: no card is shown."]),
        (
            CALL,
            ["You bet.", "Bob calls.", "You show the king, Bob shows the jack.",
             "You win 2 chips: the higher card."],
        ),
        (
            BLUFF,
            ["You pass.", "Bob bets.", "You call.", "You show the king, Bob shows the jack.",
             "You win 2 chips: the bet was a bluff."],
        ),
        (
            CHECK,
            ["You pass.", "Bob passes.", "You show the queen, Bob shows the king.",
             "Bob wins 1 chip: the higher card."],
        ),
    ],
)  # fmt: skip
def test_a_hand_ends_with_its_winner(told: tuple[Any, ...], lines: list[str]) -> None:
    """After a bet one calls or folds; chips won are those of the scores, and a bluff is named."""
    told_lines = narrate(0, *told)
    assert told_lines == lines
    good = lines[-1].startswith("You")
    assert getattr(told_lines[-1], "mark", None) is (Mark.WON if good else Mark.LOST)


def test_only_the_reader_knows_that_its_own_bluff_worked() -> None:
    """Nobody shows a card after a fold, so all others are told just that."""
    told = Acted(0, bets=True), Acted(1, bets=False)
    ends = ["You win 1 chip: a bluff that worked.", "You win 1 chip: no card is shown."]
    assert [narrate(0, Card(rank), *told)[-1] for rank in (1, 2)] == ends
    assert narrate(1, Card(2), *told)[-1] == "Ann wins 1 chip: no card is shown."
    cards = PrivateEvent(0, Card(1)), PrivateEvent(1, Card(2))
    assert narrate(None, *cards, *told)[-1] == "Ann wins 1 chip: no card is shown."


def test_the_question_is_to_call_after_a_bet() -> None:
    """Before it, it is to bet; the answers are words, which say what they cost."""
    narrator = GAME.build_narrator(1, NAMES)
    assert [*narrator.ask(BET)] == ["Do you bet?", "  (pass | bet)"]
    explained = [narrator.explain(BET, option) for option in (True, False)]
    assert explained == ["adds 1 chip", "adds nothing, shows the cards"]
    [*narrator.tell(Acted(0, bets=True))]
    assert [*narrator.ask(BET)] == ["Do you call?", "  (fold | call)"]
    explained = [narrator.explain(BET, option) for option in (True, False)]
    assert explained == ["adds 1 chip, shows the cards", "gives up the pot"]
    assert [narrator.read(BET, typed) for typed in ("fold", "c", "Yes", "no")] == [
        False, True, True, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("told", "turns"),
    [
        (FOLD, ["", "Bob bets", "Ann folds"]),
        (CALL, ["Ann bets", "Bob calls", "Ann wins with the king"]),
        (CHECK, ["", "", "Bob wins with the king"]),
    ],
)
def test_turning_points_are_bets_and_what_they_come_to(
    told: tuple[Any, ...], turns: list[str]
) -> None:
    """A pass before any bet is none."""
    points = GAME.build_turning_points(None, NAMES)
    assert points.tell(GREETING) == ""
    assert [*map(points.tell, told)] == turns


@pytest.mark.parametrize(
    ("sight", "cards"),
    [(0, ["KS", "+1"]), (1, ["+1", "JS"]), (Spectator.PUBLIC, ["+1", "+1"]),
     (Spectator.ALL, ["KS", "JS"])],
)  # fmt: skip
def test_a_card_is_seen_by_its_holder_until_both_are_shown(sight: Viewer, cards: list[str]) -> None:
    """Each bet goes into the pot, and stands at the hand of who made it; the winner takes the pot."""
    eye = Perspective(GAME, Kuhn(), ["Ann", "Bob"], sight, page=True)
    eye.begin()
    eye.see_event(0, Card(3))
    eye.see_event(1, Card(1))
    assert eye.board
    zones = read_board(eye)
    assert [zones["hand0"], zones["hand1"]] == [f"Ann: {cards[0]}", f"Bob: {cards[1]}"]
    assert zones["pot"] == "Pot: - / 2 chips"
    for event in (Acted(0, bets=True), Acted(1, bets=True)):
        eye.see_event(None, event)
    assert [eye.board.zones[key].act for key in ("hand0", "hand1")] == ["bets", "calls"]
    assert eye.board.zones["pot"].chips == 4
    eye.see_event(None, Showdown((3, 1)))
    assert read_board(eye)["hand1"] == "Bob: JS"
    assert [eye.board.zones[key].act for key in ("hand0", "hand1")] == ["wins", "calls"]
    assert [eye.board.zones[key].chips for key in ("hand0", "pot", "hand1")] == [4, 0, 0]


def test_whoever_does_not_fold_takes_the_pot() -> None:
    """Without the fold it would be nobody's, and no card is seen."""
    board = KuhnBoard(None, ["Ann", "Bob"])
    for event in FOLD:
        board.tell(event)
    assert [board.zones[key].act for key in ("hand0", "hand1")] == ["folds", "wins"]
    assert board.zones["hand1"].text == "3 chips"
    assert board.zones["pot"].text == "goes to Bob"
