"""The rules as laws: what is conserved, what adds up, who gets a prize, and what all know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations
from random import Random
from typing import Any

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from arena import IllegalAnswerError, OneOf, Play, Score
from arena_gops import GAME, Bids, Gops, GopsPosition, Prize, Scoreboard
from arena_gops.rules import ORDERS, TIES, Hand, award_prize


@frozen
class Record:
    """A game that was played to its end by drawing from the options."""

    play: Play
    positions: tuple[GopsPosition, ...]  # between the rounds, the last one included
    bids: tuple[tuple[int, ...], ...]
    told: tuple[Any, ...]


def record(variant: Gops, seats: int, seed: str) -> Record:
    play, random = Play.deal(variant, seats, seed), Random(seed)
    positions: list[Any] = [play.position]
    bids, told = [], []
    while play.pending:
        drawn = {seat: play.pending[seat].options.draw(random) for seat in range(seats)}
        for seat in random.sample(range(seats), seats):
            play.answer(seat, drawn[seat])
        bids.append(tuple(drawn.values()))
        positions.append(play.position)
        told += play.drain()
    return Record(play, tuple(positions), tuple(bids), tuple(told))


@st.composite
def variants(draw: st.DrawFn) -> Gops:
    cards = draw(st.integers(1, 8))
    values = st.lists(st.integers(1, 12), min_size=cards, max_size=cards).map(tuple)
    ties, prizes = st.sampled_from(TIES), st.sampled_from(ORDERS) | values
    return Gops(cards, draw(ties), draw(prizes))


records = st.builds(record, variants(), st.integers(2, 4), st.text("ab", max_size=4))


@given(records)
def test_hands_lose_exactly_what_is_bid(game: Record) -> None:
    """Every hand is 1 to N at first, loses its bid each round, and is empty at the end."""
    variant = game.positions[0].variant
    assert game.positions[0].hands == ((*range(1, variant.cards + 1),),) * game.play.seats
    for before, bids, after in zip(game.positions, game.bids, game.positions[1:], strict=False):
        for hand, bid, left in zip(before.hands, bids, after.hands, strict=True):
            assert Counter(hand) - Counter([bid]) == Counter(left)
            assert bid in hand
    assert game.positions[-1].over
    assert not any(game.positions[-1].hands)


@given(records)
def test_all_are_told_each_prize_and_then_the_bids(game: Record) -> None:
    """A prize and the bids for it are announced in turn, and nothing else ever is."""
    prizes = game.positions[0].prizes
    pairs = zip(prizes, game.bids, strict=True)
    expected = [event for prize, bids in pairs for event in (Prize(prize), Bids(bids))]
    assert game.told == tuple((None, event) for event in expected)


@given(records)
def test_prizes_come_as_the_variant_says(game: Record) -> None:
    """Prizes are 1 to N in any order, or in the order asked for, or the list."""
    variant, prizes = game.positions[0].variant, game.positions[0].prizes
    suit = tuple(range(1, variant.cards + 1))
    if variant.prizes == "shuffled":
        assert tuple(sorted(prizes)) == suit
    else:
        orders: dict[Any, tuple[int, ...]] = {"ascending": suit, "descending": suit[::-1]}
        assert prizes == orders.get(variant.prizes, variant.prizes)
    assert variant.values == tuple(sorted(prizes))


@given(records)
def test_points_add_up(game: Record) -> None:
    """Points never exceed the prizes turned up, and what is missing went as ties go."""
    turned, contested = 0, 0
    for at, bids in enumerate(game.bids):
        position, prize = game.positions[at + 1], game.positions[0].prizes[at]
        turned += prize
        contested += prize * (bids.count(max(bids)) > 1)
        total = sum(position.scores)
        assert all(score >= 0 for score in position.scores)
        missing = {"discard": contested, "split": 0, "carry": position.carried}
        assert total + missing[position.variant.ties] == turned


@given(records)
def test_what_may_be_bid_is_the_hand(game: Record) -> None:
    """In every position each seat is asked for a card of its hand, and no other is taken."""
    for position in game.positions[:-1]:
        play = Play(position, game.play.seats, "seed")
        for seat, hand in enumerate(position.hands):
            assert play.pending[seat].options == hand
            gone = {*range(position.variant.cards + 2)} - {*hand}
            strange: list[object] = [*gone, True, 1.0, "1", None, (1,)]
            for answer in strange:
                with pytest.raises(IllegalAnswerError):
                    play.answer(seat, answer)


bids_of_some = st.lists(st.integers(1, 4), min_size=2, max_size=5)


@given(st.sampled_from(TIES), st.integers(1, 30), bids_of_some, st.data())
def test_no_seat_is_favoured(ties: str, stake: int, bids: list[int], data: st.DataObject) -> None:
    """Seats that change places change their points with them."""
    scores = tuple(range(len(bids)))
    order = data.draw(st.permutations(range(len(bids))))
    after, carried = award_prize(ties, stake, scores, tuple(bids))
    moved = award_prize(ties, stake, tuple(order), tuple(bids[seat] for seat in order))
    assert moved == (tuple(after[seat] for seat in order), carried)


EXAMPLES: dict[str, tuple[str, tuple[int, ...], tuple[Any, ...], int]] = {
    "the highest takes it": ("discard", (3, 5), (10, 32), 0),
    "whatever ties below": ("discard", (2, 2, 5), (10, 20, 42), 0),
    "discard: nobody gets it": ("discard", (5, 5), (10, 20), 0),
    "discard: the third neither": ("discard", (5, 1, 5), (10, 20, 30), 0),
    "split: both get half": ("split", (5, 5), (16, 26), 0),
    "split: not the third": ("split", (5, 1, 5), (16, 20, 36), 0),
    "split: three get a third": ("split", (5, 5, 5), (14, 24, 34), 0),
    "carry: it waits": ("carry", (5, 5), (10, 20), 12),
    "carry: somebody takes all": ("carry", (5, 4), (22, 20), 0),
}


@pytest.mark.parametrize(("ties", "bids", "scores", "carried"), EXAMPLES.values(), ids=EXAMPLES)
def test_award(ties: str, bids: tuple[int, ...], scores: tuple[int, ...], carried: int) -> None:
    """Twelve points go as the tie rule says, on top of what the seats had."""
    assert award_prize(ties, 12, (10, 20, 30)[: len(bids)], bids) == (scores, carried)


def test_halves_are_exact() -> None:
    """A prize of 7 shared by two gives seven halves each, and no rounding."""
    scores, _ = award_prize("split", 7, (0, 0, 0), (4, 4, 1))
    assert scores == (Fraction(7, 2), Fraction(7, 2), 0)


def play_out(variant: Gops, *rounds: tuple[int, ...]) -> GopsPosition:
    play: Play = Play.deal(variant, len(rounds[0]), "seed")
    for bids in rounds:
        for seat, card in enumerate(bids):
            play.answer(seat, card)
    assert isinstance(play.position, GopsPosition)
    return play.position


def test_carried_prizes_pile_up_until_somebody_wins() -> None:
    """Two tied prizes wait, and the third round's winner takes all three."""
    variant = Gops(4, "carry", prizes=(4, 2, 1, 3))
    tied = play_out(variant, (1, 1), (2, 2))
    assert (tied.scores, tied.carried) == ((0, 0), 6)
    won = play_out(variant, (1, 1), (2, 2), (3, 4))
    assert (won.scores, won.carried) == ((0, 7), 0)


def test_what_is_carried_past_the_last_round_is_lost() -> None:
    """A tie in the last round leaves the points with nobody."""
    end = play_out(Gops(2, "carry", prizes="descending"), (1, 1), (2, 2))
    assert end.over
    assert end.scores == (0, 0)


def test_every_order_of_the_prizes_is_as_likely() -> None:
    """Over 1200 seeds each of the six orders of three prizes comes up about 200 times."""
    deals: list[Any] = [Play.deal(Gops(3), 2, str(seed)).position for seed in range(1200)]
    seen = Counter(deal.prizes for deal in deals)
    assert {*seen} == {*permutations((1, 2, 3))}
    assert all(abs(count - 200) < 65 for count in seen.values())  # five standard deviations


def test_a_position_can_be_built_from_plain_tuples() -> None:
    """Hands written as tuples judge answers as dealt hands do, and leave the same behind."""
    plain: Any = (7, 8, 9)
    hands: tuple[Hand, ...] = (plain, plain)
    play = Play(GopsPosition(Gops(9), hands, (5, 6, 7), (0, 0)), 2, "seed")
    with pytest.raises(IllegalAnswerError):
        play.answer(0, 1)
    assert [play.answer(0, 7), play.answer(1, 9)] == [7, 9]
    left = OneOf((8, 9)), OneOf((7, 8))
    assert play.position == GopsPosition(Gops(9), left, (6, 7), (0, 5))


def test_two_to_ten_may_play() -> None:
    """The game is for two players and more, as many as a screen can tell apart."""
    assert (min(GAME.seats), max(GAME.seats)) == (2, 10)


WRONG: list[dict[str, Any]] = [
    {"cards": 0},
    {"cards": 1001},
    {"ties": "share"},
    {"prizes": "random"},
    {"cards": 3, "prizes": (1, 2)},
    {"cards": 3, "prizes": (0, 1, 2)},
    {"cards": 2, "prizes": (True, 2)},
    {"cards": 2, "prizes": (1.0, 2)},
]


@pytest.mark.parametrize("options", WRONG, ids=str)
def test_a_variant_that_cannot_be_is_refused(options: dict[str, Any]) -> None:
    """Parameters out of range raise ValueError, from Python as from outside."""
    with pytest.raises(ValueError, match=r"cards|ties|prizes"):
        Gops(**options)
    with pytest.raises(ValueError, match=r"cards|ties|prizes"):
        GAME.read_variant(options)


VARIANTS = [(Gops(), 2), (Gops(5, "split"), 3), (Gops(6, "carry"), 2), (Gops(20, "carry"), 4)]
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


BOARD_VARIANTS = [Gops(cards, ties) for cards in (1, 6) for ties in TIES]
BOARD_VARIANTS += [Gops(4, "carry", prizes=(7, 7, 1, 20)), Gops(5, "split", prizes="descending")]


def agree(board: Scoreboard, position: Any) -> None:
    """Compare all that both know, a round having just been played."""
    assert board.hands == position.hands
    assert board.scores == position.scores
    assert board.carried == position.carried
    assert board.face_down == tuple(sorted(position.prizes))
    assert board.over == position.over


def rising(before: Sequence[Score], after: Sequence[Score]) -> list[int]:
    return [seat for seat, score in enumerate(after) if score != before[seat]]


@pytest.mark.parametrize("variant", BOARD_VARIANTS, ids=str)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_it_agrees_with_the_position(variant: Gops, seats: int) -> None:
    """After every round of games of chance it has the position's hands, scores and prizes."""
    for seed in range(20):
        play, random = Play.deal(variant, seats, f"{seed}"), Random(seed)
        board = Scoreboard(variant, seats)
        number = 0
        board.hear(play.drain()[0][1])
        while play.pending:
            position: Any = play.position
            number += 1
            assert (board.round, board.prize) == (number, position.prizes[0])
            assert board.stake == position.prizes[0] + position.carried
            for seat in range(seats):
                play.answer(seat, random.choice(position.hands[seat]))
            bids, *prize = [event for _, event in play.drain()]
            board.hear(bids)
            agree(board, play.position)
            assert [*board.takers] == rising(position.scores, play.scores)
            for event in prize:
                board.hear(event)


def test_a_round_in_small() -> None:
    """A prize goes up, bids come, and the board says who took it and what is left."""
    board = Scoreboard(Gops(3, "carry"), 2)
    assert (board.round, board.face_down, board.over) == (0, (1, 2, 3), False)
    board.hear(Prize(3))
    assert (board.round, board.prize, board.face_down, board.bids) == (1, 3, (1, 2), [])
    board.hear(Bids((2, 2)))
    assert (board.takers, board.scores, board.carried) == ((), (0, 0), 3)
    board.hear(Prize(1))
    assert board.stake == 4
    board.hear(Bids((1, 3)))
    assert (board.takers, board.scores, board.carried) == ((1,), (0, 4), 0)
    assert board.hands == ((3,), (1,))
    assert (board.prizes, board.bids) == ([3, 1], [(2, 2), (1, 3)])


def test_whatever_else_is_told_does_not_matter() -> None:
    """Events of no game leave the board as it was."""
    board, untouched = (Scoreboard(Gops(3), 2) for _ in range(2))
    board.hear("news")
    board.hear(None)
    assert board == untouched
