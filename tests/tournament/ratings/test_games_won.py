"""Shares of games won over the same deals, where nobody plays against anybody."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve

from arena.tournament.rating_input import Results
from arena.tournament.ratings import GamesWon, compare_entrants

DEALS = 200
PLANTED = 0.6, 0.55, 0.3
"""The share of the deals that each of three entrants can win."""


def draw_deals(seed: int) -> Results:
    """Draw deals that each plays alone; the cards decide, so that who is better wins all more."""
    luck = np.random.default_rng(seed).random(DEALS)
    won = np.array([luck < share for share in PLANTED])
    return Results(
        ("a@1", "b@1", "c@1"),
        np.tile(np.arange(DEALS), 3),
        np.repeat(np.arange(3), DEALS)[:, None],
        np.where(won, 1, 2).reshape(-1, 1),
        10.0 * won.reshape(-1, 1),
    )


def test_planted_shares_are_recovered() -> None:
    """Each within its interval, in about 95 of 100 tournaments."""
    fits = [GamesWon().fit(draw_deals(seed)) for seed in range(100)]
    truth = 100 * np.array(PLANTED)
    inside = np.mean([(fit.low <= truth) & (fit.high >= truth) for fit in fits])
    assert 0.9 < inside < 0.99


def test_entrants_are_compared_over_the_same_deals() -> None:
    """What the cards give to both is no difference: it is clear who is better, and only then."""
    same = draw_deals(0)
    apart = evolve(same, deal=np.arange(3 * DEALS))
    assert GamesWon().fit(same).superiority[0, 1] > 0.99
    assert GamesWon().fit(apart).superiority[0, 1] < 0.95
    assert GamesWon().fit(same).rating == pytest.approx(GamesWon().fit(apart).rating)


def test_a_comparison_counts_the_deals_that_both_have_played() -> None:
    """The differences of the shares and of the scores lie within their intervals."""
    results = draw_deals(2)
    some = np.flatnonzero((results.seats[:, 0] != 1) | (results.deal < 150))
    columns = ("deal", "seats", "places", "scores")
    part = evolve(results, **{name: getattr(results, name)[some] for name in columns})
    found = compare_entrants(part, np.array([0]), np.array([1]))
    assert found.deals == 150
    value, low, high = found.won_difference
    assert value == pytest.approx((found.won[0] - found.won[1]) / 150)
    assert 0 < low < 0.05 < high
    value, low, high = found.score_difference
    assert value == pytest.approx(found.mean_scores[0] - found.mean_scores[1])
    assert low < 0.5 < high
    nothing = compare_entrants(part, np.array([0]), np.array([], int))
    assert nothing.deals == 0
