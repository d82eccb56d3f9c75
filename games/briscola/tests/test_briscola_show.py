"""What people read and see of Briscola, and which moments they can jump to."""

from __future__ import annotations

from typing import Any

from arena import Greeting, Mark, OneOf, PrivateEvent, Seat
from arena.records import Perspective, Spectator, Viewer
from arena_briscola import GAME, Briscola
from arena_briscola.rules import Hand, PlayCard, Played, Taken, Trick
from tests.support.zone_lines import list_turns, read_board

NAMES = ("Ann", "Bob", "Cleo", "Dan")
QUESTION = PlayCard(OneOf(("KC", "7S")))


def greet(seats: int) -> Greeting:
    return Greeting("briscola", 0, seats, Briscola(), "")


def narrate(seat: Seat | None, seats: int, *told: Any) -> list[str]:
    narrator = GAME.build_narrator(seat, NAMES[:seats])
    return [line for event in (greet(seats), *told) for line in narrator.tell(event)]


def test_a_seat_reads_of_tricks_and_of_its_own_cards() -> None:
    """Of the next hand it is told the card that was drawn; later, that the stock is gone."""
    lines = narrate(
        1, 2,
        Trick(0, "QD", 2, (0, 0)), Hand(("KC", "7S", "AB")),
        Played(0, "4C"), Played(1, "KC"), Taken(1, 4),
        Trick(1, "QD", 0, (0, 4)), Hand(("7S", "AB", "QD")),
        Played(1, "7S"), Played(0, "2D"), Taken(0, 0),
        Trick(0, "QD", 0, (0, 4)), Hand(("AB", "QD")),
    )  # fmt: skip
    assert lines == [
        "You and Ann play Briscola. The most points win.",
        "Trick 1: Ann leads.",
        "Coins are the trump suit: the horse of coins is turned up.",
        "Trump: the horse of coins, 2 cards in the stock.",
        "You hold the king of cups, the 7 of swords and the ace of batons.",
        "Ann leads the 4 of cups.",
        "You play the king of cups.",
        "You take the trick: 4 points.",
        "Points: Ann 0, you 4.",
        "Trick 2: you lead.",
        "The stock is gone.",
        "Trump: the horse of coins.",
        "You draw the horse of coins.",
        "You lead the 7 of swords.",
        "Ann plays the 2 of coins.",
        "Ann takes the trick: no points.",
        "Points: Ann 0, you 4.",
        "Trick 3: Ann leads.",
        "Trump: the horse of coins.",
    ]
    marks = {line: line.mark for line in lines if hasattr(line, "mark")}
    assert marks["You take the trick: 4 points."] is Mark.WON
    assert "Ann takes the trick: no points." not in marks


def test_partners_share_their_points() -> None:
    """The reader's pair comes first where the players are named, and its tricks are good news."""
    told = (Trick(1, "QD", 28, (3, 0, 3, 0)), Played(1, "AC"), Taken(2, 11))
    lines = narrate(2, 4, *told)
    assert lines[0] == "You and Ann play Briscola against Bob and Dan. The most points win."
    assert lines[-2:] == [
        "You take the trick: 11 points.",
        "Points: you and Ann 14, Bob and Dan 0.",
    ]
    assert narrate(0, 4, *told)[-2].mark is Mark.WON  # type: ignore[attr-defined]
    assert narrate(1, 4, *told)[-2].mark is Mark.LOST  # type: ignore[attr-defined]


def test_a_new_deal_tells_the_trump_and_the_whole_hand() -> None:
    """A spectator of all is told every hand."""
    lines = narrate(
        None, 2,
        Trick(0, "QD", 0, (60, 50)), PrivateEvent(0, Hand(("KC",))),
        Trick(1, "7S", 34, (60, 60)), PrivateEvent(0, Hand(("KC", "2B", "4B"))),
    )  # fmt: skip
    assert lines[4:] == [
        "Ann holds the king of cups.",
        "Trick 2: Bob leads.",
        "Swords are the trump suit: the 7 of swords is turned up.",
        "Trump: the 7 of swords, 34 cards in the stock.",
        "Ann holds the king of cups, the 2 of batons and the 4 of batons.",
    ]


def test_the_question_says_who_leads() -> None:
    """Once a card lies there, one plays to it."""
    narrator = GAME.build_narrator(1, NAMES[:2])
    for event in (greet(2), Trick(0, "QD", 2, (0, 0))):
        [*narrator.tell(event)]
    assert [*narrator.ask(QUESTION)] == [
        "Which card do you lead?",
        "  (king of cups | 7 of swords)",
    ]
    [*narrator.tell(Played(0, "4C"))]
    assert [*narrator.ask(QUESTION)] == [
        "Which card do you play?",
        "  (king of cups | 7 of swords)",
    ]


def test_a_card_is_typed_in_words_or_letters() -> None:
    """The beginning of a word will do where it is unambiguous."""
    narrator = GAME.build_narrator(1, NAMES[:2])
    assert [narrator.read(QUESTION, typed) for typed in ("king", "7 of swords", "7s")] == [
        "KC", "7S", "7S",
    ]  # fmt: skip
    horse = PlayCard(OneOf(("QC", "7S")))
    assert [narrator.read(horse, typed) for typed in ("horse", "hc", "qc")] == ["QC"] * 3
    assert narrator.say(QUESTION, "KC") == "king of cups"


def test_turning_points_are_changes_of_the_lead() -> None:
    """Of pairs where four play."""
    points = GAME.build_turning_points(None, NAMES)
    told = [Taken(2, 3), Taken(3, 9), Trick(3, "QD", 20, (3, 9, 3, 9)), Taken(1, 2)]
    assert [*map(points.tell, [greet(4), *told])] == [
        "", "", "Bob and Dan take the lead from Ann and Cleo, 9 to 3", "", "",
    ]  # fmt: skip


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
        "stock": "Trump: coins: QD +3",
        "trick": "Trick 1: -",
        "values": "Points: - / ace 11, three 10, king 4, horse 3, jack 2",
        "hand1": "Bob: KC 7S AB / 0 points",
    }
    assert read_board(looking(0))["hand1"] == "Bob: +3 / 0 points"
    assert read_board(looking(Spectator.ALL))["hand1"] == "Bob: KC 7S AB / 0 points"


def test_a_trick_lies_until_the_next_begins() -> None:
    """Partners share its points; when the stock is gone all have drawn for the last time."""
    eye = looking(1)
    for event in (Played(0, "4D"), Played(1, "KC"), Played(2, "2S"), Played(3, "AD")):
        eye.see_event(None, event)
    assert read_board(eye)["trick"].endswith(" / 15 points to Dan")
    eye.see_event(None, Taken(3, 15))
    eye.see_event(None, Trick(3, "QD", 0, (3, 15, 3, 15)))
    zones = read_board(eye)
    assert zones["trick"] == "Trick 1: 4D(0) KC(1) 2S(2) AD(3) / Dan takes 15 points"
    assert zones["stock"] == "Trump: coins: - / the stock is gone"
    assert zones["hand3"] == "Dan: +3 / partner · 15 points in 4 cards"
    assert zones["hand1"] == "Bob: 7S AB / 15 points in 4 cards"
    eye.see_event(1, Hand(("7S", "AB")))
    assert read_board(eye) == zones
    assert list_turns(eye) == [3]
    eye.see_event(None, Played(3, "2B"))
    assert read_board(eye)["trick"] == "Trick 2: 2B(3) / 0 points to Dan"
    assert read_board(eye)["hand3"].startswith("Dan: +2")
    assert list_turns(eye) == [0]
    assert eye.board
    assert [eye.board.zones[f"hand{seat}"].act for seat in range(4)] == [""] * 4


def test_whoever_leads_plays_to_an_empty_table() -> None:
    """Its cards have been seen by then, and would look like a trick to play to."""
    eye = looking(1)
    for event in (Played(0, "4D"), Played(1, "KC"), Taken(1, 4), Trick(1, "QD", 2, (0, 4, 0, 4))):
        eye.see_event(None, event)
    eye.see_event(1, Hand(("7S", "AB", "2C")))
    assert read_board(eye)["trick"] == "Trick 2: -"
    assert list_turns(eye) == [1]
