"""Figures: the generic ones, and those of GOPS and Kuhn poker."""

from __future__ import annotations

import doctest
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
from attrs import evolve

import arena_gops.wire
import arena_pettingzoo.encodings
from arena import Greeting, ObservationEncoder
from arena_gops import GAME, Bids, Gops, Prize
from arena_kuhn import GAME as KUHN
from arena_kuhn import Acted, Card, Kuhn, Showdown
from arena_pettingzoo import encodings

HELLO = Greeting("kuhn", 0, 2, Kuhn(), "")
HASHED = partial(encodings.DefaultObservationEncoder, KUHN)


def encode(
    make: Callable[[Greeting], ObservationEncoder] | None, events: Sequence[Any]
) -> Sequence[float]:
    """Return the figures of a seat that was told this, the greeting first."""
    assert make
    greeting, *told = events
    encoder = make(greeting)
    for event in told:
        encoder.tell(event)
    return encoder.observation()


@pytest.mark.parametrize("module", [arena_gops.wire, arena_pettingzoo.encodings, encodings])
def test_examples_hold(module: Any) -> None:
    """Those in docstrings give what they say."""
    assert doctest.testmod(module) == (0, doctest.testmod(module).attempted)
    assert doctest.testmod(module).attempted


def test_facts_are_remembered_the_less_the_older() -> None:
    """The latest event counts 1, the one before 1/2, and so on."""
    figures = encode(HASHED, [HELLO, Card(3), Acted(0, bets=True)])
    by = {
        fact: figures[encodings.hash_fact(fact)]
        for fact in ("Greeting.seat=0", "Card.rank=3", "Acted.bets=true")
    }
    assert by == {"Greeting.seat=0": 1 / 3, "Card.rank=3": 1 / 2, "Acted.bets=true": 1.0}


def test_what_was_told_differs_in_the_figures() -> None:
    """Cards, bets, seats and the order of events can be told apart."""
    told: list[list[Any]] = [
        [HELLO],
        [evolve(HELLO, seat=1)],
        [HELLO, Card(1)],
        [HELLO, Card(2)],
        [HELLO, Card(1), Acted(0, bets=True)],
        [HELLO, Acted(0, bets=True), Card(1)],
        [HELLO, Card(1), Acted(1, bets=True)],
        [HELLO, Card(1), Showdown((1, 2))],
    ]
    assert len({tuple(encode(HASHED, events)) for events in told}) == len(told)


def test_a_bots_own_seed_is_not_in_the_figures() -> None:
    """In a match it is another one than in an environment."""
    assert encode(HASHED, [evolve(HELLO, seed="7")]) == encode(HASHED, [HELLO])


def test_the_generic_figures_are_always_as_many() -> None:
    """From 0 to 1, however much was told."""
    figures = encode(HASHED, [HELLO, *[Acted(0, bets=True)] * 1000])
    assert len(figures) == encodings.PLACES
    assert all(0 <= figure <= 1 for figure in figures)


def test_kuhn_poker_in_figures() -> None:
    """The seat, the own card, the other card, and up to three times whether somebody bet."""
    events = [evolve(HELLO, seat=1), Card(2), Acted(0, bets=False), Acted(1, bets=True)]
    assert encode(KUHN.learning.encoder, events) == [1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0]
    events += [Acted(0, bets=True), Showdown((3, 2))]
    assert encode(KUHN.learning.encoder, events) == [1, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 1, 0]


def test_gops_in_figures() -> None:
    """The prize, those to come, the own hand, the others', the points and what is carried."""
    variant = Gops(cards=2, ties="carry")
    events = [Greeting("gops", 1, 3, variant, ""), Prize(1)]
    assert encode(GAME.learning.encoder, events) == [1, 0, 0, 1, *[1, 1] * 3, 0, 0, 0, 0]
    events += [Bids((1, 2, 2)), Prize(2)]
    assert encode(GAME.learning.encoder, events) == [
        0,
        1,
        0,
        0,
        1,
        0,
        1,
        0,
        0,
        1,
        0,
        0,
        0,
        pytest.approx(1 / 3),
    ]
    events += [Bids((2, 1, 1))]
    assert encode(GAME.learning.encoder, events) == [*[0] * 10, 0, 0, 1, 0]


def test_prizes_may_be_worth_the_same() -> None:
    """Of two such, one is up and one is still to come."""
    events = [Greeting("gops", 0, 2, Gops(cards=3, prizes=(5, 1, 5)), ""), Prize(5)]
    assert encode(GAME.learning.encoder, events)[:6] == [0, 1, 0, 1, 1, 0]
