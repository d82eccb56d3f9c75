"""The lines of Coup's text protocol, to the letter, and the game in figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from arena import Greeting, IllegalAnswerError, MalformedLineError, OneOf, Play, Question, SomeOf
from arena_coup import GAME, Coup, CoupLines, CoupPosition
from arena_coup.rules import (
    AMBASSADOR,
    ASSASSIN,
    CAPTAIN,
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
from arena_coup.wire import CoupObservationEncoder, actions

EVENTS = [
    (Turn(5, 1, (4, 3, 0), (2, 1, 0), ((), (DUKE,), (CAPTAIN, CONTESSA))),
     "turn 5 player 1 coins 4,3,0 influence 2,1,0 revealed -,Duke,Captain+Contessa"),
    (Hand((ASSASSIN, CAPTAIN)), "hand 2 Assassin Captain"),
    (Acted(1, "income"), "action 1 income"),
    (Acted(1, "steal:0"), "action 1 steal:0"),
    (Blocked(0, AMBASSADOR), "blocks 0 Ambassador"),
    (Challenged(1, 0, AMBASSADOR), "challenges 1 0 Ambassador"),
    (Proved(0, AMBASSADOR), "proves 0 Ambassador"),
    (Lost(1, DUKE), "loses 1 Duke"),
    (Out(1), "out 1"),
    (Settled(1, "steal:0", succeeded=False), "failed 1 steal:0"),
    (Settled(1, "tax", succeeded=True), "done 1 tax"),
    (Drawn((DUKE, DUKE)), "drawn Duke Duke"),
    (Won(2), "won 2"),
]  # fmt: skip

WORDS = OneOf(("allow", "challenge"))
QUESTIONS: list[tuple[Question[Any], str, Any, str]] = [
    (ChooseAction(OneOf(("income", "foreign-aid", "steal:0"))),
     "ask act | income foreign-aid steal:0", "steal:0", "steal:0"),
    (Challenge(WORDS, 1, DUKE, "tax"),
     "ask challenge 1 Duke tax | allow challenge", "challenge", "challenge"),
    (Block(OneOf(("allow", CAPTAIN, AMBASSADOR)), 1, "steal:2"),
     "ask block 1 steal:2 | allow Captain Ambassador", CAPTAIN, "Captain"),
    (ShowCard(OneOf((DUKE, CAPTAIN)), CAPTAIN, 0), "ask show Captain 0 | Duke Captain", DUKE, "Duke"),
    (LoseInfluence(OneOf((DUKE, CAPTAIN))), "ask lose | Duke Captain", DUKE, "Duke"),
    (KeepCards(SomeOf((DUKE, DUKE, CAPTAIN, CONTESSA), 2, 2)),
     "ask keep 2 | Duke Duke Captain Contessa", (DUKE, DUKE), "Duke Duke"),
    (KeepCards(SomeOf((DUKE, CAPTAIN, CONTESSA), 1, 1)),
     "ask keep 1 | Duke Captain Contessa", (CONTESSA,), "Contessa"),
]  # fmt: skip


@pytest.mark.parametrize(("event", "line"), EVENTS, ids=[line for _, line in EVENTS])
def test_events(event: object, line: str) -> None:
    """Each event is one line; a hand says whose it is, for a bot that just came."""
    assert [*CoupLines(2).tell(event)] == [line]


@pytest.mark.parametrize(
    ("question", "line", "answer", "said"), QUESTIONS, ids=[line for _, line, _, _ in QUESTIONS]
)
def test_questions(question: Question[Any], line: str, answer: Any, said: str) -> None:
    """Each question is one line, with what may be answered behind the bar."""
    codec = CoupLines(0)
    assert [*codec.ask(question)] == [line]
    assert codec.say(question, answer) == said
    assert question.options.read(codec.read(question, said)) == answer


@pytest.mark.parametrize("question", [question for question, *_ in QUESTIONS])
@pytest.mark.parametrize(
    "line", ["", " ", "tax!", "income ", " income", "Duke,Captain", "duke captain", "steal:10", "|"]
)
def test_what_is_no_answer(question: Question[Any], line: str) -> None:
    """A line in another form is malformed, whatever was asked."""
    with pytest.raises(MalformedLineError):
        CoupLines(0).read(question, line)


@pytest.mark.parametrize(("number", "line"), [
    (0, "coup:1"), (0, "pass"), (1, "Allow"), (2, DUKE), (4, CONTESSA), (5, "Duke"),
    (5, "Captain Captain"), (5, "Duke Captain Contessa"), (6, "Assassin"),
])  # fmt: skip
def test_what_may_not_be_answered(number: int, line: str) -> None:
    """A word that is not offered, or a card that is not held, is illegal."""
    question = QUESTIONS[number][0]
    with pytest.raises(IllegalAnswerError):
        question.options.read(CoupLines(0).read(question, line))


def test_a_turn_in_lines() -> None:
    """What a target is sent of an assassination that it lies against in vain."""
    start = CoupPosition(
        Coup(), ((ASSASSIN, DUKE), (DUKE, CAPTAIN)), ((), ()), (3, 2), (CONTESSA,) * 3
    )
    play, codec = Play(start, 2, "seed"), CoupLines(1)
    lines: list[str] = []
    for seat, line in [(0, "assassinate:1"), (1, "allow"), (1, "Contessa"), (0, "challenge"),
                       (1, "Duke"), (1, "Captain")]:  # fmt: skip
        play.answer(seat, codec.read(play.pending[seat], line))
        for to, event in play.drain():
            lines += codec.tell(event) if to in (None, 1) else []
        lines += codec.ask(play.pending[1]) if 1 in play.pending else []
    assert lines == [
        "turn 1 player 0 coins 3,2 influence 2,2 revealed -,-",
        "hand 1 Duke Captain",
        "action 0 assassinate:1",
        "ask challenge 0 Assassin assassinate:1 | allow challenge",
        "ask block 0 assassinate:1 | allow Contessa",
        "blocks 1 Contessa",
        "challenges 0 1 Contessa",
        "ask show Contessa 0 | Duke Captain",
        "loses 1 Duke",
        "hand 1 Captain",
        "done 0 assassinate:1",
        "ask lose | Captain",
        "loses 1 Captain",
        "out 1",
        "won 0",
    ]


TABLE: Any = (3, 6, 0), (2, 1, 0), ((), (DUKE,), (CAPTAIN, DUKE))
HEARD: list[Any] = [
    Greeting("coup", 1, 3, Coup(), "seed"),
    Turn(3, 0, *TABLE),
    Hand((CAPTAIN,)),
]


def encode(events: Sequence[Any]) -> list[float]:
    """Return the figures of a seat that was told this, the greeting first."""
    greeting, *told = events
    encoder = CoupObservationEncoder(greeting)
    for event in told:
        encoder.tell(event)
    return encoder.observation()


def test_the_number_of_figures() -> None:
    """It goes by the seats alone."""
    for seats in GAME.seats:
        assert len(encode([Greeting("coup", 0, seats, Coup(), "seed")])) == 30 + 12 * seats


def test_what_lies_open() -> None:
    """Cards by character, the share of the turns, and the seats from the own one on."""
    figures = encode(HEARD)
    assert figures[:15] == [0, 0, 0.5, 0, 0] + [0] * 5 + [2 / 3, 0, 1 / 3, 0, 0]
    assert figures[15:29] == [0] * 14
    assert figures[29] == 3 / 300
    seats: list[list[float]] = [[0.5, 0.5, 0, 0, 0], [0] * 5, [0.25, 1, 1, 0, 0]]
    assert figures[30:] == [figure for seat in seats for figure in [*seat, *[0] * 7]]


def test_a_claim_and_its_challenge() -> None:
    """A steal from this seat, which blocks it, and is challenged."""
    steal = encode([*HEARD, Acted(0, "steal:1")])
    assert steal[15:20] == [0, 0, 1, 0, 0]
    assert steal[20:29] == [0, 0, 0, 0, 1, 0, 0, 1, 0]
    blocked = encode([*HEARD, Acted(0, "steal:1"), Blocked(1, CAPTAIN), Challenged(0, 1, CAPTAIN)])
    assert (blocked[27:29], blocked[32:35]) == ([1, 1], [0, 1, 1])


def test_earlier_claims_and_proofs() -> None:
    """A claim stands until its card is gone; proofs and lies are counted for good."""

    def find_seat(*events: Any) -> list[float]:
        """Return the claims, the proofs and the lies of the seat behind this one but one."""
        return encode([*HEARD, *events])[30 + 2 * 12 + 5 :]

    tax = [Acted(0, "tax"), Settled(0, "tax", succeeded=True), Turn(4, 1, *TABLE)]
    assert find_seat(*tax) == [1, 0, 0, 0, 0, 0, 0]
    challenged = [*tax, Acted(0, "tax"), Challenged(1, 0, DUKE)]
    assert find_seat(*challenged, Proved(0, DUKE)) == [0, 0, 0, 0, 0, 1 / 2, 0]
    lost = [Lost(0, CAPTAIN), Settled(0, "tax", succeeded=False)]
    assert find_seat(*tax, Acted(0, "steal:1"), *challenged, *lost) == [0] * 6 + [1 / 2]
    exchanged = [Acted(0, "exchange"), Settled(0, "exchange", succeeded=True)]
    assert find_seat(*tax, *exchanged) == [0] * 7


def test_what_is_settled_is_gone() -> None:
    """With the last influence goes the hand, and with the seat its coins."""
    lost = [Lost(1, CAPTAIN), Out(1), Settled(0, "steal:1", succeeded=True)]
    figures = encode([*HEARD, Acted(0, "steal:1"), *lost])
    assert figures[:5] == figures[15:20] == [0] * 5
    assert figures[30:32] == [0, 0]


def test_cards_that_are_drawn() -> None:
    """They stand beside the hand until the exchange is done."""
    drawn = [*HEARD, Drawn((DUKE, DUKE))]
    assert encode(drawn)[5:10] == [1, 0, 0, 0, 0]
    assert encode([*drawn, Hand((DUKE,))])[5:10] == [0] * 5


def test_the_actions() -> None:
    """Seven deeds, three of them with each target, two words, five characters, twenty hands."""
    assert len(actions(Coup(), 6)) == 4 + 3 * 6 + 2 + 5 + 20
