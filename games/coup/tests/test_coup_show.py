"""What people read and see of Coup and may type, and which moments they can jump to."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from arena import Greeting, MalformedLineError, Mark, OneOf, PrivateEvent, Question, Seat, SomeOf
from arena.records import Perspective, Spectator, Viewer
from arena_coup import GAME, Coup
from arena_coup.rules import (
    ALLOW,
    AMBASSADOR,
    CAPTAIN,
    CHALLENGE,
    CHARACTERS,
    CONTESSA,
    DUKE,
    Acted,
    Block,
    Blocked,
    Challenge,
    Challenged,
    ChooseAction,
    Drawn,
    Hand,
    KeepCards,
    LoseInfluence,
    Lost,
    Out,
    Proved,
    Settled,
    ShowCard,
    Turn,
    Won,
)
from arena_coup.show import list_figures
from tests.support.zone_lines import read_board

NAMES = ("Ann", "Bob", "Cleo")
HAND = Hand((DUKE, CAPTAIN))
FIRST = Turn(1, 1, (2, 1, 2), (2, 2, 2), ((), (), ()))
TOLD = (
    Greeting("coup", 0, 3, Coup(), ""),
    FIRST,
    Acted(1, "steal:0"),
    Blocked(0, CAPTAIN),
    Challenged(2, 0, CAPTAIN),
    Proved(0, CAPTAIN),
    Lost(2, CONTESSA),
    Settled(1, "steal:0", succeeded=False),
    Turn(2, 2, (2, 1, 2), (2, 2, 1), ((), (), (CONTESSA,))),
    Acted(2, "income"),
    Settled(2, "income", succeeded=True),
    Out(0),
    Won(2),
)


def narrate(seat: Seat | None, *told: Any) -> list[str]:
    narrator = GAME.build_narrator(seat, NAMES)
    return [line for event in told for line in narrator.tell(event)]


def test_a_seat_reads_of_itself_as_you() -> None:
    """How things stand is told in each turn; losses of others are good news."""
    lines = narrate(0, *TOLD)
    assert lines == [
        "You, Bob and Cleo play Coup. The last player with influence wins.",
        "Turn 1: Bob plays.",
        "  you    2 coins  ▒ ▒",
        "  Bob     1 coin  ▒ ▒",
        "  Cleo   2 coins  ▒ ▒",
        "Bob claims the Captain to steal from you.",
        "You claim the Captain to block.",
        "Cleo challenges your Captain.",
        "You show the Captain and draw another card.",
        "Cleo loses an influence: the Contessa.",
        "The steal fails.",
        "Turn 2: Cleo plays.",
        "  you    2 coins  ▒ ▒",
        "  Bob     1 coin  ▒ ▒",
        "  Cleo   2 coins  ▒  (Contessa lost)",
        "Cleo takes 1 coin as income.",
        "You are out.",
        "Cleo wins!",
    ]
    marks = {line: getattr(line, "mark", None) for line in lines}
    assert marks["Turn 1: Bob plays."] is Mark.HEADING
    assert marks["  you    2 coins  ▒ ▒"] is Mark.STATE
    assert marks["Cleo loses an influence: the Contessa."] is Mark.WON
    assert marks["Cleo wins!"] is Mark.LOST
    assert marks["Cleo takes 1 coin as income."] is None


def test_the_table_shows_who_is_out_and_cards_that_are_known() -> None:
    """All cards to a spectator who was told of them, one's own to a player."""
    turn = Turn(9, 1, (2, 1, 0), (2, 2, 0), ((), (), (DUKE, DUKE)))
    rows = [
        "  Ann    2 coins  Duke Captain",
        "  Bob     1 coin  ▒ ▒",
        "  Cleo  out       (Duke and Duke)",
    ]
    assert narrate(None, PrivateEvent(0, HAND), turn)[2:] == rows
    assert narrate(0, HAND, turn)[2:] == [row.replace("Ann", "you") for row in rows]


def test_cards_are_told_to_their_holder_and_to_spectators_of_all() -> None:
    """A hand is told once, and again when it changes."""
    changed = Hand((DUKE, AMBASSADOR))
    assert narrate(0, HAND, HAND, Drawn((AMBASSADOR, CONTESSA)), changed) == [
        "You hold the Duke and the Captain.",
        "You draw the Ambassador and the Contessa.",
        "You hold the Duke and the Ambassador.",
    ]
    assert narrate(None, PrivateEvent(0, HAND), PrivateEvent(1, HAND), PrivateEvent(0, HAND)) == [
        "Ann holds the Duke and the Captain.",
        "Bob holds the Duke and the Captain.",
    ]


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        (Block(OneOf((ALLOW, DUKE)), 1, "foreign-aid"), ["Do you block Bob's foreign aid?"]),
        (
            ShowCard(OneOf((DUKE, CAPTAIN)), DUKE, 1),
            ["Which card do you turn up? You lose it, unless it is the Duke."],
        ),
        (KeepCards(SomeOf((DUKE, CAPTAIN, DUKE), 1, 1)), ["Which card do you keep?"]),
        (KeepCards(SomeOf((DUKE, CAPTAIN, DUKE), 2, 2)), ["Which 2 cards do you keep?"]),
    ],
)
def test_the_title_of_a_question_ends_with_a_question_mark(
    question: Question[Any], lines: list[str]
) -> None:
    """What else there is to know comes before it."""
    asked = GAME.build_narrator(0, NAMES).ask(question)
    assert [line for line in asked if getattr(line, "mark", None) is not Mark.HINT] == lines


CLAIM = Challenge(OneOf((ALLOW, CHALLENGE)), 1, DUKE, "tax", default=ALLOW)
STEALING = "Captain (yours): +2 coins; Captain or Ambassador blocks"
BOBBY = ("Ann", "Bob", "Bobby")
ACTION = ChooseAction(OneOf(("income", "tax", "foreign-aid", "steal:1", "steal:2")))


@pytest.mark.parametrize(("typed", "answer"), [
    ("steal Bob", "steal:1"), ("STEAL  bob", "steal:1"), ("steal Bobb", "steal:2"),
    ("i", "income"), ("t", "tax"),
])  # fmt: skip
def test_what_may_be_typed(typed: str, answer: str) -> None:
    """A name that is the whole of what is typed goes before one that only begins so."""
    narrator = GAME.build_narrator(0, BOBBY)
    assert narrator.read(ACTION, typed) == answer
    assert narrator.read(ACTION, narrator.say(ACTION, answer)) == answer


@pytest.mark.parametrize("typed", ["", "steal", "st", "steal Carl", "coup Bob", "allow"])
def test_what_is_not_clear_is_asked_again(typed: str) -> None:
    """The reason lists what may be typed."""
    with pytest.raises(MalformedLineError, match="steal Bob, steal Bobby"):
        GAME.build_narrator(0, BOBBY).read(ACTION, typed)


def test_enter_allows() -> None:
    """It does so where there is something to allow; the hint says so."""
    narrator, block = GAME.build_narrator(0, NAMES), Block(OneOf((ALLOW, DUKE)), 1, "foreign-aid")
    assert [*narrator.ask(block)][-1] == "  (Enter to allow | Duke)"
    assert [narrator.read(block, typed) for typed in ("", "no", "d")] == [ALLOW, ALLOW, DUKE]
    keep = KeepCards(SomeOf((DUKE, CAPTAIN, CAPTAIN), 2, 2))
    assert narrator.read(keep, "captain, d") == (CAPTAIN, DUKE)


def test_turning_points_call_their_reader_you() -> None:
    """Who has lost something, and who has shown or not shown a card."""
    points = GAME.build_turning_points(0, NAMES)
    told = (*TOLD[:-2], Acted(1, "coup:0"), Lost(0, DUKE), Lost(0, CONTESSA), Out(0))
    assert [*filter(None, map(points.tell, told))] == [
        "Cleo challenges your Captain, which you show: Cleo loses the Contessa",
        "Bob pays 7 coins for a coup against you, who lose the Duke",
        "Bob pays 7 coins for a coup against you, who lose the Contessa, and are out",
    ]


def test_turning_points_are_losses_with_their_causes() -> None:
    """They are told by name to whoever watches."""
    points = GAME.build_turning_points(None, NAMES)
    told = (*TOLD[:-2], Acted(2, "assassinate:0"), Challenged(1, 2, "Assassin"), Lost(2, DUKE))
    more = (Acted(1, "coup:0"), Lost(0, DUKE), Lost(0, CONTESSA), Out(0), Won(1))
    assert [*filter(None, map(points.tell, (*told, *more)))] == [
        "Cleo challenges Ann's Captain, which Ann shows: Cleo loses the Contessa",
        "Bob challenges Cleo's Assassin, which Cleo does not show: Cleo loses the Duke, and is out",
        "Bob pays 7 coins for a coup against Ann, who loses the Duke",
        "Bob pays 7 coins for a coup against Ann, who loses the Contessa, and is out",
        "Bob wins!",
    ]


@pytest.mark.parametrize(
    ("question", "option", "words"),
    [
        (ACTION, "income", "+1 coin"),
        (ACTION, "tax", "Duke (yours): +3 coins"),
        (ACTION, "exchange", "Ambassador (bluff): swap cards"),
        (ACTION, "foreign-aid", "+2 coins; Duke blocks"),
        (ACTION, "steal:1", STEALING),
        (ACTION, "assassinate:1",
         "Assassin (bluff): pay 3 coins, a card is lost; Contessa blocks"),
        (ACTION, "coup:1", "pay 7 coins, a card is lost"),
        (CLAIM, CHALLENGE, "if a bluff, Bob loses a card; else you do"),
        (CLAIM, ALLOW, "you let the Duke stand"),
        (Block(OneOf((ALLOW, CONTESSA)), 1, "assassinate:0"), CONTESSA,
         "bluff: stops the assassination"),
        (Block(OneOf((ALLOW, CONTESSA)), 1, "assassinate:0"), ALLOW, "you lose a card"),
        (Block(OneOf((ALLOW, CAPTAIN)), 1, "steal:0"), ALLOW, "you lose up to 2 coins"),
        (Block(OneOf((ALLOW, DUKE)), 1, "foreign-aid"), ALLOW, "Bob gets 2 coins"),
    ],
)  # fmt: skip
def test_an_option_says_what_it_does(question: Question[Any], option: str, words: str) -> None:
    """What it claims, whether that is true, what it brings, and who may block it."""
    narrator = GAME.build_narrator(0, NAMES)
    narrator.tell(HAND)
    assert narrator.explain(question, option) == words


LIE = evolve(CLAIM, character=CAPTAIN)
ASSASSINATION = Block(OneOf((ALLOW, CONTESSA)), 1, "assassinate:0")


@pytest.mark.parametrize(
    ("question", "answer", "words", "mark"),
    [
        (CLAIM, CHALLENGE, "You doubted the Duke, but Bob held it.", Mark.LOST),
        (CLAIM, ALLOW, "Bob held the Duke, so a challenge would have failed.", Mark.WON),
        (LIE, CHALLENGE, "You were right to doubt the Captain: Bob did not hold it.", Mark.WON),
        (LIE, ALLOW, "Bob did not hold the Captain: you could have challenged.", Mark.LOST),
        (ASSASSINATION, ALLOW, "You held no Contessa, so only a bluff could have blocked it.", None),
        (evolve(ASSASSINATION, options=OneOf((ALLOW, DUKE))), ALLOW,
         "You held the Duke, so you could have blocked it.", Mark.LOST),
        (ASSASSINATION, CONTESSA, "You claimed the Contessa, which you did not hold.", Mark.LOST),
        (ChooseAction(OneOf(("tax", "income"))), "tax", "", None),
        (LoseInfluence(OneOf(HAND.cards)), DUKE, "A coup can be neither challenged nor blocked.",
         None),
    ],
)  # fmt: skip
def test_what_could_not_be_seen_is_told_after_the_match(
    question: Question[Any], answer: str, words: str, mark: Mark | None
) -> None:
    """Whether claims were true, those of the others and one's own, and who was right."""
    narrator = GAME.build_narrator(None, NAMES)
    for told in (PrivateEvent(0, HAND), PrivateEvent(1, Hand((DUKE,))), Acted(1, "coup:0")):
        narrator.tell(told)
    revealed = narrator.reveal(0, question, answer)
    assert revealed == words
    assert getattr(revealed, "mark", None) is mark


def test_whoever_challenges_nobody_may_still_block() -> None:
    """That stands through other questions, up to the own turn."""
    narrator = GAME.build_narrator(0, NAMES)
    block = Block(OneOf((ALLOW, CONTESSA)), 1, "assassinate:0", default=ALLOW)
    (label,) = narrator.list_standing_answers(CLAIM)
    assert narrator.list_standing_answers(CLAIM) == {label: ALLOW}
    assert narrator.list_standing_answers(block) == {label: None}
    assert narrator.list_standing_answers(ChooseAction(OneOf(("income",)))) == {}


def test_actions_that_are_not_allowed_say_why() -> None:
    """What cannot be paid names its cost, with many coins only a coup is left."""
    narrator = GAME.build_narrator(0, NAMES)
    affordable = OneOf(("income", "foreign-aid", "tax", "exchange", "steal:1"))
    closed = narrator.list_closed_answers(ChooseAction(affordable))
    assert closed == {"assassinate": "needs 3 coins", "coup": "needs 7 coins"}
    due = narrator.list_closed_answers(ChooseAction(OneOf(("coup:1",))))
    assert due == {"anything else": "not with 10 coins or more"}
    assert narrator.list_closed_answers(CLAIM) == {}


def looking(sight: Viewer) -> Perspective:
    """Return an eye on a turn in which Bob, seat 1, holds the Duke and the Captain."""
    eye = Perspective(GAME, Coup(), ["Ann", "Bob", "Eve"], sight, page=True)
    eye.begin()
    eye.see_event(None, Turn(1, 0, (2, 1, 7), (2, 2, 1), ((), (), (CONTESSA,))))
    eye.see_event(1, Hand((DUKE, CAPTAIN)))
    return eye


@pytest.mark.parametrize(
    ("sight", "hand"), [(1, "Duke Captain"), (0, "+2"), (Spectator.PUBLIC, "+2"),
                        (Spectator.ALL, "Duke Captain")],
)  # fmt: skip
def test_influence_is_seen_by_whom_it_belongs_to(sight: Viewer, hand: str) -> None:
    """The others see how many cards lie there, and which are revealed."""
    zones = read_board(looking(sight))
    assert zones["hand1"] == f"Bob: {hand} / 1 coin"
    assert zones["hand2"] == "Eve: Contessa +1 / 7 coins"


def test_every_character_is_drawn() -> None:
    """Each in its own way, in hands and among claims."""
    assert len({*list_figures(CHARACTERS)}) == len(CHARACTERS)
    eye = looking(1)
    eye.see_event(None, Acted(0, "steal:1"))
    assert eye.board
    assert eye.board.zones["claims"].figures == list_figures((CAPTAIN,))
    assert eye.board.zones["hand1"].figures == list_figures((DUKE, CAPTAIN))


def test_a_claim_lies_on_the_table_until_the_turn_is_over() -> None:
    """It says who may answer it; a seat's latest act stands at its hand."""
    eye = looking(1)
    eye.see_event(None, Acted(0, "steal:1"))
    assert eye.board
    assert eye.board.zones["hand0"].act == "steals from you"
    assert read_board(eye)["claims"] == (
        "Turn 1: Ann plays: Captain(0) / Ann claims the Captain to steal from you. Anybody may"
        " challenge. You may claim the Captain or the Ambassador to block it."
    )
    eye.see_event(None, Blocked(1, CAPTAIN))
    assert read_board(eye)["claims"].startswith(
        "Turn 1: Ann plays: Captain(0) Captain(1) / You claim"
    )
    eye.see_event(None, Challenged(2, 1, CAPTAIN))
    eye.see_event(None, Lost(2, CONTESSA))
    assert eye.board.zones["hand2"].act == "loses the Contessa"
    assert eye.board.zones["hand2"].lost == (0, 1)
    eye.see_event(None, Settled(0, "steal:1", succeeded=False))
    assert read_board(eye)["claims"].endswith("The steal fails.")
    eye.see_event(None, Turn(2, 1, (2, 1, 0), (2, 2, 0), ((), (), (CONTESSA, CONTESSA))))
    assert read_board(eye)["claims"] == "Turn 2: you play: -"
    assert read_board(eye)["hand2"] == "Eve: Contessa Contessa / out"


def test_cards_are_drawn_for_an_exchange() -> None:
    """They lie in the hand of who has drawn them until two are kept; nobody else sees them."""
    for sight, hand in ((1, "Duke Captain Contessa"), (0, "+2")):
        eye = looking(sight)
        eye.see_event(1, Drawn((CONTESSA,)))
        assert read_board(eye)["hand1"] == f"Bob: {hand} / 1 coin"
