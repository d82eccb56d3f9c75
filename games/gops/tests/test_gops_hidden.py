"""Hidden information: what a seat is sent does not depend on what it may not know."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from arena import Codec, Greeting, OneOf, Play
from arena_gops import GAME, Gops, GopsPosition

VARIANTS = [
    (Gops(), 2),
    (Gops(5, "split"), 3),
    (Gops(6, "carry"), 2),
    (Gops(20, "carry"), 4),
]
KNOWN = [Gops(5, prizes="ascending"), Gops(5, prizes="descending"), Gops(3, prizes=(9, 1, 1))]


def positions(variant: Gops, seats: int) -> Iterator[GopsPosition]:
    """Return every position of a few games of chance, except for the last."""
    for seed in range(8):
        play, random = Play.deal(variant, seats, f"{seed}"), Random(seed)
        while play.pending:
            assert isinstance(play.position, GopsPosition)
            yield play.position
            for seat, question in [*play.pending.items()]:
                play.answer(seat, question.options.draw(random))


def codecs(variant: Gops, seat: int, seats: int) -> list[Codec]:
    """Return all that a seat may be sent lines by: wires, and a narrator."""
    narrator = GAME.build_narrator(seat, [f"player {number}" for number in range(seats)])
    narrator.tell(Greeting("gops", seat, seats, variant, ""))
    return [*[GAME.build_codec(protocol, seat) for protocol in GAME.protocols], narrator]


def lines_to(play: Play, seat: int, codec: Codec) -> list[str]:
    """Return the lines that have become due for this seat, its question included."""
    told = [event for to, event in play.drain() if to in (None, seat)]
    lines = [line for event in told for line in codec.tell(event)]
    return [*lines, *codec.ask(play.pending[seat])] if seat in play.pending else lines


@pytest.mark.parametrize(("variant", "seats"), VARIANTS, ids=str)
def test_another_position_differs_in_what_is_face_down_alone(variant: Gops, seats: int) -> None:
    """Hands, points and the next prize are known to all; the rest is the same prizes."""
    orders = set()
    for position in positions(variant, seats):
        other = position.resample_hidden(1, Random("other"))
        orders.add((position.prizes == other.prizes, len(position.prizes) < 3))
        assert (other.hands, other.scores) == (position.hands, position.scores)
        assert (other.carried, other.variant) == (position.carried, position.variant)
        assert other.prizes[0] == position.prizes[0]
        assert sorted(other.prizes) == sorted(position.prizes)
    assert (False, False) in orders
    assert (True, True) in orders


@pytest.mark.parametrize("variant", KNOWN, ids=str)
def test_nothing_is_hidden_where_the_order_is_known(variant: Gops) -> None:
    """Prizes in order, or from a list, are known to all: there is no other position."""
    for position in positions(variant, 2):
        assert position.resample_hidden(0, Random("other")) == position


def test_every_order_of_what_is_face_down_comes_up() -> None:
    """Three hidden prizes can lie in six ways, and another position may be any of them."""
    hand = OneOf(range(1, 5))
    position = GopsPosition(Gops(4), (hand, hand), (2, 1, 3, 4), (0, 0))
    seen = {position.resample_hidden(0, Random(f"{seed}")).prizes for seed in range(200)}
    assert len(seen) == 6


def answered(position: GopsPosition, bids: dict[int, int]) -> Play:
    """Return a play in which these bids are in."""
    play = Play(position, len(position.hands), "seed")
    for seat, card in bids.items():
        play.answer(seat, card)
    return play


@pytest.mark.parametrize(("variant", "seats"), VARIANTS, ids=str)
def test_sealed_bids_are_sealed(variant: Gops, seats: int) -> None:
    """Before all bids are in, nobody is sent anything that depends on those that are."""
    for position in positions(variant, seats):
        for seat in range(seats):
            others = [other for other in range(seats) if other != seat]
            lowest = {other: min(position.hands[other]) for other in others}
            highest = {other: max(position.hands[other]) for other in others}
            here, there = (codecs(variant, seat, seats) for _ in range(2))
            for codec, twin in zip(here, there, strict=True):
                before = lines_to(answered(position, lowest), seat, codec)
                assert before == lines_to(answered(position, highest), seat, twin)


@pytest.mark.parametrize(("variant", "seats"), VARIANTS, ids=str)
def test_bids_are_shown_when_all_are_in(variant: Gops, seats: int) -> None:
    """After its own bid, a seat sees what the others bid: other bids, other lines."""
    for position in positions(variant, seats):
        if len(position.prizes) == 1:
            continue  # there is but one card left to bid
        first = {seat: hand[0] for seat, hand in enumerate(position.hands)}
        other = {**first, 1: position.hands[1][1]}
        here, there = (codecs(variant, 0, seats) for _ in range(2))
        for codec, twin in zip(here, there, strict=True):
            shown = lines_to(answered(position, first), 0, codec)
            assert shown != lines_to(answered(position, other), 0, twin)


def test_the_seed_of_the_deal_is_in_nothing_that_is_sent() -> None:
    """Lines of a whole game never hold the deal's seed, from which all prizes would follow."""
    seed = "0123456789abcdef"
    play, random = Play.deal(Gops(), 2, seed), Random(1)
    sent: list[Any] = []
    while play.pending:
        sent += lines_to(play, 0, GAME.build_codec("json", 0))
        for seat, question in [*play.pending.items()]:
            play.answer(seat, question.options.draw(random))
    assert len(sent) == 39 - 1  # thirteen prizes and questions, twelve reveals before them
    assert not any(seed in line for line in sent)
