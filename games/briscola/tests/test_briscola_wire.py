"""The lines of Briscola, to the letter, and what machines that learn are given."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from random import Random
from typing import Any

import pytest

from arena import Codec, Greeting, MalformedLineError, OneOf, Play, Seat
from arena.cards import Card, rank_of, suit_of
from arena_briscola import (
    GAME,
    Briscola,
    BriscolaLines,
    BriscolaPosition,
    Hand,
    PlayCard,
    Played,
    Taken,
    Trick,
)
from arena_briscola.rules import FULL_PACK, SUITS
from arena_briscola.wire import BriscolaObservationEncoder, actions

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


REFUSED = ["", " ", "3c", "C3", "8C", "TC", "3H", "3C KD", "Play: 3C", "> 3C", "3C\n", "3C\r"]


@pytest.mark.parametrize("line", REFUSED)
def test_nothing_else_is_a_card(line: str) -> None:
    """Small letters, other packs' cards and two cards are refused."""
    with pytest.raises(MalformedLineError, match="expected a card"):
        BriscolaLines(0).read(QUESTION, line)


def test_the_hand_has_no_line_of_its_own() -> None:
    """It is the question."""
    assert [*BriscolaLines(0).tell(Hand(("3C",)))] == []
    assert [*BriscolaLines(0).ask(QUESTION)] == ["Play: 3C KD 7B"]


GREETING = Greeting("briscola", 1, 2, Briscola(), "seed")
FIRST = [Trick(0, "7C", 34, (0, 0)), Hand(("4D", "6B", "AB")), Played(0, "3C")]
SECOND = [Played(1, "4D"), Taken(0, 10), Trick(0, "7C", 32, (10, 0)), Hand(("QC", "6B", "AB"))]


def encode(events: Sequence[Any]) -> list[float]:
    """Return the figures of a seat that was told this, the greeting first."""
    greeting, *told = events
    encoder = BriscolaObservationEncoder(greeting)
    for event in told:
        encoder.tell(event)
    return encoder.observation()


def read(events: list[Any]) -> dict[str, Any]:
    """Return the figures of a game of two under their names, cards as cards."""
    figures = encode([GREETING, *events])
    parts = [[card for card, mark in zip(FULL_PACK, figures[at : at + 40], strict=True) if mark]
             for at in range(0, 160, 40)]  # fmt: skip
    names = ("hand", "laid", "gone", "turned up")
    rest = figures[160:]
    return dict(zip(names, parts, strict=True), suit=rest[:4], stock=rest[4], scores=rest[5:])


def test_before_anything_is_told() -> None:
    """All is nought."""
    assert not any(encode([GREETING]))


def test_in_the_middle_of_a_trick() -> None:
    """The hand, what the other has laid, and what is turned up; by cards, batons come second."""
    assert read(FIRST) == {
        "hand": ["6D", "AD", "4S"], "laid": ["3C"], "gone": [], "turned up": ["7C"],
        "suit": [1, 0, 0, 0], "stock": 34 / 40, "scores": [0, 0],
    }  # fmt: skip


def test_in_the_next_trick() -> None:
    """Cards of the trick before are gone; the own score comes first."""
    found = read(FIRST + SECOND)
    assert found["hand"] == ["QC", "6D", "AD"]
    assert found["laid"] == []
    assert found["gone"] == ["3C", "4S"]
    assert found["scores"] == [0, 10 / 120]


def test_in_the_next_deal() -> None:
    """The pack is whole again."""
    found = read([*FIRST, *SECOND, Trick(1, "5B", 34, (60, 60)), Hand(("2C", "4C", "5C"))])
    assert found["gone"] == found["laid"] == []
    assert found["turned up"] == ["5C"]  # batons are the trump now, which is the first suit
    assert found["suit"] == [1, 0, 0, 0]


def test_the_suit_that_was_led_comes_behind_the_trump() -> None:
    """Also where others have higher cards."""
    events = [Trick(1, "7S", 34, (0, 0)), Hand(("2S", "AB", "5D")), Played(0, "4D")]
    assert read(events)["hand"] == ["2C", "5D", "AS"]
    assert read(events)["laid"] == ["4D"]


@pytest.mark.parametrize("order", list(permutations(SUITS)))
@pytest.mark.parametrize("seats", [2, 4])
def test_suits_that_change_places_make_no_difference(order: Sequence[str], seats: int) -> None:
    """The figures are the same, and so is what the cards of the hand are called."""
    exchanged = dict(zip(SUITS, order, strict=True))

    def exchange(card: Card) -> Card:
        return rank_of(card) + exchanged[suit_of(card)]

    def change(event: Any) -> Any:
        match event:
            case Trick(leader, trump, stock, scores):
                return Trick(leader, exchange(trump), stock, scores)
            case Hand(cards):
                return Hand(tuple(map(exchange, cards)))
            case Played(seat, card):
                return Played(seat, exchange(card))
        return event

    greeting, draws = Greeting("briscola", 0, seats, Briscola(), "1"), Random("1")
    play = Play.deal(Briscola(), seats, "1")
    encoder, other = BriscolaObservationEncoder(greeting), BriscolaObservationEncoder(greeting)
    while play.pending:
        for to, event in play.drain():
            if to in (None, 0):
                encoder.tell(event)
                other.tell(change(event))
        assert encoder.observation() == other.observation()
        ((seat, question),) = play.pending.items()
        if seat == 0:
            cards: Any = question.options
            assert {*map(encoder.rename, cards)} == {other.rename(exchange(card)) for card in cards}
        play.answer(seat, question.options.draw(draws))


def test_three_players_keep_the_names_of_the_suits() -> None:
    """Coppe lack a card there, so they are not like the others."""
    encoder = BriscolaObservationEncoder(Greeting("briscola", 0, 3, Briscola(), ""))
    for event in (Trick(0, "7B", 30, (0, 0, 0)), Hand(("4D", "6S", "AC"))):
        encoder.tell(event)
    assert [encoder.rename(card) for card in ("4D", "6S", "AC", "7B")] == ["4D", "6S", "AC", "7B"]


@pytest.mark.parametrize(("seats", "count", "size"), [(2, 40, 167), (3, 39, 203), (4, 40, 249)])
def test_how_many_there_are(seats: int, count: int, size: int) -> None:
    """Actions are the cards of the pack; the figures depend on nothing but the seats."""
    assert len(actions(Briscola(), seats)) == count
    assert len(encode([Greeting("briscola", 0, seats, Briscola(), "seed")])) == size
    assert GAME.learning.actions is actions
    assert GAME.learning.encoder is BriscolaObservationEncoder
