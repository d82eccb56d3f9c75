"""The fit's machinery: equal rows counted, and steps that never lead down."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournament.ratings.luce_models import (
    RankingChoices,
    build_alternatives,
    count_distinct,
    evaluate,
    list_choices,
    maximise,
    take_step,
)
from arena.tournament.ratings.means import number_deals
from arena.tournament.result_columns import Ints
from tests.support.tournaments.random_results import build_results
from tests.support.tournaments.ratings import draw_sample


@given(st.integers(1, 40), st.integers(1, 4), st.sampled_from([1, 3, 1 << 20, 1 << 40]))
def test_equal_rows_are_counted_together(rows: int, columns: int, bound: int) -> None:
    """As numpy does it, however large the numbers are."""
    random = np.random.default_rng(rows)
    table: Ints = random.integers(0, 3, (rows, columns)) * (bound // 3)
    first, which, count = count_distinct([*table.T])
    assert np.array_equal(table[first][which], table)
    assert sorted(count) == sorted(np.unique(table, axis=0, return_counts=True)[1])


def test_a_ranking_is_a_round_of_choices() -> None:
    """The last one left is no choice; a bit stands for each member."""
    found = build_results(np.array([[7, 3, 5, 4]]), np.array([[2, 1, 4, 2]]))
    two, four = parts(list_choices(found, number_deals(found)))
    assert two == ([[4, 5, 7]], [0b101])
    assert four == ([[3, 4, 5, 7]], [0b0001])


def parts(found: list[RankingChoices]) -> list[tuple[list[list[int]], list[int]]]:
    """Return what was chosen from what."""
    return [(group.members.tolist(), group.chosen.tolist()) for group in found]


@pytest.mark.parametrize("times", [1, 30, 1000])
def test_a_step_too_long_is_cut(times: int) -> None:
    """Until it makes nothing worse."""
    found = draw_sample(1, 3, 5, 50)
    laid = build_alternatives(list_choices(found, number_deals(found)), 5)
    best = maximise(laid, 5).beta
    start = np.zeros_like(best)
    here = evaluate(laid, start)
    beta, there = take_step(laid, start, best * times, here)
    assert there.value > here.value
    assert beta == pytest.approx(best, abs=1e-9) if times == 1 else np.abs(beta).max() < 10
