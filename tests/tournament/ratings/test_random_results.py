"""Results drawn from known strengths, by another way than the fit's: all rankings listed."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.tournaments.random_results import (
    NONE,
    SOME,
    compute_log_chances,
    draw_opposite_luck,
    draw_own_luck,
    draw_shared_luck,
    list_rankings,
)


@pytest.mark.parametrize("table", [2, 3, 4])
def test_the_rankings_of_a_table_are_all_that_can_happen(table: int) -> None:
    """Their probabilities sum to one."""
    strengths = np.random.default_rng(1).normal(size=(20, table))
    for ties in (SOME, NONE):
        assert np.exp(compute_log_chances(strengths, ties)).sum(axis=1) == pytest.approx(1)


def test_duels_are_drawn_as_davidson_says() -> None:
    """Level with a chance in proportion to the root of the product of both strengths."""
    chances = np.exp(compute_log_chances(np.log([[3.0, 2.0]]), {(2, 2): 0.5}))[0]
    level = 0.5 * 6**0.5
    total = 3 + 2 + level
    expected = {(1, 2): 3 / total, (1, 1): level / total, (2, 1): 2 / total}
    assert dict(zip(list_rankings(2, SOME), chances, strict=True)) == pytest.approx(expected)


def test_luck_is_uniform_whatever_it_shares() -> None:
    """So that each match by itself follows the model."""
    random = np.random.default_rng(2)
    for luck in (draw_own_luck, draw_shared_luck, draw_opposite_luck):
        cut = np.quantile(luck(random, 20000, 4), [0.1, 0.5, 0.9])
        assert cut == pytest.approx([0.1, 0.5, 0.9], abs=0.01)
