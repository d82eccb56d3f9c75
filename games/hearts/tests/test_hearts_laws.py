"""What holds in every game of Hearts, whoever plays."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from arena import Play
from arena.cards import suit_of
from arena_hearts import Hearts, HeartsPosition
from arena_hearts.rules import (
    ALL_POINTS,
    CARD_ORDER,
    CARD_POINTS,
    QUEEN,
    Played,
    Scored,
    Taken,
    build_pack,
)

SEATS = st.integers(3, 5)
SEEDS = st.integers(0, 2**32).map(str)
VARIANTS = st.builds(
    Hearts,
    limit=st.integers(1, 60),
    deals=st.integers(1, 4),
    passing=st.booleans(),
    moon=st.sampled_from(["others", "self"]),
    queen_breaks=st.booleans(),
)


def played(variant: Hearts, seats: int, seed: str) -> Iterator[Play]:
    """Play at random; return the play each time that a round begins, and when it is over."""
    random, play, number = Random(seed), Play.deal(variant, seats, seed), 0
    while play.pending:
        if play.number > number:
            number = play.number
            yield play
        seat = random.choice([*play.pending])
        play.answer(seat, play.pending[seat].options.draw(random))
    yield play


def position(play: Play) -> HeartsPosition:
    assert isinstance(play.position, HeartsPosition)
    return play.position


@given(VARIANTS, SEATS, SEEDS)
def test_no_card_is_lost(variant: Hearts, seats: int, seed: str) -> None:
    """Each is in one hand or was played in this deal, and hands are in order."""
    gone: list[str] = []
    for play in played(variant, seats, seed):
        for to, event in play.drain():
            if isinstance(event, Played) and to is None:
                gone.append(event.card)
            elif isinstance(event, Scored):
                assert sorted(gone) == sorted(build_pack(seats))
                gone = []
        hands = position(play).hands
        assert all(list(hand) == sorted(hand, key=CARD_ORDER.__getitem__) for hand in hands)
        if not play.over:
            opened = [card for hand in hands for card in hand]
            assert sorted(opened + gone[: len(build_pack(seats)) - len(opened)]) == sorted(
                build_pack(seats)
            )


@given(VARIANTS, SEATS, SEEDS)
def test_all_points_are_taken(variant: Hearts, seats: int, seed: str) -> None:
    """26 in each deal, which become 26 for each but one, or 26 less, if one took them all."""
    taken = 0
    for play in played(variant, seats, seed):
        for _, event in play.drain():
            if isinstance(event, Taken):
                taken += event.points
            elif isinstance(event, Scored):
                assert taken == ALL_POINTS
                moon = ALL_POINTS * (seats - 1) if variant.moon == "others" else -ALL_POINTS
                assert sum(event.deal) in (ALL_POINTS, moon)
                taken = 0


@given(VARIANTS, SEATS, SEEDS)
def test_it_ends_as_soon_as_it_may(variant: Hearts, seats: int, seed: str) -> None:
    """Somebody has the limit, or it was the last deal; never before."""
    scored: list[Scored] = []
    for play in played(variant, seats, seed):
        scored += [event for _, event in play.drain() if isinstance(event, Scored)]
    ended = [max(event.points) >= variant.limit for event in scored]
    assert not any(ended[:-1])
    assert ended[-1] or len(scored) == variant.deals
    assert play.scores == tuple(-points for points in scored[-1].points)


@given(VARIANTS, SEATS, SEEDS)
def test_another_position_keeps_what_the_seat_knows(variant: Hearts, seats: int, seed: str) -> None:
    """Its hand, how many cards each has, all points; and who leads with the lowest club."""
    for play in played(variant, seats, seed):
        before = position(play)
        for seat in range(seats):
            other = before.resample_hidden(seat, Random(seed))
            assert other.hands[seat] == before.hands[seat]
            assert [*map(len, other.hands)] == [*map(len, before.hands)]
            assert sorted(sum(other.hands, ())) == sorted(sum(before.hands, ()))
            assert other.scores == before.scores
            if not play.over and (before.leader is not None or before.direction == "hold"):
                assert not before.is_first_trick or other.first_leader == before.first_leader


@given(VARIANTS, SEATS, SEEDS)
def test_tricks_follow_the_rules(variant: Hearts, seats: int, seed: str) -> None:
    """Told from what all see: who had a suit has followed it, and hearts were led late."""
    tricks: list[list[Played]] = []
    for play in played(variant, seats, seed):
        for _, event in play.drain():
            if isinstance(event, Played):
                tricks[-1:] = [[*(tricks[-1:] or [[]])[-1], event]]
            elif isinstance(event, Taken):
                tricks.append([])
            elif isinstance(event, Scored):
                see_deal([trick for trick in tricks if trick], variant)
                tricks = []


def see_deal(tricks: list[list[Played]], variant: Hearts) -> None:
    """See that a deal was played by the rules."""
    hands = {play.seat: [trick_of(trick, play.seat) for trick in tricks] for play in tricks[0]}
    broken = False
    for number, trick in enumerate(tricks):
        led = suit_of(trick[0].card)
        for play in trick:
            rest = hands[play.seat][number:]
            assert suit_of(play.card) == led or led not in map(suit_of, rest)
            if number == 0 and play.card in CARD_POINTS:
                assert all(card in CARD_POINTS for card in rest)
        rest = hands[trick[0].seat][number:]
        assert led != "H" or broken or {*map(suit_of, rest)} == {"H"}
        thrown = {play.card for play in trick}
        broken |= "H" in map(suit_of, thrown) or (variant.queen_breaks and QUEEN in thrown)
    assert tricks[0][0].card == build_pack(len(hands))[0]


def trick_of(trick: list[Played], seat: int) -> str:
    return next(play.card for play in trick if play.seat == seat)
