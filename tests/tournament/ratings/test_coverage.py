"""Intervals hold what they promise: 95 of 100 have the true strength in them."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve

from arena.tournament.ratings import (
    ELO,
    BradleyTerry,
    PlackettLuce,
    RatingModel,
    Ratings,
    compute_mean_scores,
)
from arena.tournament.result_columns import Floats, Results
from tests.support.tournaments.random_results import (
    NONE,
    SOME,
    Luck,
    Ties,
    draw_opposite_luck,
    draw_own_luck,
    draw_results,
    draw_seatings,
    draw_shared_luck,
)

pytestmark = pytest.mark.slow  # hundreds of fits
TIMES = 100


def simulated(
    table: int, deals: int, matches: int, luck: Luck, ties: Ties = SOME, *, times: int = TIMES
) -> list[Results]:
    """Draw the results of five entrants, again and again."""
    random = np.random.default_rng([table, deals, matches])
    return [
        draw_results(
            strengths(),
            draw_seatings(random, deals, table, 5),
            luck(random, deals, matches),
            ties,
        )
        for _ in range(times)
    ]


def strengths() -> Floats:
    """Return the true ones."""
    return np.array([-1.0, -0.5, 0.0, 0.2, 1.3])


def by_match(results: Results) -> Results:
    """Pretend that each match had a deal of its own."""
    return evolve(results, deal=np.arange(len(results.deal)))


def coverage(fits: list[Ratings]) -> float:
    """Return how often the true strength lies in the interval."""
    true = strengths() * ELO
    return float(np.mean([(fit.low <= true) & (true <= fit.high) for fit in fits]))


def width(fits: list[Ratings]) -> float:
    """Return how wide intervals are, in the middle."""
    return float(np.median([fit.high - fit.low for fit in fits]))


@pytest.mark.parametrize(
    ("model", "table", "deals", "luck", "ties"),
    [
        (BradleyTerry(), 2, 75, draw_own_luck, NONE),
        (BradleyTerry(), 2, 75, draw_shared_luck, SOME),
        (PlackettLuce(), 3, 50, draw_shared_luck, SOME),
        (PlackettLuce(), 4, 20, draw_own_luck, SOME),
    ],
)
def test_intervals_cover_the_truth(
    model: RatingModel, table: int, deals: int, luck: Luck, ties: Ties
) -> None:
    """From sixteen deals for each entrant on, whatever the luck of a deal."""
    fits = [model.fit(sample) for sample in simulated(table, deals, 4, luck, ties)]
    assert 0.91 < coverage(fits) < 0.985


def test_where_a_deal_lends_its_luck_counting_matches_claims_too_much() -> None:
    """Four matches of a deal are not four deals."""
    found = simulated(2, 100, 4, draw_shared_luck)
    fits = [BradleyTerry().fit(sample) for sample in found]
    naive = [BradleyTerry().fit(by_match(sample)) for sample in found]
    assert 0.91 < coverage(fits) < 0.985
    assert coverage(naive) < 0.8


def test_where_seats_are_swapped_intervals_by_deal_are_much_narrower() -> None:
    """Luck that cancels out is counted as such, and the truth still covered."""
    found = simulated(2, 100, 2, draw_opposite_luck)
    fits = [BradleyTerry().fit(sample) for sample in found]
    naive = [BradleyTerry().fit(by_match(sample)) for sample in found]
    assert 0.91 < coverage(fits) < 0.985
    assert width(fits) < width(naive) / 1.4


def test_of_two_equals_one_is_seldom_surely_stronger() -> None:
    """Superiority of 95 per cent is wrong one time in twenty, for each of them."""
    random = np.random.default_rng(3)
    sure = []
    for _ in range(TIMES * 2):
        seats, luck = draw_seatings(random, 30, 3, 3), draw_shared_luck(random, 30, 3)
        sure.append(PlackettLuce().fit(draw_results(np.zeros(3), seats, luck)).superiority >= 0.95)
    assert np.mean(sure, axis=0)[~np.eye(3, dtype=bool)] == pytest.approx(0.05, abs=0.03)


@pytest.mark.parametrize("luck", [draw_own_luck, draw_shared_luck, draw_opposite_luck])
def test_intervals_of_means_cover_the_truth(luck: Luck) -> None:
    """By deal, with few deals, and as many matches in them as it comes."""
    found = simulated(2, 40, 4, luck)
    true = compute_mean_scores(simulated(2, 40000, 4, draw_own_luck, times=1)[0]).mean
    means = [compute_mean_scores(sample) for sample in found]
    hits = np.mean([(mean.low <= true) & (true <= mean.high) for mean in means])
    assert 0.91 < hits < 0.985
