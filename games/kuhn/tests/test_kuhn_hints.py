"""Hints of Kuhn poker agree with the equilibrium and with the value of the game."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest

from arena import Greeting, Hint, InformationState
from arena_kuhn import BET, Acted, Card, Kuhn
from arena_kuhn.hints import HINTS, compute_payoff

VALUE = Fraction(-1, 18)  # of the game for the first seat, in chips (Kuhn 1950)
JACK, QUEEN, KING = 1, 2, 3
PASS_BET = (Acted(0, bets=False), Acted(1, bets=True))


def find_hint(seat: int, *events: Any) -> Hint:
    """Return the hint for a seat that was told these events."""
    return HINTS.compute_hint(InformationState(Greeting("kuhn", seat, 2, Kuhn(), ""), events, BET))


def test_the_first_seat_expects_the_value_of_the_game() -> None:
    """The mean over all deals is Kuhn's value."""
    deals = [*permutations((JACK, QUEEN, KING), 2)]
    assert sum(Fraction(compute_payoff(ranks, ())) for ranks in deals) / len(deals) == VALUE


@pytest.mark.parametrize(
    ("seat", "events", "answers"),
    [
        (
            0,
            (Card(JACK),),
            [(0.2, "bet: -1.00 chips on average"), (0.8, "pass: -1.00 chips on average")],
        ),
        (
            1,
            (Card(KING), Acted(0, bets=True)),
            [(1, "call: +2.00 chips on average"), (0, "fold: -1.00 chips on average")],
        ),
        (
            0,
            (Card(JACK), *PASS_BET),
            [(0, "call: -2.00 chips on average"), (1, "fold: -1.00 chips on average")],
        ),
    ],
)
def test_a_hint_has_probabilities_and_chips(
    seat: int, events: tuple[Any, ...], answers: list[tuple[float, str]]
) -> None:
    """Each answer has its probability in the equilibrium, and the chips to expect after it."""
    hint = find_hint(seat, *events)
    assert [hinted.answer for hinted in hint.answers] == [True, False]
    assert [(hinted.share, hinted.text) for hinted in hint.answers] == answers


@pytest.mark.parametrize("rank", [JACK, QUEEN, KING])
@pytest.mark.parametrize(
    ("seat", "bets"), [(0, ()), (1, (False,)), (1, (True,)), (0, (False, True))]
)
def test_answers_that_are_drawn_are_worth_the_same(
    seat: int, bets: tuple[bool, ...], rank: int
) -> None:
    """Where both have a probability both are equally good, and else the one that is given is better."""
    events = [Acted(turn % 2, bet) for turn, bet in enumerate(bets)]
    answers = find_hint(seat, Card(rank), *events).answers
    chips = [float(hinted.text.split()[1]) for hinted in answers]
    if all(hinted.share for hinted in answers):
        assert chips[0] == chips[1]
    else:
        best = max(answers, key=lambda hinted: hinted.share)
        assert float(best.text.split()[1]) == max(chips)
