"""What a seat may not know, it is not sent: to the byte, on both wires."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from arena import Codec, Play, Seat
from arena.cards import Cards
from arena.rules import AddressedEvent
from arena_bs import GAME, Bs, BsPosition
from arena_bs.rules import BS, DECK, FIRST_CARD, PASS, ChooseCards, Declare, Player

pytestmark = pytest.mark.slow  # each law plays many games
WIRES = ["text", "json"]
SEATS = st.integers(2, 8)
SEEDS = st.integers(0, 2**32).map(str)


def lines(codec: Codec, seat: Seat, told: list[AddressedEvent]) -> list[str]:
    """Return what a seat is sent of this."""
    return [line for to, event in told if to in (None, seat) for line in codec.tell(event)]


def answer(play: Play, seat: Seat, random: Random) -> None:
    """Answer by the size of the hand and by chance, whichever the cards are."""
    question: Any = play.pending[seat]
    match question:
        case ChooseCards(options):
            play.answer(seat, options.cards[: random.randint(1, 3)])
        case Declare(options):
            play.answer(seat, options[random.random() < 0.1])
        case _:
            play.answer(seat, f"bot_{seat}")


def plays(seats: int, seed: str, order: str = "fair") -> Iterator[Play]:
    """Return a game, each time somebody is asked; nothing is left to be drained."""
    random = Random(seed)
    play = Play.deal(Bs(order, max_turns=40), seats, seed)
    while play.pending:
        play.drain()
        yield play
        answer(play, random.choice(list(play.pending)), random)


def positions(seats: int, seed: str) -> Iterator[BsPosition]:
    """Return the positions of a game."""
    number = 0
    for play in plays(seats, seed):
        if play.number > number and isinstance(play.position, BsPosition):
            number = play.number
            yield play.position


def until_asked(position: BsPosition, seat: Seat, codec: Codec, habits: str) -> list[str]:
    """Return all that a seat is sent up to its next answer."""
    play, random = Play(position, len(position.hands), "seed"), Random(habits)
    sent = lines(codec, seat, play.drain())
    while seat not in play.pending:
        answer(play, next(iter(play.pending)), random)
        sent += lines(codec, seat, play.drain())
    return [*sent, *codec.ask(play.pending[seat])]


@pytest.mark.parametrize("wire", WIRES)
@given(SEATS, SEEDS)
def test_no_seat_can_tell_another_position(wire: str, seats: int, seed: str) -> None:
    """What a seat is sent up to its next answer is the same, whatever it may not know."""
    differs = 0
    for position in positions(seats, seed):
        for seat in range(seats):
            other = position.resample_hidden(seat, Random(seed))
            differs += other != position
            codec = GAME.build_codec(wire, seat)
            here, there = (until_asked(start, seat, codec, seed) for start in (position, other))
            assert here == there
    assert differs


@given(SEATS, SEEDS)
def test_another_position_keeps_what_the_seat_knows(seats: int, seed: str) -> None:
    """Its hand, its own plays, how many cards are where, and at first who holds AH."""
    for position in positions(seats, seed):
        for seat in range(seats):
            other = position.resample_hidden(seat, Random(seed))
            assert other.hands[seat] == position.hands[seat]
            assert [laid for by, laid in other.pile if by == seat] == [
                laid for by, laid in position.pile if by == seat
            ]
            assert shape(other) == shape(position)
            assert position.turns or FIRST_CARD in other.hands[other.turn]


def shape(position: BsPosition) -> object:
    """Return a position with nothing but the number of cards in each place; all there are."""
    places = (*position.hands, *(laid for _, laid in position.pile))
    assert sorted(card for cards in places for card in cards) == sorted(DECK)
    hands = tuple(("?",) * len(hand) for hand in position.hands)
    pile = tuple((by, ("?",) * len(laid)) for by, laid in position.pile)
    return evolve(position, hands=hands, pile=pile)


PLAYERS = tuple(Player(seat, f"bot_{seat}", seat) for seat in range(3))


def small(turns: int) -> BsPosition:
    """Return a position that seat 0 looks at; it has laid the king."""
    pile = ((2, ("4C",)), (0, ("KC",)), (1, ("5C",)))
    hands: tuple[Cards, ...] = (("AS", "2S"), (FIRST_CARD, "3S"), ("4S",))
    return BsPosition(Bs(), PLAYERS, hands, 1, turns, pile)


def test_any_hidden_card_can_be_in_any_hidden_place() -> None:
    """What a seat does not know is mixed as a whole, the pile with the hands."""
    drawn = [small(turns=3).resample_hidden(0, Random(seed)) for seed in range(300)]
    hidden = {FIRST_CARD, "3S", "4S", "4C", "5C"}
    assert {position.hands[1][0] for position in drawn} == hidden
    assert {position.hands[2][0] for position in drawn} == hidden
    assert {position.pile[0][1][0] for position in drawn} == hidden


def test_the_holder_of_the_ace_of_hearts_is_known_at_the_first_turn() -> None:
    """Who begins holds it; later it may be anywhere."""
    for turns, places in ((0, {True}), (1, {True, False})):
        drawn = [small(turns).resample_hidden(0, Random(seed)) for seed in range(100)]
        assert {FIRST_CARD in position.hands[1] for position in drawn} == places
        assert len(set(drawn)) > 1


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("order", ["arrival", "fair"])
@given(SEATS, SEEDS)
def test_open_answers_are_not_told(wire: str, order: str, seats: int, seed: str) -> None:
    """While a seat is asked, what it is sent does not depend on what the others answer."""
    asks = [play.clone() for play in plays(seats, seed, order) if len(play.pending) > 1]
    for play in asks[::3]:
        last, *others = play.pending
        codec = GAME.build_codec(wire, last)
        sent = set()
        for word in (0, 1):
            twin = play.clone()
            for seat in others if word else others[::-1]:
                twin.answer(seat, word_of(twin.pending[seat], word))
            told = lines(codec, last, twin.drain())
            sent.add((*told, *codec.ask(twin.pending[last])))
        assert len(sent) == 1


def word_of(question: Any, number: int) -> str:
    """Return one of two words to answer with."""
    return str(question.options[number]) if isinstance(question, Declare) else f"bot_{number}"


def told_after(start: BsPosition, laid: Cards, caller: Seat | None, wire: str) -> list[list[str]]:
    """Lay cards that nobody calls; then one plays a true card, which may be called.

    Give what each seat was sent, up to the turn after that.
    """
    play = Play(start, 3, "seed")
    play.answer(0, laid)
    for seat in range(3):
        play.answer(seat, PASS)
    play.answer(1, ("2S",))
    for seat in (1, 0, 2):
        play.answer(seat, BS if seat == caller else PASS)
    told = play.drain()
    return [lines(GAME.build_codec(wire, seat), seat, told) for seat in range(3)]


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(("caller", "seeing"), [(None, {0}), (0, {0}), (2, {0, 2})])
def test_a_play_comes_to_light_for_who_takes_the_pile(
    wire: str, caller: Seat | None, seeing: set[Seat]
) -> None:
    """Which cards were laid is seen by who laid them and by who gets them, and by no other."""
    hands = (("AS", "AH", "KC", "QC"), ("2S", "3S"), ("4S", "5S"))
    start = BsPosition(Bs(), PLAYERS, hands, 0)
    first = told_after(start, ("AS", "AH"), caller, wire)
    other = told_after(start, ("QC", "KC"), caller, wire)
    assert {seat for seat in range(3) if first[seat] != other[seat]} == seeing


@pytest.mark.parametrize("wire", WIRES)
def test_a_play_comes_to_light_for_all_when_it_is_called(wire: str) -> None:
    """Two lies of as many cards look alike until somebody calls."""
    hands = (("AS", "AH", "KC", "QC"), ("2S", "3S"), ("4S", "5S"))
    sent: list[tuple[list[str], list[str]]] = []
    for laid in (("KC", "AS"), ("QC", "AH")):
        play = Play(BsPosition(Bs(), PLAYERS, hands, 0), 3, "seed")
        play.answer(0, laid)
        before = lines(GAME.build_codec(wire, 2), 2, play.drain())
        for seat, word in enumerate((PASS, BS, PASS)):
            play.answer(seat, word)
        sent.append((before, lines(GAME.build_codec(wire, 2), 2, play.drain())))
    (before, after), (other_before, other_after) = sent
    assert before == other_before
    assert after != other_after
