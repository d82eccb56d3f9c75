"""What a seat of Hearts may take for true, and what OpenSpiel itself gets wrong there."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from random import Random
from typing import Any

import pyspiel
import pytest

from arena import Play
from arena_hearts import Hearts as OurHearts
from arena_openspiel.bridges import SEATS, HeartsBridge
from arena_openspiel.comparison import Lockstep

LEFT = 1


def half_played(seed: int) -> Lockstep:
    variant = OurHearts(deals=1)
    random = Random(seed)
    lockstep = Lockstep(
        1, Play.deal(variant, SEATS, str(seed)), partial(HeartsBridge, variant, SEATS), random
    )
    lockstep._hear()
    for _ in range(random.randrange(1, 50)):
        lockstep._decide()
        lockstep._hear()
    return lockstep


def not_followed(state: Any) -> Iterator[tuple[int, str]]:
    """Return who is out of which suit by the tricks that were played."""
    for trick in state.to_struct().tricks:
        led = trick[0][1][1]
        yield from (("NESW".index(who), led) for who, card in trick if card[1] != led)


@pytest.mark.parametrize("seed", range(10))
def test_nobody_holds_a_suit_that_they_did_not_follow(seed: int) -> None:
    """In the worlds of the seat to move the others hold what they can, and as many cards."""
    lockstep = half_played(seed)
    (seat,) = lockstep.play.pending
    world = lockstep.seated[seat].world(Random(seed))
    hands = world.to_struct().hands
    out = {*not_followed(world)}
    assert out == {*not_followed(lockstep.state)}
    assert not out & {(who, card[1]) for who, hand in enumerate(hands) for card in hand}
    assert [*map(len, hands)] == [*map(len, lockstep.state.to_struct().hands)]


def test_worlds_differ_in_what_is_hidden() -> None:
    """The own hand is the same in all of them, and those of the others are not."""
    lockstep = half_played(1)
    (seat,) = lockstep.play.pending
    hands = [lockstep.seated[seat].world(Random(seed)).to_struct().hands for seed in range(5)]
    assert len({tuple(each[seat]) for each in hands}) == 1
    assert len({tuple(each[seat - 1]) for each in hands}) == 5


def passing(seed: int) -> Any:
    """Return OpenSpiel's state where the first player has passed to the left, and no other."""
    random = Random(seed)
    state = pyspiel.load_game("hearts").new_initial_state()
    state.apply_action(LEFT)
    while state.is_chance_node():
        state.apply_action(random.choice(state.legal_actions()))
    for _ in range(3):
        state.apply_action(random.choice(state.legal_actions()))
    return state


def test_openspiel_resamples_what_cannot_be() -> None:
    """In its worlds while cards are passed a seat has passed what it did not hold.

    So the bridge draws its own.
    """
    random = Random(1)
    worlds = [passing(seed).resample_from_infostate(1, random.random) for seed in range(20)]
    hands = [[*map(len, world.to_struct().hands)] for world in worlds]
    assert [*map(len, passing(1).to_struct().hands)] == [10, 13, 13, 13]
    assert sum(sizes != [10, 13, 13, 13] for sizes in hands) > 10


def test_ours_have_as_many_cards_while_cards_are_passed() -> None:
    """In each world of the second seat the first has passed three of its own cards."""
    variant = OurHearts()
    bridge = HeartsBridge(variant, SEATS, 1)
    for to, event in Play.deal(variant, SEATS, "1").drain():
        if to in (None, 1):
            bridge.hear(1, event)
    worlds = [bridge.world(Random(seed)).to_struct() for seed in range(20)]
    assert {tuple(map(len, world.hands)) for world in worlds} == {(10, 13, 13, 13)}
    assert len({tuple(world.passed_cards[0]) for world in worlds}) > 10


def test_openspiel_shows_a_seat_too_early_what_it_is_passed() -> None:
    """Its observation struct has the cards before the seat has passed; its text has not."""
    state = passing(1)
    assert len(state.to_observation_struct(1).received_cards[1]) == 3
    assert "Received" not in state.information_state_string(1)


def test_our_seat_is_not_told_what_it_is_passed_before_it_has_passed() -> None:
    """All are asked at once, and only then is anybody told."""
    variant = OurHearts()
    play = Play.deal(variant, SEATS, "1")
    told = play.drain()
    for seat in range(SEATS - 1):
        play.answer(seat, play.pending[seat].options.draw(Random(seat)))
        assert play.drain() == []
    assert "Received" not in {type(event).__name__ for _, event in told}
