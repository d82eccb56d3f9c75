from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from arena import UserError
from arena_gops_solver import (
    Parallelism,
    SolvedGame,
    SolverPosition,
    TableSpec,
    find_equilibrium,
    solve,
)
from arena_gops_solver._native import lanes_supported

Solve = Callable[..., SolvedGame]
Numbers = NDArray[np.float64]

CARDS = 7
quick = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@st.composite
def drawn(draw: Callable[..., Any]) -> SolverPosition:
    held = draw(st.integers(1, CARDS - 1))
    cards = st.permutations(range(1, CARDS + 1)).map(lambda order: order[:held])
    prizes = draw(cards)
    gone = CARDS * (CARDS + 1) // 2 - sum(prizes)
    return SolverPosition(draw(cards), draw(cards), prizes, draw(st.integers(-gone, gone)))


@pytest.mark.parametrize("objective", ["points", "win"])
@given(place=drawn())
@quick
def test_what_i_win_they_lose(solved: Solve, objective: str, place: SolverPosition) -> None:
    """A position seen from the other side has the opposite value."""
    table = solved(CARDS, objective)
    assert table.compute_value(place) == -table.compute_value(place.mirror())


@pytest.mark.parametrize("objective", ["points", "win"])
@given(place=drawn(), seed=st.integers(0, 99))
@quick
def test_a_higher_card_does_not_hurt(
    solved: Solve, objective: str, place: SolverPosition, seed: int
) -> None:
    """The value does not fall when one of my cards is exchanged for a higher one."""
    low = Random(seed).choice(place.mine)
    higher = [card for card in range(low + 1, CARDS + 1) if card not in place.mine]
    for card in higher:
        better = evolve(place, mine=[*(c for c in place.mine if c != low), card])
        table = solved(CARDS, objective)
        assert table.compute_value(better) >= table.compute_value(place) - 1e-12


@given(place=drawn())
@quick
def test_a_lead_does_not_hurt(solved: Solve, place: SolverPosition) -> None:
    """To win, the value does not fall with the difference so far."""
    table = solved(CARDS, "win")
    gone = CARDS * (CARDS + 1) // 2 - sum(place.prizes)
    values = [table.compute_value(evolve(place, difference=d)) for d in range(-gone, gone + 1)]
    assert (np.diff(values) >= -1e-12).all()


@pytest.mark.parametrize("objective", ["points", "win"])
@pytest.mark.parametrize("lanes", lanes_supported())
def test_every_build_of_the_kernels_gives_the_same(
    solved: Solve, tmp_path: Path, objective: str, lanes: int
) -> None:
    """However many numbers go side by side, the values agree to the twelfth digit."""
    kind = TableSpec(CARDS, objective)
    other = solve(kind, tmp_path / "table", Parallelism(lanes=lanes))
    table = solved(CARDS, objective).table
    for held in range(1, CARDS):
        assert np.abs(table.layer(held).values - other.layer(held).values).max() < 1e-12


@pytest.mark.parametrize("objective", ["points", "win"])
def test_threads_change_nothing(tmp_path: Path, objective: str) -> None:
    """One thread and three write the same bytes."""
    kind = TableSpec(CARDS, objective)
    for threads in (1, 3):
        solve(kind, tmp_path / str(threads), Parallelism(threads=threads))
    assert (tmp_path / "1").read_bytes() == (tmp_path / "3").read_bytes()


@pytest.mark.parametrize(("objective", "error"), [("points", 2e-5), ("win", 5e-7)])
def test_single_precision_costs_as_much_as_is_said(
    solved: Solve, tmp_path: Path, objective: str, error: float
) -> None:
    """Numbers of 4 bytes are as near to those of 8 as the manual says."""
    kind = TableSpec(CARDS, objective, "float32")
    first, other = solved(CARDS, objective).table, solve(kind, tmp_path / "table")
    for held in range(1, CARDS):
        near = np.abs(first.layer(held).values - other.layer(held).values)
        assert near.max() < error


@pytest.mark.parametrize(
    "place",
    [
        SolverPosition([1], [2], [8]),
        SolverPosition([1, 2], [2], [3]),
        SolverPosition([1, 1], [1, 2], [1, 2]),
        SolverPosition([0], [1], [1]),
        SolverPosition([1], [2], [7], 22),
    ],
)
def test_what_is_no_position_is_refused(solved: Solve, place: SolverPosition) -> None:
    """Cards there are none of, hands of other sizes, and leads that cannot be are refused."""
    with pytest.raises(UserError):
        solved(CARDS, "win").compute_value(place)


def test_a_stage_needs_a_prize_that_is_left(solved: Solve) -> None:
    """The stage of a prize that is gone is refused."""
    with pytest.raises(UserError, match="prize: 4 is not among the prizes 3"):
        solved(CARDS).build_stage(SolverPosition([1], [2], [3]), 4)


HARD = np.array(
    [
        [1.0, -0.8059969932193276, -0.7892177186499503, -0.3333333333333335, -0.3333333333333335],
        [1.0, 0.4489709551330976, -0.8059969932193276, -0.3333333333333337, -0.3333333333333337],
        [1.0, 1.0, 1.0, 0.20639260678222726, -1.0],
        [-1.0, -1.0, -0.7756481798838677, -0.3830232781631471, -0.10815731795929584],
    ]
)


@pytest.mark.parametrize(
    ("matrix", "value"), [(HARD, -0.34972623259377045), (-HARD.T, 0.34972623259377045)]
)
def test_what_is_level_but_for_rounding_is_level(matrix: Numbers, value: float) -> None:
    """A stage of 10 cards, some entries of which differ by 2e-16: its value as fractions give it."""
    found = find_equilibrium(matrix)
    assert found.value == pytest.approx(value, abs=1e-12)
    assert (found.weights @ matrix).min() == pytest.approx(value, abs=1e-8)
    assert (matrix @ found.theirs).max() == pytest.approx(value, abs=1e-8)
