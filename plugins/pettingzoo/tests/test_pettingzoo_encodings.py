"""Figures, generic ones and those of games; actions by number, and masks."""

from __future__ import annotations

import doctest
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from attrs import evolve

import arena_gops.wire
import arena_pettingzoo.encodings
from arena import Between, Greeting, ObservationEncoder, OneOf, Options, Question, SomeOf, Text
from arena.cards import build_deck
from arena_gops import GAME, Bids, Gops, Prize
from arena_kuhn import GAME as KUHN
from arena_kuhn import Acted, Card, Kuhn, Showdown
from arena_pettingzoo import encodings
from arena_pettingzoo.encodings import Actions

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
    third = pytest.approx(1 / 3)
    expected = [0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, third]
    assert encode(GAME.learning.encoder, events) == expected
    events += [Bids((2, 1, 1))]
    assert encode(GAME.learning.encoder, events) == [*[0] * 10, 0, 0, 1, 0]


def test_prizes_may_be_worth_the_same() -> None:
    """Of two such, one is up and one is still to come."""
    events = [Greeting("gops", 0, 2, Gops(cards=3, prizes=(5, 1, 5)), ""), Prize(5)]
    assert encode(GAME.learning.encoder, events)[:6] == [0, 1, 0, 1, 1, 0]


def numbers(actions: Actions, options: Options[Any]) -> list[int]:
    return np.flatnonzero(actions.mask(Question(options))).tolist()


def test_an_action_is_the_number_of_an_answer() -> None:
    """In the order in which the game lists them."""
    actions = Actions(("pass", "call", ("AH", "KH")))
    assert [actions.answer(number) for number in range(3)] == ["pass", "call", ("AH", "KH")]
    assert numbers(actions, OneOf((("AH", "KH"), "pass"))) == [0, 2]


def test_true_is_no_one() -> None:
    """Answers that Python calls equal are kept apart by their types."""
    actions = Actions((True, 1, 1.0, (True,), (1,)))
    assert numbers(actions, OneOf((1,))) == [1]
    assert numbers(actions, OneOf((True, (1,)))) == [0, 4]


def test_who_is_not_asked_may_do_nothing() -> None:
    """All zeros."""
    assert Actions((1, 2)).mask(None).tolist() == [0, 0]


def test_several_cards_are_one_action() -> None:
    """Each choice of three of a hand of 13 is one of the 22,100 choices of three cards."""
    three = SomeOf(build_deck(), 3, 3)
    actions = Actions(three)
    assert len(actions) == 22_100
    hand = build_deck()[3::4]
    allowed = numbers(actions, SomeOf(hand, 3, 3))
    assert [actions.answer(number) for number in allowed] == [*combinations(hand, 3)]


def test_numbers_are_actions_in_their_order() -> None:
    """Of bids in steps of 50,000, the third is 100,000."""
    actions = Actions(Between(0, 1_000_000, 50_000))
    assert (len(actions), actions.answer(2)) == (21, 100_000)
    assert numbers(actions, Between(100_000, 200_000, 50_000)) == [2, 3, 4]


def test_an_answer_that_is_no_action_is_the_games_fault() -> None:
    """The line names the question and the answer."""
    with pytest.raises(
        ValueError, match=r"^Question: the answer \(<class 'int'>, 3\) is missing from"
    ):
        Actions((1, 2)).mask(Question(OneOf((2, 3))))


def test_what_cannot_be_listed_has_no_mask() -> None:
    """A free text is none of so many."""
    with pytest.raises(ValueError, match=r"^Question: the answers .* cannot be listed"):
        Actions(("a",)).mask(Question(Text("[a-z]+", "a")))


@pytest.mark.parametrize("action", [-1, 2])
def test_an_action_is_in_the_list(action: int) -> None:
    """A negative number does not count from the end."""
    with pytest.raises(ValueError, match=f"^action {action} is not one of 0 to 1$"):
        Actions((1, 2)).answer(action)
