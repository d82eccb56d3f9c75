"""The lines of Briscola, to the letter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena import Codec, MalformedLineError, OneOf, Play, Seat
from arena_briscola import (
    GAME,
    Briscola,
    BriscolaLines,
    BriscolaPosition,
    Hand,
    PlayCard,
)
from arena_briscola.rules import FULL_PACK

QUESTION = PlayCard(OneOf(("3C", "KD", "7B")))

FOUR = BriscolaPosition(
    Briscola(),
    (("2S", "4S", "KB"), ("AC", "4D", "6B"), ("2D", "5D", "3B"), ("5C", "6C", "QD")),
    ("JB", "4B", "AS", "2C", "3S", "5B", "6D", "7C"),
    "7C",
    0,
    (0, 0, 0, 0),
)

SEEN_BY_SEAT_1 = """\
< Trick: you 1 leader 0 trump 7C stock 8 points 0 0 0 0
< Played: 0 2S
< Play: AC 4D 6B
> AC
< Played: 1 AC
< Played: 2 2D
< Played: 3 5C
< Taken: 1 11
< Trick: you 1 leader 1 trump 7C stock 4 points 0 11 0 11
< Play: 4D 6B JB
> 4D
< Played: 1 4D
"""


def conversation(codec: Codec, seat: Seat, mark: str) -> str:
    """Let four play the first card they hold, five times; return what goes to and fro."""
    play, said = Play(FOUR, 4, "seed"), ""
    for _ in range(5):
        said += told(play, codec, seat, mark)
        ((asked, question),) = play.pending.items()
        card = question.options[0]  # type: ignore[index]  # it is a hand
        if asked == seat:
            said += "".join(f"{mark}{line}\n" for line in codec.ask(question))
            said += f"> {codec.say(question, card)}\n"
        play.answer(asked, card)
    return said + "".join(told(play, codec, seat, mark))


def told(play: Play, codec: Codec, seat: Seat, mark: str) -> str:
    """Return the lines of what a seat has been told since the last time."""
    events = [event for to, event in play.drain() if to in (None, seat)]
    return "".join(f"{mark}{line}\n" for event in events for line in codec.tell(event))


def test_two_tricks_to_the_letter() -> None:
    """A program is told of each trick as it begins, of the cards, and of who takes them."""
    assert conversation(GAME.build_codec(None, 1), 1, "< ") == SEEN_BY_SEAT_1


@pytest.mark.parametrize("line", ["3C", " 3C", "3C \t"])
def test_a_card_may_have_blanks_around(line: str) -> None:
    """Nothing else may stand in the line."""
    assert BriscolaLines(0).read(QUESTION, line) == "3C"


def test_every_card_can_be_said() -> None:
    """Whether it is held is for the options to judge."""
    wire = BriscolaLines(0)
    for card in FULL_PACK:
        assert wire.read(QUESTION, wire.say(QUESTION, card)) == card


REFUSED = [
    "",
    " ",
    "3c",
    "C3",
    "8C",
    "TC",
    "3H",
    "3C KD",
    "Play: 3C",
    "> 3C",
    "3C\n",
    "3C\r",
    "3\u00a0C",
]


@pytest.mark.parametrize("line", REFUSED)
def test_nothing_else_is_a_card(line: str) -> None:
    """Small letters, other packs' cards and two cards are refused."""
    with pytest.raises(MalformedLineError, match="expected a card"):
        BriscolaLines(0).read(QUESTION, line)


@given(st.text())
def test_a_line_is_a_card_or_malformed(line: str) -> None:
    """Whatever comes, it is one of the forty or refused."""
    try:
        card = BriscolaLines(0).read(QUESTION, line)
    except MalformedLineError:
        return
    assert card in FULL_PACK


def test_the_hand_has_no_line_of_its_own() -> None:
    """It is the question."""
    assert [*BriscolaLines(0).tell(Hand(("3C",)))] == []
    assert [*BriscolaLines(0).ask(QUESTION)] == ["Play: 3C KD 7B"]
