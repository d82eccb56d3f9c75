"""The published line protocol, to the byte."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from arena import Codec, MalformedLineError, OneOf, Play
from arena_gops import GAME, Bid, Bids, Gops, Prize, RubyQuiz116

QUESTION = Bid(OneOf(range(1, 14)))


def conversation(variant: Gops, bids: Sequence[tuple[int, ...]], seat: int) -> str:
    """Play these rounds; return what goes to and fro between the host and a seat's program."""
    play, wire = Play.deal(variant, len(bids[0]), "seed"), GAME.build_codec(None, seat)
    said = ""
    for cards in [*bids, ()]:
        said += "".join(f"< {line}\n" for _, event in play.drain() for line in wire.tell(event))
        if cards:
            question = play.pending[seat]
            said += "".join(f"< {line}\n" for line in wire.ask(question))
            said += f"> {wire.say(question, cards[seat])}\n"
        for other, card in enumerate(cards):
            play.answer(other, wire.read(play.pending[other], str(card)))
    assert play.over
    return said


def test_the_published_example() -> None:
    """A prize of 12, a bid of 10, and the opponent's of 3 read as published in 2007."""
    wire = GAME.build_codec(None, 0)
    assert [*wire.tell(Prize(12))] == ["Competition card: 12"]
    assert [*wire.ask(QUESTION)] == []
    assert wire.say(QUESTION, 10) == "10"
    assert [*wire.tell(Bids((10, 3)))] == ["Opponent's bid: 3"]


PRIZES = (12, 1, 7, 13, 4, 9, 2, 11, 5, 8, 3, 10, 6)
FIRST = (10, 2, 7, 13, 1, 9, 3, 12, 4, 8, 5, 11, 6)
SECOND = (3, 1, 8, 2, 13, 12, 4, 11, 5, 9, 10, 6, 7)

SEEN_BY_THE_FIRST = """\
< Competition card: 12
> 10
< Opponent's bid: 3
< Competition card: 1
> 2
< Opponent's bid: 1
< Competition card: 7
> 7
< Opponent's bid: 8
< Competition card: 13
> 13
< Opponent's bid: 2
< Competition card: 4
> 1
< Opponent's bid: 13
< Competition card: 9
> 9
< Opponent's bid: 12
< Competition card: 2
> 3
< Opponent's bid: 4
< Competition card: 11
> 12
< Opponent's bid: 11
< Competition card: 5
> 4
< Opponent's bid: 5
< Competition card: 8
> 8
< Opponent's bid: 9
< Competition card: 3
> 5
< Opponent's bid: 10
< Competition card: 10
> 11
< Opponent's bid: 6
< Competition card: 6
> 6
< Opponent's bid: 7
"""


def test_a_whole_match_to_the_byte() -> None:
    """Thirteen rounds are thirty-nine lines, and the last is a reveal."""
    variant, bids = Gops(prizes=PRIZES), [*zip(FIRST, SECOND, strict=True)]
    assert conversation(variant, bids, 0) == SEEN_BY_THE_FIRST


def test_three_players_see_two_reveals_in_seat_order_after_their_own() -> None:
    """Seat 0 sees 1 and 2, seat 1 sees 2 and 0, seat 2 sees 0 and 1."""
    variant, bids = Gops(3, prizes="ascending"), [(1, 2, 3), (2, 3, 1), (3, 1, 2)]
    said = [conversation(variant, bids, seat).splitlines() for seat in range(3)]
    two, three, one = (f"< Opponent's bid: {card}" for card in (2, 3, 1))
    assert said[0][:4] == ["< Competition card: 1", "> 1", two, three]
    assert said[1][2:4] == said[2][-2:] == [three, one]


ACCEPTED = {"10": 10, " 10": 10, "10 \t": 10, "\t 10": 10, "010": 10, "0": 0, "14": 14}
ACCEPTED |= {"999999999": 999999999, "0" * 5000 + "7": 7}


@pytest.mark.parametrize(("line", "bid"), ACCEPTED.items())
def test_a_bid_is_digits_with_blanks_around(line: str, bid: int) -> None:
    """Digits are a number, whether there is such a card or not: that the options judge."""
    assert RubyQuiz116(0).read(QUESTION, line) == bid


REFUSED = ["", " ", "+3", "-3", "3.0", "3,", "٣", "３", "²", "10 10", "1_0", "0x1", "ten", "J"]
REFUSED += ["1\v", "1\r", "1\n", "\n1", "\xa01", "1\x00", "1e1", "> 10", "9" * 10, "9" * 5000]


@pytest.mark.parametrize("line", REFUSED)
def test_nothing_else_is_a_bid(line: str) -> None:
    """Signs, points, other scripts' digits, two numbers, and numbers beyond reason are refused."""
    with pytest.raises(MalformedLineError, match="a bid is a number"):
        RubyQuiz116(0).read(QUESTION, line)


def test_the_text_wire_is_what_programs_speak() -> None:
    """Programs speak the published lines unless they ask for JSON."""
    assert GAME.protocols == ("text", "json")
    assert isinstance(GAME.build_codec(None, 1), RubyQuiz116)


def test_events_that_it_has_no_line_for_are_left_out() -> None:
    """The protocol has no greeting and no other line."""
    assert [*RubyQuiz116(0).tell("news")] == []


def test_json_lines() -> None:
    """Prize, question and bids in JSON name all that they hold, and come back as they were."""
    json: Codec = GAME.build_codec("json", 0)
    assert [*json.tell(Prize(12))] == ['{"tell":"Prize","card":12}']
    assert [*json.tell(Bids((10, 3)))] == ['{"tell":"Bids","cards":[10,3]}']
    assert [*json.ask(Bid(OneOf((1, 2))))] == [
        '{"ask":"Bid","options":{"one_of":[1,2]},"default":null}'
    ]
    messages: list[Any] = [Prize(12), Bids((10, 3)), QUESTION]
    for message in messages:
        packed = GAME.vocabulary.pack(message)
        assert GAME.vocabulary.unpack(packed) == message
    assert GAME.vocabulary.unpack(GAME.vocabulary.pack(QUESTION)).options.draw(Random(1)) in range(
        1, 14
    )
