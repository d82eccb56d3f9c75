"""Small sets of results for the tests of ratings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st

from arena.tournament.ratings import Ratings
from arena.tournament.ratings.rating_input import Results
from tests.support.tournaments.random_results import (
    NONE,
    SOME,
    build_results,
    draw_own_luck,
    draw_results,
    draw_seatings,
)


def draw_sample(seed: int, table: int, entrants: int, deals: int, ties: bool = True) -> Results:
    """Draw results from strengths between -1 and 1."""
    random = np.random.default_rng(seed)
    seats = draw_seatings(random, deals, table, entrants)
    luck = draw_own_luck(random, deals, 1)
    return draw_results(np.linspace(-1, 1, entrants), seats, luck, SOME if ties else NONE)


def build_duels(*outcomes: tuple[int, int, int, int]) -> Results:
    """Return duels from (first, second, sign of the margin, how often)."""
    rows = [(first, second, sign) for first, second, sign, often in outcomes for _ in range(often)]
    table = np.array(rows).reshape(-1, 3)
    places = np.stack([1 + (table[:, 2] < 0), 1 + (table[:, 2] > 0)], axis=1)
    return build_results(table[:, :2], places)


@st.composite
def results(draw: st.DrawFn, table: int = 3) -> Results:
    """Draw a few results of up to five entrants, at tables of up to so many."""
    entrants = draw(st.integers(2, 5))
    rows = draw(st.integers(1, 12))
    random = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    seats = np.stack([random.permutation(5)[:table] for _ in range(rows)])
    seats = np.where(seats < entrants, seats, -1)
    scores = random.integers(0, draw(st.integers(1, 4)), seats.shape)
    ahead = (scores[:, None, :] > scores[:, :, None]) & (seats[:, None, :] >= 0)
    places = np.where(seats >= 0, 1 + ahead.sum(axis=2), 0)
    return build_results(seats, places, random.integers(0, rows, rows), entrants)


def assert_same(ratings: Ratings, other: Ratings) -> None:
    """Assert that two say the same, except for rounding."""
    for name in ("rating", "low", "high", "superiority", "group", "deals"):
        assert getattr(ratings, name) == pytest.approx(getattr(other, name), abs=1e-4), name
