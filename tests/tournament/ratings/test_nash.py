"""Nash averaging: equilibria, the most even of them, and what copies change: nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.rules import UserError
from arena.tournament.ratings import (
    NashAverage,
    compute_head_to_head,
    compute_margins,
    compute_nash_average,
)
from arena.tournament.ratings.rating_input import Floats
from tests.support.tournaments.ratings import build_duels

pytestmark = pytest.mark.slow  # hundreds of equilibria
CIRCLE: Floats = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])


def compute_average(payoff: Floats) -> NashAverage:
    return compute_nash_average(tuple(map(str, range(len(payoff)))), payoff)


@st.composite
def payoffs(draw: st.DrawFn) -> Floats:
    """Draw payoffs, often equal ones, so that equilibria are many."""
    n = draw(st.integers(1, 8))
    entries = draw(st.lists(st.integers(-3, 3), min_size=n * n, max_size=n * n))
    half = np.triu(np.array(entries, np.float64).reshape(n, n), 1)
    return np.asarray(half - half.T)


CASES: dict[str, tuple[Sequence[Sequence[float]], list[float], list[float]]] = {
    "a circle shares the weight, and who loses to all of it has none": (
        [[0, 1, -1, 2], [-1, 0, 1, 2], [1, -1, 0, 2], [-2, -2, -2, 0]],
        [1 / 3, 1 / 3, 1 / 3, 0], [0, 0, 0, -2],
    ),
    "who beats all has all the weight, and skill is what one gets against it": (
        [[0, -1.5, 1.5], [1.5, 0, 3], [-1.5, -3, 0]], [0, 1, 0], [-1.5, 0, -3],
    ),
    "each of a circle weighs what the two others play for": (
        [[0, 3, -1], [-3, 0, 2], [1, -2, 0]], [2 / 6, 1 / 6, 3 / 6], [0, 0, 0],
    ),
    "of many equilibria the most even is taken": (
        [[0] * 5] * 5, [0.2] * 5, [0] * 5,
    ),
    "also of two who beat a third": (
        [[0, 0, 1], [0, 0, 3], [-1, -3, 0]], [1 / 2, 1 / 2, 0], [0, 0, -2],
    ),
    "no more even than leaves a third nothing, who beats one and loses less to the other": (
        [[0, 0, -3], [0, 0, 1], [3, -1, 0]], [1 / 4, 3 / 4, 0], [0, 0, 0],
    ),
    "copies share the weight of their original": (
        [[CIRCLE[one, other] for other in (0, 0, 0, 1, 2)] for one in (0, 0, 0, 1, 2)],
        [1 / 9] * 3 + [1 / 3] * 2, [0] * 5,
    ),
    "who is alone has all the weight": ([[0]], [1], [0]),
}  # fmt: skip


@pytest.mark.parametrize(("payoff", "weight", "skill"), CASES.values(), ids=CASES)
def test_weights(
    payoff: Sequence[Sequence[float]], weight: list[float], skill: list[float]
) -> None:
    """Weights and skills are those computed by hand."""
    found = compute_average(np.array(payoff, np.float64))
    assert found.weight == pytest.approx(weight, abs=1e-6)
    assert found.skill == pytest.approx(skill, abs=1e-6)


@given(payoffs())
def test_nobody_gains_against_the_equilibrium(payoff: Floats) -> None:
    """No entrant gains against the equilibrium, and those in its support lose nothing."""
    found = compute_average(payoff)
    assert found.weight.sum() == pytest.approx(1)
    assert np.all(found.weight >= 0)
    assert np.all(found.skill < 1e-5)
    assert found.skill[found.weight > 1e-3] == pytest.approx(0, abs=1e-5)


@given(payoffs(), st.data())
def test_copies_change_nothing_for_others(payoff: Floats, data: st.DataObject) -> None:
    """Copies share the weight of their original, and all skills stay."""
    n = len(payoff)
    which = [*range(n), *data.draw(st.lists(st.integers(0, n - 1), max_size=4))]
    average, with_copies = compute_average(payoff), compute_average(payoff[np.ix_(which, which)])
    assert with_copies.skill == pytest.approx(average.skill[which], abs=1e-5)


def test_equilibria_do_not_depend_on_the_unit() -> None:
    """Weights are the same for any multiple of the payoffs, skills are multiples."""
    payoff = np.random.default_rng(1).normal(size=(12, 12))
    payoff = payoff - payoff.T
    average, scaled = compute_average(payoff), compute_average(payoff * 1e4)
    assert scaled.weight == pytest.approx(average.weight, abs=1e-6)
    assert scaled.skill == pytest.approx(average.skill * 1e4, abs=1e-2)


def test_payoffs_come_from_duels() -> None:
    """A payoff is a mean result, and 0 for two that never met."""
    found = build_duels((0, 1, 1, 3), (0, 1, 0, 1), (2, 0, 1, 4))
    duel = compute_head_to_head(found).tabulate()
    assert compute_margins(duel).tolist() == [[0, 0.75, -1], [-0.75, 0, 0], [1, 0, 0]]
    assert compute_average(compute_margins(duel)).weight == pytest.approx(
        [0, 0.5, 0.5]
    )  # they never met


def test_what_is_no_payoff() -> None:
    """Payoffs that do not sum to zero are refused, and without entrants there are no weights."""
    with pytest.raises(UserError, match="antisymmetric"):
        compute_average(np.ones((2, 2)))
    assert compute_average(np.zeros((0, 0))).weight.tolist() == []
