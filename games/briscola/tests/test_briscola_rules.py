"""The rules of Briscola, in hand-built positions and in whole games."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, cast

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from arena import Play, Seat
from arena.cards import sort_cards
from arena_briscola import GAME, Briscola, BriscolaPosition
from arena_briscola.rules import FULL_PACK, build_pack, count_points, find_taker

SEATS = st.integers(2, 4)
SEEDS = st.integers(0, 2**32).map(str)


def position(hands: str, stock: str, trump: str, leader: Seat = 0) -> BriscolaPosition:
    held = tuple(tuple(hand.split()) for hand in hands.split("/"))
    cards = tuple(stock.split())
    return BriscolaPosition(Briscola(), held, cards, trump, leader, (0,) * len(held))


def after(before: BriscolaPosition, cards: str) -> BriscolaPosition:
    play = Play(before, len(before.hands), "seed")
    for card in cards.split():
        (seat,) = play.pending
        play.answer(seat, card)
    return cast("BriscolaPosition", play.position)


def positions(seats: int, seed: str, deals: int = 1) -> Iterator[BriscolaPosition]:
    """Return each position between two tricks of a game played at random."""
    random, number = Random(seed), 0
    play = Play.deal(Briscola(deals), seats, seed)
    while True:
        if play.number > number:
            number = play.number
            yield cast("BriscolaPosition", play.position)
        if play.over:
            return
        for seat, question in [*play.pending.items()]:
            play.answer(seat, question.options.draw(random))


TRICKS = {
    "2C AC 3C": 1,  # the ace is above the three
    "KC 3C QC": 1,  # and the three above the king
    "7C JC 6C": 1,
    "2C AD AB": 0,  # other suits take nothing
    "AC 2S KC": 1,  # the lowest trump takes the highest card
    "2S 4S AC": 1,
    "4B 2B 5B 6B": 3,
}


@pytest.mark.parametrize(("trick", "taker"), TRICKS.items())
def test_the_highest_trump_takes_or_the_highest_of_the_suit_led(trick: str, taker: int) -> None:
    """With swords as trumps these tricks go to these cards."""
    assert find_taker(tuple(trick.split()), "7S") == taker


def test_the_pack_counts_120() -> None:
    """Each suit has 11, 10, 4, 3 and 2 points; the two that three leave out counts nothing."""
    assert len(FULL_PACK) == 40
    assert count_points(FULL_PACK) == count_points(build_pack(3)) == 120
    assert {*FULL_PACK} - {*build_pack(3)} == {"2C"}
    assert build_pack(2) == build_pack(4) == FULL_PACK


@pytest.mark.parametrize(("seats", "stock"), [(2, 34), (3, 30), (4, 28)])
def test_three_cards_each_and_the_trump_under_the_stock(seats: int, stock: int) -> None:
    """The first seat leads; all cards are somewhere, each once."""
    dealt = next(positions(seats, "seed"))
    assert [len(hand) for hand in dealt.hands] == [3] * seats
    assert len(dealt.stock) == stock
    assert dealt.stock[-1] == dealt.trump
    assert dealt.leader == 0
    assert sort_cards(
        [*dealt.stock, *(card for hand in dealt.hands for card in hand)], FULL_PACK
    ) == build_pack(seats)


def test_who_takes_the_trick_draws_first_and_leads() -> None:
    """The others draw in order; cards are held in the order of the pack."""
    before = position("2C 4D KS/3C 7B JB/AC 5B 6D", "2D QB 6C 7S 4S 5S", "5S")
    left = after(before, "2C 3C AC")
    assert left.leader == 2
    assert left.hands == (("4D", "KS", "QB"), ("6C", "7B", "JB"), ("2D", "6D", "5B"))
    assert left.stock == ("7S", "4S", "5S")
    assert left.scores == (0, 0, 21)


def test_no_suit_need_be_followed() -> None:
    """Who follows may play anything from the hand, and nothing else."""
    play = Play(position("AC 2D/2C 7D 4B", "", "5S"), 2, "seed")
    play.answer(0, "AC")
    question: Any = play.pending[1]
    assert question.options == ("2C", "7D", "4B")


def test_the_loser_of_the_last_draw_gets_the_card_turned_up() -> None:
    """With two cards left the taker draws the unknown one."""
    left = after(position("AC 2D 4D/2C 7D 4B", "6B 5S", "5S"), "AC 2C")
    assert left.hands == (("2D", "4D", "6B"), ("7D", "5S", "4B"))
    assert left.stock == ()


def test_without_a_stock_hands_are_played_out() -> None:
    """Nobody draws, and the last trick ends the deal."""
    left = after(position("2D KD/7D 4B", "", "5S"), "2D 7D")
    assert left.hands == (("KD",), ("4B",))
    assert not left.over
    last = after(left, "4B KD")
    assert last.over
    assert last.scores == (0, 4)


def test_four_play_in_pairs() -> None:
    """Partners sit across, and both have what they took together."""
    left = after(position("2D AB/4D 6S/AD 2C/KD 7C", "", "5S"), "2D 4D AD KD")
    assert left.scores == (15, 0, 15, 0)
    assert after(left, "2C 7C AB 6S").scores == (15, 11, 15, 11)


def test_the_next_deal_is_led_by_the_next_seat() -> None:
    """Points are added up over the deals."""
    games = [*positions(3, "seed", deals=4)]
    first = [game for game in games if len(game.stock) == 30]
    assert [game.leader for game in first] == [0, 1, 2, 0]
    assert [sum(game.scores) for game in first] == [0, 120, 240, 360]
    assert len({game.hands for game in first}) == 4
    assert sum(games[-1].scores) == 480
    assert games[-1].over


@given(SEATS, SEEDS)
def test_cards_and_points_are_conserved(seats: int, seed: str) -> None:
    """What is held, in the stock and taken is always the whole pack, 120 points of it."""
    for now in positions(seats, seed):
        cards = [*now.stock, *(card for hand in now.hands for card in hand)]
        assert len(cards) == len({*cards})
        assert sum(now.taken) + count_points(cards) == 120
        assert all(hand == sort_cards(hand, FULL_PACK) for hand in now.hands)


@given(SEATS, SEEDS)
def test_another_position_keeps_what_a_seat_knows(seats: int, seed: str) -> None:
    """Its hand, how many cards are where, and where the card turned up is."""
    for now in positions(seats, seed):
        for seat in range(seats):
            other = now.resample_hidden(seat, Random(seed))
            assert other.hands[seat] == now.hands[seat]
            assert place_of(now.trump, other) == place_of(now.trump, now)
            assert [*map(len, other.hands), len(other.stock)] == [
                *map(len, now.hands),
                len(now.stock),
            ]
            assert cards_of(other) == cards_of(now)
            assert evolve(other, hands=now.hands, stock=now.stock) == now


def place_of(card: str, now: BriscolaPosition) -> list[int]:
    return [at for at, pile in enumerate((*now.hands, now.stock)) if card in pile]


def cards_of(now: BriscolaPosition) -> tuple[str, ...]:
    return sort_cards([*now.stock, *(card for hand in now.hands for card in hand)], FULL_PACK)


def test_any_hidden_card_can_be_in_any_hidden_place() -> None:
    """The other hand and the stock are mixed as one."""
    before = position("2C 4D KS/3C 7B JB", "2D QB 5S", "5S")
    drawn = [before.resample_hidden(0, Random(seed)) for seed in range(200)]
    hidden = {"3C", "7B", "JB", "2D", "QB"}
    assert {card for other in drawn for card in other.hands[1]} == hidden
    assert {other.stock[0] for other in drawn} == hidden
    assert {other.stock[-1] for other in drawn} == {"5S"}


def test_who_drew_the_card_turned_up_keeps_it() -> None:
    """All saw it; the other cards of three hands may be anywhere."""
    before = position("2C 4D/3C 5S/7B JB", "", "5S")
    drawn = [before.resample_hidden(0, Random(seed)) for seed in range(50)]
    assert {other.hands[1] for other in drawn} == {
        sort_cards([card, "5S"], FULL_PACK) for card in ("3C", "7B", "JB")
    }


def test_the_last_hand_of_two_is_no_secret() -> None:
    """When the stock is gone the other holds all that is not seen."""
    before = position("2C 4D/3C 5S", "", "5S")
    assert before.resample_hidden(0, Random(1)) == before


@pytest.mark.parametrize("deals", [0, 101])
def test_one_to_a_hundred_deals(deals: int) -> None:
    """A match has an end."""
    with pytest.raises(ValueError, match="deals"):
        GAME.read_variant({"deals": deals})
