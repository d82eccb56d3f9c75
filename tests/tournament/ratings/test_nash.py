"""Nash averaging: equilibria, the most even of them, and what copies change: nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.rules import UserError
from arena.tournament.rating_input import Floats
from arena.tournament.ratings import (
    NashAverage,
    compute_head_to_head,
    compute_margins,
    compute_nash_average,
)
from tests.support.tournaments.ratings import build_duels

pytestmark = pytest.mark.slow  # hundreds of equilibria
CIRCLE: Floats = np.array([[0.0, 1, -1], [-1, 0, 1], [1, -1, 0]])


def averaged(payoff: Floats) -> NashAverage:
    return compute_nash_average(tuple(map(str, range(len(payoff)))), payoff)


@st.composite
def payoffs(draw: st.DrawFn) -> Floats:
    """Draw payoffs, often equal ones, so that equilibria are many."""
    n = draw(st.integers(1, 8))
    entries = draw(st.lists(st.integers(-3, 3), min_size=n * n, max_size=n * n))
    half = np.triu(np.array(entries, np.float64).reshape(n, n), 1)
    return np.asarray(half - half.T)


def test_a_circle_shares_the_weight() -> None:
    """All three are as good; one that all of them beat weighs nothing."""
    payoff = np.zeros((4, 4))
    payoff[:3, :3], payoff[:3, 3], payoff[3, :3] = CIRCLE, 2, -2
    found = averaged(payoff)
    assert found.weight == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=1e-9)
    assert found.skill == pytest.approx([0, 0, 0, -2], abs=1e-9)


def test_who_beats_all_has_all_the_weight() -> None:
    """And skill is what everybody gets against it."""
    strength = np.array([0.5, 2, -1])
    found = averaged(strength[:, None] - strength)
    assert found.weight == pytest.approx([0, 1, 0])
    assert found.skill == pytest.approx([-1.5, 0, -3])


def test_weights_of_an_uneven_circle() -> None:
    """Each weighs what the two others play for (as reckoned by hand)."""
    payoff = np.array([[0.0, 3, -1], [-3, 0, 2], [1, -2, 0]])
    assert averaged(payoff).weight == pytest.approx([2 / 6, 1 / 6, 3 / 6])


def test_of_many_equilibria_the_most_even_is_taken() -> None:
    """Where nobody beats anybody all weigh the same, and so do two who beat a third."""
    assert averaged(np.zeros((5, 5))).weight == pytest.approx(0.2)
    payoff = np.array([[0.0, 0, 1], [0, 0, 3], [-1, -3, 0]])
    assert averaged(payoff).weight == pytest.approx([1 / 2, 1 / 2, 0])


def test_evenness_ends_where_somebody_would_gain() -> None:
    """Two are level; a third beats the one by more than it loses to the other.

    So the one weighs at most as much as leaves the third nothing: a third of the other.
    """
    payoff = np.array([[0.0, 0, -3], [0, 0, 1], [3, -1, 0]])
    found = averaged(payoff)
    assert found.weight == pytest.approx([1 / 4, 3 / 4, 0], abs=1e-6)
    assert found.skill == pytest.approx(0, abs=1e-6)


@given(payoffs())
def test_nobody_gains_against_the_equilibrium(payoff: Floats) -> None:
    """No entrant gains against the equilibrium, and those in its support lose nothing."""
    found = averaged(payoff)
    assert found.weight.sum() == pytest.approx(1)
    assert np.all(found.weight >= 0)
    assert np.all(found.skill < 1e-5)
    assert found.skill[found.weight > 1e-3] == pytest.approx(0, abs=1e-5)


@given(payoffs(), st.data())
def test_copies_change_nothing_for_others(payoff: Floats, data: st.DataObject) -> None:
    """They share the weight of the one they are copies of; all skills stay."""
    n = len(payoff)
    which = [*range(n), *data.draw(st.lists(st.integers(0, n - 1), max_size=4))]
    one, more = averaged(payoff), averaged(payoff[np.ix_(which, which)])
    assert more.skill == pytest.approx(one.skill[which], abs=1e-5)


def test_copies_share_the_weight_of_their_original() -> None:
    """Of a circle, where one entered three times."""
    which = [0, 0, 0, 1, 2]
    found = averaged(CIRCLE[np.ix_(which, which)])
    assert found.weight == pytest.approx([1 / 9] * 3 + [1 / 3] * 2, abs=1e-6)


def test_equilibria_do_not_depend_on_the_unit() -> None:
    """Weights are the same for any multiple of the payoffs, skills are multiples."""
    payoff = np.random.default_rng(1).normal(size=(12, 12))
    payoff = payoff - payoff.T
    one, other = averaged(payoff), averaged(payoff * 1e4)
    assert other.weight == pytest.approx(one.weight, abs=1e-6)
    assert other.skill == pytest.approx(one.skill * 1e4, abs=1e-2)


def test_payoffs_come_from_duels() -> None:
    """They are mean results; 0 for who never met."""
    duel = compute_head_to_head(build_duels((0, 1, 1, 3), (0, 1, 0, 1), (2, 0, 1, 4)))
    assert compute_margins(duel).tolist() == [[0, 0.75, -1], [-0.75, 0, 0], [1, 0, 0]]
    assert averaged(compute_margins(duel)).weight == pytest.approx([0, 0.5, 0.5])  # they never met


def test_payoffs_are_antisymmetric() -> None:
    """Others are refused."""
    with pytest.raises(UserError, match="antisymmetric"):
        averaged(np.ones((2, 2)))


def test_without_entrants_there_is_nothing_to_weigh() -> None:
    """No entrants have no weights, and a single one has all the weight."""
    assert averaged(np.zeros((0, 0))).weight.tolist() == []
    assert averaged(np.zeros((1, 1))).weight.tolist() == [1]
