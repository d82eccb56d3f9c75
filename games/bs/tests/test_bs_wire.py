"""The lines of BS, to the letter: the published example, what is said, and what may be answered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import Greeting, IllegalAnswerError, MalformedLineError, Play, Seat, SomeOf
from arena.cards import Cards
from arena_bs import GAME, Bs, BsLines, BsPosition
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
    Nickname,
    PileTaken,
    Played,
    Player,
    Receives,
    Shown,
    Turn,
    Won,
    build_name_question,
)

ALICE, BOB, CHARLIE = PLAYERS = (
    Player(0, "Alice", 16481), Player(1, "Bob", 16479), Player(2, "Charlie", 16480),
)  # fmt: skip
WIRE = BsLines(0)
HAND = "2D 7S AS TC 5S JS JC 3C 8H 9D 5D AH 7C 6C 4D KC KH KS"


def cards(text: str) -> Cards:
    return tuple(text.split())


GOLDEN = [
    (Turn(((ALICE, 18), (BOB, 17)), "A"), "Players: Alice(16481)[18], Bob(16479)[17]"),
    (Hand(cards("2D 7S AS")), "Hand: 2D 7S AS"),
    (Played(ALICE, 3, "A"), "Player Alice(16481) plays: 3 x A"),
    (Called((CHARLIE, BOB)), "Called BS: Charlie(16480), Bob(16479)"),
    (Called(()), "Called BS:"),
    (Shown(ALICE, cards("AS 2D AH")), "Player Alice(16481) had played: AS 2D AH"),
    (Judged(ALICE, bluffing=True), "Player Alice(16481) was bluffing."),
    (Judged(ALICE, bluffing=False), "Player Alice(16481) was not bluffing."),
    (Receives(BOB, "receives"), "Player Bob(16479) receives the pile."),
    (Receives(BOB, "takes"), "Player Bob(16479) takes the pile."),
    (PileTaken(cards("AS 2D AH 2H 2C"), bluffing=True), "Your bluff was called: AS 2D AH 2H 2C"),
    (PileTaken(cards("KC KH KS 2H 2C"), bluffing=False), "You misjudged: KC KH KS 2H 2C"),
    (Won(ALICE), "Player Alice(16481) won!"),
]


@pytest.mark.parametrize(("event", "line"), GOLDEN)
def test_each_event_is_its_published_line(event: Any, line: str) -> None:
    """Every event is one line, to the letter."""
    assert list(WIRE.tell(event)) == [line]


def test_every_message_of_the_game_has_a_golden_line() -> None:
    """No event is left out above."""
    events = {type(event) for event, _ in GOLDEN}
    assert events | {Nickname, ChooseCards, type(OTHERS_DECLARE)} == set(GAME.messages)


LAY = ChooseCards(SomeOf(cards(HAND)), "A")


def test_each_question_is_its_published_line() -> None:
    """A number and a rank have lines; for a declaration the play was the prompt."""
    assert list(WIRE.ask(build_name_question(0, 16481))) == ["Unique ID: 16481"]
    assert list(WIRE.ask(LAY)) == ["Your turn: A"]
    assert not list(WIRE.ask(OTHERS_DECLARE))
    assert not list(WIRE.ask(CURRENT_DECLARES))


def test_the_greeting_has_no_line() -> None:
    """Programs that speak the published lines are told nothing more."""
    assert not list(WIRE.tell(Greeting("bs", 0, 3, Bs(), "seed")))


@pytest.mark.parametrize(
    ("question", "answer", "line"),
    [
        (build_name_question(0, 1), "Alice", "Nickname: Alice"),
        (LAY, ("AS", "2D", "AH"), "Play: AS 2D AH"),
        (OTHERS_DECLARE, PASS, "Pass"),
        (OTHERS_DECLARE, BS, "BS"),
        (CURRENT_DECLARES, PEANUT_BUTTER, "Peanut Butter"),
    ],
)
def test_what_is_said_is_what_is_read(question: Any, answer: Any, line: str) -> None:
    """A program's line and its answer are each other's meaning."""
    assert WIRE.say(question, answer) == line
    assert WIRE.read(question, line) == answer


CALLS = ["BS", "SB", "Bull Shit", "Bananna Split", "Bacon Sandwich", "Spa Bath", " B S ", "oSoB"]
BOASTS = ["PB", "BP", "Peanut Butter", "Pancake Batter", "Polish Bacon", "Bacon Pie"]


@pytest.mark.parametrize(
    ("question", "meant", "line"),
    [
        *((OTHERS_DECLARE, BS, line) for line in CALLS),
        *((CURRENT_DECLARES, PEANUT_BUTTER, line) for line in BOASTS),
    ],
)
def test_ways_to_declare(question: Any, meant: str, line: str) -> None:
    """Both letters, whichever comes first, and no other capital."""
    assert WIRE.read(question, line) == meant


@pytest.mark.parametrize("question", [OTHERS_DECLARE, CURRENT_DECLARES])
@pytest.mark.parametrize(
    "line",
    [
        "", " ", "pass", "Pass ", " Pass", "PASS", "Pass.", "bs", "B", "S", "P", "BSS", "BBS", "BSP",
        "PBS", "Bull-Shit", "BS!", "B5S", "BS\r", "BS\t", "BÄS", "BS\N{NO-BREAK SPACE}", "ΒS", "BS\n",
    ],
)  # fmt: skip
def test_what_is_no_declaration(question: Any, line: str) -> None:
    """Anything else is malformed: another capital, another sign, another alphabet, nothing."""
    with pytest.raises(MalformedLineError):
        WIRE.read(question, line)


def test_declarations_out_of_turn_are_malformed() -> None:
    """Others cannot declare Peanut Butter, and nobody calls itself."""
    for question, line in ((OTHERS_DECLARE, "Peanut Butter"), (CURRENT_DECLARES, "Bull Shit")):
        with pytest.raises(MalformedLineError, match="expected"):
            WIRE.read(question, line)


def test_a_declaration_has_32_characters_at_most() -> None:
    """The thirty-third makes it malformed."""
    longest = "B" + "o" * 30 + "S"
    assert WIRE.read(OTHERS_DECLARE, longest) == BS
    with pytest.raises(MalformedLineError):
        WIRE.read(OTHERS_DECLARE, longest + " ")


@given(st.text(st.sampled_from("BSPassbutter \u00c4!"), max_size=36))
def test_declarations_by_the_letter(line: str) -> None:
    """A line calls BS exactly if the page says so."""
    capitals = re.sub("[a-z ]", "", line)
    calls = len(line) <= 32 and capitals in ("BS", "SB")
    expected = PASS if line == "Pass" else BS if calls else None
    try:
        assert WIRE.read(OTHERS_DECLARE, line) == expected
    except MalformedLineError:
        assert expected is None


@pytest.mark.parametrize(
    "line",
    [
        "", "Play:", "Play: ", "Play:AS", "play: AS", "AS", "Play: AS  2D", "Play: AS 2D ", "Play:  AS",
        "Play: AS,2D", "Play: AS2D", "Play: 10H", "Play: 1H", "Play: as", "Play: A♠", "Play: AS\r", "Play: AS\n",
    ],
)  # fmt: skip
def test_what_is_no_play(line: str) -> None:
    """A play is its word and cards with single spaces between them."""
    with pytest.raises(MalformedLineError):
        WIRE.read(LAY, line)


@pytest.mark.parametrize("line", ["Play: AC", "Play: AS AS", "Play: AS 2D AH 2S"])
def test_plays_that_are_illegal(line: str) -> None:
    """Cards must be in the hand, and none is laid twice."""
    with pytest.raises(IllegalAnswerError):
        LAY.options.read(WIRE.read(LAY, line))


def test_the_whole_hand_may_be_laid_in_any_order() -> None:
    """Any number of cards up to the whole hand is a play, and keeps its order."""
    hand = cards(HAND)[::-1]
    assert LAY.options.read(WIRE.read(LAY, "Play: " + " ".join(hand))) == hand


def name_of(line: str) -> str:
    question = build_name_question(4, 16481)
    return question.options.read(WIRE.read(question, line))


@pytest.mark.parametrize("name", ["A", "Alice", "alice_2", "_", "7", "x" * 32])
def test_nicknames(name: str) -> None:
    """Letters, digits and underscores, 1 to 32 of them, make a name."""
    assert name_of(f"Nickname: {name}") == name


NO_NAMES = ["", " ", "x" * 33, "Al ice", "Alice ", " Alice", "Älice", "a-b", "a\r", "٣", "a\n"]
NO_LINES = ["", "Alice", "nickname: Alice", "Nickname:Alice", "Nickname Alice"]


@pytest.mark.parametrize("line", [*(f"Nickname: {name}" for name in NO_NAMES), *NO_LINES])
def test_what_is_no_nickname(line: str) -> None:
    """Everything else is refused, and so is a name without its word before it."""
    with pytest.raises((MalformedLineError, IllegalAnswerError)):
        name_of(line)


def conversation(start: BsPosition, seat: Seat, said: list[tuple[Seat, str]]) -> Iterator[str]:
    """Let the seats say these lines; return what one of them is sent and says."""
    play, codec = Play(start, len(start.hands), "seed"), BsLines(seat)

    def heard() -> Iterator[str]:
        for to, event in play.drain():
            if to in (None, seat):
                yield from codec.tell(event)

    for by, line in said:
        yield from heard()
        question = play.pending[by]
        if by == seat:
            yield from codec.ask(question)
            yield f"> {line}"
        play.answer(by, codec.read(question, line))
    yield from heard()


HANDS = (
    cards(HAND),
    cards("2H 2C 3D 3H 3S 4C 4H 4S 5C 5H 6D 6H 6S 7D 7H 8C 8D"),
    cards("8S 9C 9H 9S TD TH TS JD JH QC QD QH QS KD AC AD 2S"),
)

BEGINNING = """\
Players: Alice(16481)[18], Bob(16479)[17], Charlie(16480)[17]
Hand: 2D 7S AS TC 5S JS JC 3C 8H 9D 5D AH 7C 6C 4D KC KH KS
Your turn: A
> Play: AS 2D AH
Player Alice(16481) plays: 3 x A
> PB
Called BS:
Player Alice(16481) was bluffing.
Players: Bob(16479)[17], Charlie(16480)[17], Alice(16481)[15]
Hand: 7S TC 5S JS JC 3C 8H 9D 5D 7C 6C 4D KC KH KS
Player Bob(16479) plays: 2 x 2
> BS
Called BS: Alice(16481)
Player Bob(16479) had played: 2H 2C
Player Bob(16479) was not bluffing.
Player Alice(16481) receives the pile.
You misjudged: 2H 2C AS 2D AH
Players: Charlie(16480)[17], Alice(16481)[20], Bob(16479)[15]
Hand: 7S TC 5S JS JC 3C 8H 9D 5D 7C 6C 4D KC KH KS 2H 2C AS 2D AH"""

SAID_FIRST = [
    (0, "Play: AS 2D AH"), (0, "PB"), (1, "Pass"), (2, "Pass"),
    (1, "Play: 2H 2C"), (0, "BS"), (1, "Pass"), (2, "Pass"),
]  # fmt: skip


@pytest.mark.parametrize("wording", ["receives", "takes"])
def test_the_beginning_of_the_published_example(wording: str) -> None:
    """Alice is sent the published lines word for word, with either verb for the pile."""
    start = BsPosition(Bs(wording=wording), PLAYERS, HANDS, 0)
    seen = "\n".join(conversation(start, 0, SAID_FIRST))
    assert seen == BEGINNING.replace("receives", wording)


END = """\
Players: Alice(16481)[3], Bob(16479)[24], Charlie(16480)[23]
Hand: KC KH KS
Your turn: K
> Play: KC KH KS
Player Alice(16481) plays: 3 x K
> Pass
Called BS: Charlie(16480), Bob(16479)
Player Alice(16481) had played: KC KH KS
Player Alice(16481) was not bluffing.
Player Bob(16479) receives the pile.
Player Alice(16481) won!"""


def the_end(seat: Seat) -> list[str]:
    """Play the end of the published example; return what this seat is sent and says."""
    rest = tuple(card for card in DECK if card not in ("KC", "KH", "KS", "2H", "2C"))
    hands = (cards("KC KH KS"), rest[:24], rest[24:])
    pile = ((2, cards("2H 2C")),)
    start = BsPosition(Bs(), PLAYERS, hands, 0, turns=12, pile=pile)
    said = [(0, "Play: KC KH KS"), (2, "Bull Shit"), (0, "Pass"), (1, "BS")]
    return [*conversation(start, seat, said)]


def test_the_end_of_the_published_example() -> None:
    """Alice plays her kings, two call, and she wins; with the two lines that it leaves out."""
    assert "\n".join(the_end(0)) == END


def test_who_spoke_last_is_told_which_cards_it_takes() -> None:
    """Bob misjudged: he alone sees the pile, the latest play first."""
    assert the_end(1)[-2:] == ["You misjudged: KC KH KS 2H 2C", "Player Alice(16481) won!"]
    assert not [line for line in the_end(2) if "misjudged" in line]
