"""What people read and see of BS, and what they may type."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from arena import (
    AnswerEvent,
    IllegalAnswerError,
    MalformedLineError,
    Mark,
    MarkedLine,
    Play,
    PrivateEvent,
    Question,
    Seat,
    SomeOf,
)
from arena.cards import Cards
from arena.records import Perspective, Spectator, Viewer
from arena_bs import GAME, Bs, BsPosition
from arena_bs.rules import (
    BS,
    CURRENT_DECLARES,
    DECK,
    OTHERS_DECLARE,
    PASS,
    PEANUT_BUTTER,
    Called,
    ChooseCards,
    Hand,
    Judged,
    PileTaken,
    Played,
    Player,
    Receives,
    Shown,
    Turn,
    Won,
    build_name_question,
)
from tests.support.zone_lines import list_turns, read_board

NAMES = ("Alice", "Bob", "Charlie")
PLAYERS = tuple(Player(seat, name, 100 + seat) for seat, name in enumerate(NAMES))
HANDS = ("2D 7S AS AH KC", "2H 2C 5S", "9C 3D 3H")
TYPED = [
    (0, "as 2D a♥"), (0, "pb"), (2, ""), (1, "p"),
    (1, "2h 2c"), (0, "b"), (1, ""), (2, "yes"),
    (2, "9C 3D"), (0, ""), (1, "BS"), (2, ""),
    (0, "KC"), (0, ""), (1, "no"), (2, ""),
    (1, "5S"), (0, ""), (1, ""), (2, ""),
]  # fmt: skip


def cards(text: str) -> Cards:
    return tuple(text.split())


def shown(seat: Seat | None, players: tuple[Player, ...] = PLAYERS) -> Iterator[str]:
    """Return what a person at a seat, or who watches, is told of a short game."""
    play = Play(BsPosition(Bs(), players, tuple(map(cards, HANDS)), 0), 3, "seed")
    narrator = GAME.build_narrator(seat, NAMES)

    def heard() -> Iterator[str]:
        for to, event in play.drain():
            if to in (None, seat):
                yield from narrator.tell(event)
            elif seat is None:
                yield from narrator.tell(PrivateEvent(to, event))

    for by, line in TYPED:
        yield from heard()
        question = play.pending[by]
        if by == seat:
            yield from narrator.ask(question)
            yield f"> {line}"
        answer = play.answer(by, GAME.build_narrator(by, NAMES).read(question, line))
        if seat is None or by == seat:
            lines = narrator.tell(AnswerEvent(by, question, answer))
            yield from lines if seat is None else ()
    yield from heard()
    assert play.over


WATCHED = """\
Alice's turn: aces.
Cards: Alice 5, Bob 3, Charlie 3.
Alice lays A♠ 2♦ A♥ and claims three aces: a bluff.
Nobody calls.
Peanut Butter: Alice lied, and nobody called.
Bob's turn: twos.
Cards: Bob 3, Charlie 3, Alice 2; pile 3.
Bob lays 2♥ 2♣ and claims two twos: the truth.
Alice and Charlie call BS.
The cards were 2♥ 2♣: the truth.
Charlie takes the pile of 5 cards.
Charlie's turn: threes.
Cards: Charlie 8, Alice 2, Bob 1.
Charlie lays 9♣ 3♦ and claims two threes: a bluff.
Bob calls BS.
The cards were 9♣ 3♦: a bluff.
Charlie takes the pile of 2 cards.
Alice's turn: fours.
Cards: Alice 2, Bob 1, Charlie 8.
Alice lays K♣ and claims one four: a bluff.
Nobody calls.
Bob's turn: fives.
Cards: Bob 1, Charlie 8, Alice 1; pile 1.
Bob lays 5♠ and claims one five: the truth.
Nobody calls.
Bob wins: no cards are left."""


def test_who_watches_sees_every_lie() -> None:
    """What was laid and claimed, who called, who takes it; no hands."""
    assert "\n".join(shown(None)) == WATCHED


PLAYED = """\
Alice's turn: aces.
Cards: Alice 5, you 3, Charlie 3.
Your hand: 2♥ 2♣ 5♠
Alice claims three aces.
Alice claims three aces. Do you call BS?
  (Enter to pass, b to call BS)
> p
Nobody calls.
Peanut Butter: Alice lied, and nobody called.
Your turn: twos.
Cards: you 3, Charlie 3, Alice 2; pile 3.
Your hand: 2♥ 2♣ 5♠
Which cards do you lay and claim to be twos?
  (such as: 2♥ 2♣)
> 2h 2c
You told the truth, so Peanut Butter does nothing. Do you say it?
  (Enter to pass, pb to declare it)
>\x20
Alice and Charlie call BS.
The cards were 2♥ 2♣: the truth.
Charlie takes the pile of 5 cards.
"""


def test_what_a_person_sees() -> None:
    """Each turn the players with their cards, one's own hand, and all that is said."""
    assert "\n".join(shown(1)).startswith(PLAYED)
    assert [*shown(1)][-1] == "You win: no cards are left."


def test_who_takes_the_pile_sees_it() -> None:
    """The cards are named to who takes them, whether for a lie or for a wrong call."""
    lines = list(shown(2))
    assert "Alice and you call BS." in lines
    taken = [line for line in lines if line.startswith(("The pile", "You take"))]
    assert taken == [
        "You take the pile of 5 cards.", "The pile brings you 2♥ 2♣ A♠ 2♦ A♥.",
        "You take the pile of 2 cards.", "The pile brings you 9♣ 3♦.",
    ]  # fmt: skip


def test_a_hand_is_sorted_by_rank() -> None:
    """From the ace to the king, the colours of a rank taking turns."""
    lines = GAME.build_narrator(0, NAMES).tell(Hand(cards("KC TS 7D AS 7C 2H 7H 7S")))
    assert list(lines) == ["Your hand: A♠ 2♥ 7♠ 7♥ 7♣ 7♦ 10♠ K♣"]


@pytest.mark.parametrize("nickname", ["Charlie", "Alice", "you", "champion"])
@pytest.mark.parametrize("seat", [0, 2, None])
def test_nobody_passes_for_another_by_a_nickname(seat: Seat | None, nickname: str) -> None:
    """People read the names at the table alone, whatever name a program has given itself."""
    players = (PLAYERS[0], evolve(PLAYERS[1], nickname=nickname), PLAYERS[2])
    assert [*shown(seat, players)] == [*shown(seat)]


LAY = ChooseCards(SomeOf(cards("7H 7D TC AS")), "7", default=cards("7H 7D"))
NARRATOR = GAME.build_narrator(0, NAMES)


@pytest.mark.parametrize(
    "line", ["7H TC", "7h tc", "7♥ T♣", "7♥\N{VARIATION SELECTOR-16} 10c", " 7h,  10♣ ", "7H, TC"]
)
def test_cards_may_be_typed_in_many_ways(line: str) -> None:
    """Letters of any case or symbols; the order is kept."""
    assert NARRATOR.read(LAY, line) == ("7H", "TC")


@pytest.mark.parametrize("line", ["7S", "7", "7X", "1H", "7H7D", "pass"])
def test_what_cannot_be_laid_is_refused_with_the_hand(line: str) -> None:
    """The reason lists what may be typed."""
    with pytest.raises(MalformedLineError, match="is not one of: 7♥, 7♦, 10♣, A♠"):
        NARRATOR.read(LAY, line)


@pytest.mark.parametrize(
    ("question", "line", "word"),
    [
        (OTHERS_DECLARE, "", PASS), (OTHERS_DECLARE, "p", PASS), (OTHERS_DECLARE, "PASS", PASS),
        (OTHERS_DECLARE, "b", BS), (OTHERS_DECLARE, "bs", BS), (OTHERS_DECLARE, "y", BS),
        (CURRENT_DECLARES, "", PASS), (CURRENT_DECLARES, "p", PASS), (CURRENT_DECLARES, "n", PASS),
        (CURRENT_DECLARES, "PB", PEANUT_BUTTER), (CURRENT_DECLARES, "Peanut Butter", PEANUT_BUTTER),
    ],
)  # fmt: skip
def test_declarations_have_keys(question: Question[str], line: str, word: str) -> None:
    """Enter passes; b and pb are enough, and so is yes or no."""
    assert NARRATOR.read(question, line) == word


def test_a_person_chooses_a_name() -> None:
    """Enter takes the default."""
    question = build_name_question(2, 100)
    assert [*NARRATOR.ask(question)] == [
        "What is your name at this table?",
        "  (letters, digits and _; Enter: player_2)",
    ]
    assert NARRATOR.read(question, "") == "player_2"
    assert NARRATOR.read(question, "Ann_1") == "Ann_1"


@given(st.lists(st.sampled_from(DECK), min_size=1, unique=True).map(tuple), st.integers())
def test_what_is_shown_as_typed_can_be_typed(hand: Cards, seed: int) -> None:
    """A replay shows answers as they are read."""
    lay = ChooseCards(SomeOf(hand), "A", default=hand)
    laid = lay.options.draw(Random(seed))
    answers: list[tuple[Question[Any], Any]] = [
        (lay, laid),
        (OTHERS_DECLARE, PASS),
        (OTHERS_DECLARE, BS),
    ]
    answers += [(CURRENT_DECLARES, PASS), (CURRENT_DECLARES, PEANUT_BUTTER)]
    for question, answer in answers:
        assert NARRATOR.read(question, NARRATOR.say(question, answer)) == answer


@given(st.text(max_size=12))
def test_anything_may_be_typed(line: str) -> None:
    """Whatever it is, it is an answer or is refused; nothing else can happen."""
    for question in (LAY, OTHERS_DECLARE, CURRENT_DECLARES, build_name_question(0, 1)):
        try:
            read: Any = question.options.read(NARRATOR.read(question, line))
        except (MalformedLineError, IllegalAnswerError):
            continue
        assert question.options.read(read) == read


@pytest.mark.parametrize(("laid", "answer"), [("AS AH", PASS), ("AS 2D", None), ("KC", None)])
def test_who_told_the_truth_need_not_say_more(laid: str, answer: str | None) -> None:
    """Peanut Butter is asked of who has lied, and BS of everybody."""
    narrator = GAME.build_narrator(0, NAMES)
    narrator.tell(AnswerEvent(0, ChooseCards(SomeOf(cards(HANDS[0])), "A"), cards(laid)))
    assert narrator.find_forced_answer(CURRENT_DECLARES) == answer
    assert narrator.find_forced_answer(OTHERS_DECLARE) is None


@pytest.mark.parametrize(
    ("laid", "question"),
    [
        ("AS AH", "You told the truth, so Peanut Butter does nothing. Do you say it?"),
        ("KC", "You lied. If nobody calls, Peanut Butter"),
        ("", "Peanut Butter tells all of a lie"),
    ],
)
def test_the_question_for_a_boast_is_true_of_who_is_asked(laid: str, question: str) -> None:
    """A replay shows it to who told the truth, too; and a reader may not know what was laid."""
    narrator = GAME.build_narrator(0, NAMES)
    if laid:
        narrator.tell(AnswerEvent(0, ChooseCards(SomeOf(cards(HANDS[0])), "A"), cards(laid)))
    assert " ".join(narrator.ask(CURRENT_DECLARES)).startswith(question)


def test_a_person_is_not_asked_for_a_name_again() -> None:
    """Whoever sits at a table has one; who has none that programs can write plays under another."""
    question = build_name_question(1, 7)
    assert GAME.build_narrator(1, NAMES).find_forced_answer(question) == NAMES[1]
    strange = GAME.build_narrator(1, ["ann", "Zoë's bot", "c"])
    assert strange.find_forced_answer(question) == question.default


def test_who_passes_ahead_may_be_asked_where_it_matters() -> None:
    """One pass ends with the own turn; the other is interrupted by last cards and proven lies.

    Nobody who passes ahead wants to be asked for a boast.
    """
    narrator = GAME.build_narrator(0, NAMES)
    narrator.tell(Turn(((PLAYERS[1], 3), (PLAYERS[2], 2), (PLAYERS[0], 5)), "2"))
    narrator.tell(Played(PLAYERS[1], 2, "2"))
    until, unless = narrator.list_standing_answers(OTHERS_DECLARE)
    assert narrator.list_standing_answers(OTHERS_DECLARE) == {until: PASS, unless: PASS}
    assert narrator.list_standing_answers(LAY) == {unless: None}
    assert narrator.list_standing_answers(CURRENT_DECLARES) == {unless: PASS}
    narrator.tell(Turn(((PLAYERS[2], 2), (PLAYERS[0], 5), (PLAYERS[1], 1)), "3"))
    narrator.tell(Played(PLAYERS[2], 2, "3"))
    assert narrator.list_standing_answers(OTHERS_DECLARE) == {until: PASS, unless: None}
    for hand, answer in (("4S 4H KD", PASS), ("4S 4H 4D", None)):
        narrator.tell(Turn(((PLAYERS[1], 5), (PLAYERS[2], 2), (PLAYERS[0], 3)), "4"))
        narrator.tell(Hand(tuple(hand.split())))
        narrator.tell(Played(PLAYERS[1], 2, "4"))
        assert narrator.list_standing_answers(OTHERS_DECLARE) == {until: PASS, unless: answer}


ANN, BOB, EVE = [Player(seat, name, 100 + seat) for seat, name in enumerate(("Ann", "Bob", "Eve"))]
HELD = ("2D", "AS", "KC")
LAY_ACES = ChooseCards(SomeOf(HELD), "A")


def looking(sight: Viewer) -> Perspective:
    """Return an eye on a first turn, in which Ann lays two cards as aces."""
    eye = Perspective(GAME, Bs(), ["Ann", "Bob", "Eve"], sight, page=True)
    eye.begin()
    eye.see_event(None, Turn(((ANN, 3), (BOB, 4), (EVE, 5)), "A"))
    eye.see_event(0, Hand(HELD))
    eye.see_event(1, Hand(("2C", "2H", "3C", "4C")))
    eye.see_answer(0, LAY_ACES, ("2D", "AS"))
    eye.see_event(None, Played(ANN, 2, "A"))
    return eye


def test_who_lays_knows_what() -> None:
    """Ann sees her own cards, and how many the others hold."""
    assert read_board(looking(0)) == {
        "hand1": "Bob: +4",
        "hand2": "Eve: +5",
        "pile": "Pile: -",
        "claim": "You claim two aces: 2D AS",
        "hand0": "Ann: KC",
    }


def test_the_others_know_how_many() -> None:
    """Bob sees his own hand and the backs of two cards; the public sees no card at all."""
    assert read_board(looking(1)) == {
        "hand2": "Eve: +5",
        "hand0": "Ann: +1",
        "pile": "Pile: -",
        "claim": "Ann claims two aces: +2",
        "hand1": "Bob: 2H 2C 3C 4C",
    }
    assert read_board(looking(Spectator.PUBLIC))["hand1"] == "Bob: +4"
    assert read_board(looking(Spectator.ALL))["claim"] == "Ann claims two aces: 2D AS"


def test_a_lie_is_called() -> None:
    """The cards are shown, and the liar takes the pile; only the liar sees which cards it gets."""
    ends: dict[Viewer, tuple[str, str]] = {
        1: ("Ann: +3", "Ann claims two aces: 2D AS / You called BS: a bluff; Ann takes 2 cards"),
        0: (
            "Ann: AS 2D KC",
            "You claim two aces: 2D AS / Bob called BS: a bluff; you take 2 cards",
        ),
        Spectator.ALL: (
            "Ann: AS 2D KC",
            "Ann claims two aces: 2D AS / Bob called BS: a bluff; Ann takes 2 cards",
        ),
    }
    for sight, (hand, claim) in ends.items():
        eye = looking(sight)
        for event in (Called((BOB,)), Shown(ANN, ("2D", "AS")), Judged(ANN, bluffing=True)):
            eye.see_event(None, event)
        eye.see_event(0, PileTaken(("2D", "AS"), bluffing=True))
        zones = read_board(eye)
        assert zones["claim"] == claim
        assert (zones["pile"], zones["hand0"]) == ("Pile: -", hand)


def test_a_true_claim_is_called() -> None:
    """The last caller takes the pile."""
    eye = looking(2)
    for event in (
        Called((BOB, EVE)),
        Shown(ANN, ("AD", "AS")),
        Judged(ANN, bluffing=False),
        Receives(EVE, "takes"),
    ):
        eye.see_event(None, event)
    zones = read_board(eye)
    assert zones["claim"].endswith("/ Bob and you called BS: the truth; you take 2 cards")
    assert (zones["pile"], zones["hand0"]) == ("Pile: -", "Ann: +1")


@pytest.mark.parametrize("sight", [1, 2, Spectator.PUBLIC, Spectator.ALL])
def test_shown_cards_lie_until_the_next_claim(sight: Viewer) -> None:
    """Who reads slowly sees them, and what came of it, when the next turn begins."""
    eye = looking(sight)
    for event in (Called((EVE,)), Shown(ANN, ("2D", "AS")), Judged(ANN, bluffing=True)):
        eye.see_event(None, event)
    lying = read_board(eye)["claim"].partition(": ")[2]
    eye.see_event(None, Turn(((BOB, 4), (EVE, 5), (ANN, 3)), "2"))
    assert read_board(eye)["claim"] == f"Next: twos: {lying}"
    eye.see_answer(1, ChooseCards(SomeOf(("2C", "2H")), "2"), ("2C",))
    eye.see_event(None, Played(BOB, 1, "2"))
    known = sight in (1, Spectator.ALL)
    own = "You claim" if sight == 1 else "Bob claims"
    assert read_board(eye)["claim"] == f"{own} one two: {'2C' if known else '+1'}"


def test_calls_of_an_earlier_turn_are_no_news() -> None:
    """Who calls in two turns in a row is seen to do so in both, and not in between."""
    eye = looking(2)

    def call() -> str:
        step = eye.see_event(None, Called((BOB,)))
        zone = step.zones["hand1"]
        assert zone
        return zone.act

    assert call() == "calls BS"
    turn = eye.see_event(None, Turn(((EVE, 4), (ANN, 4), (BOB, 4)), "2"))
    assert [zone.act for key, zone in turn.zones.items() if zone and "hand" in key] == [""] * 3
    eye.see_event(None, Played(EVE, 1, "2"))
    assert call() == "calls BS"


def test_what_could_not_be_seen_is_told_after_the_match() -> None:
    """Whether a lie was needed, and whose hand proved it; what was laid when one passed."""
    narrator = looking(Spectator.ALL).narrator
    risked = "You held one of the aces: for one more card you risked a pile of 4 cards."
    assert narrator.reveal(0, LAY_ACES, ("2D", "AS")) == risked
    twos = evolve(LAY_ACES, rank="2")
    needless = "You held one of the twos, so you need not have lied."
    assert narrator.reveal(0, twos, ("KC",)) == needless
    assert narrator.reveal(0, twos, ("2D", "KC", "AS")).endswith(" Bob held two, which proved it.")
    assert narrator.reveal(0, LAY_ACES, ("AS",)) == ""
    forced = "You held no threes, so you had to lie."
    assert narrator.reveal(0, evolve(LAY_ACES, rank="3"), ("KC",)) == forced
    narrator.tell(PrivateEvent(0, Hand(("7S", "7H", "7C", "7D", "KC"))))
    sevens = narrator.reveal(0, evolve(LAY_ACES, rank="7"), ("7S", "7H", "7C", "7D", "KC"))
    assert sevens.startswith("You held all four sevens: for one more card ")
    assert sevens.endswith(" There are only four, so everybody knew.")
    laid = narrator.reveal(1, OTHERS_DECLARE, PASS)
    assert laid.startswith("The cards were 2♦ A♠: a bluff. A call would have given ")
    assert laid.endswith(" cards.")
    assert isinstance(laid, MarkedLine)
    assert laid.mark is Mark.LOST
    called = narrator.reveal(1, OTHERS_DECLARE, BS)
    assert called == "The cards were 2♦ A♠: a bluff."
    assert isinstance(called, MarkedLine)
    assert called.mark is Mark.WON


def test_nobody_calls_and_somebody_wins() -> None:
    """A boast is told of; the next turn begins with an empty claim; a winner is named.

    Whose turn it is, is marked until cards are laid: then everybody is asked.
    """
    eye = looking(2)
    eye.see_event(None, Called(()))
    assert read_board(eye)["claim"].endswith("/ nobody called")
    eye.see_event(None, Judged(ANN, bluffing=True))
    assert "Peanut Butter" in read_board(eye)["claim"]
    eye.see_event(None, Won(ANN))
    assert read_board(eye)["claim"].endswith("/ Ann has no cards left")
    eye.see_event(None, Turn(((BOB, 4), (EVE, 5), (ANN, 1)), "2"))
    assert (read_board(eye)["claim"], read_board(eye)["pile"]) == ("Next: twos: -", "Pile: +2")
    assert list_turns(eye) == [1]
    eye.see_event(None, Played(BOB, 1, "2"))
    assert list_turns(eye) == []
