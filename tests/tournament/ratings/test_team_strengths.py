"""Ratings where partners are drawn, and shares of games won where nobody has opponents."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve

from arena.tournament.ratings import (
    ELO,
    BradleyTerry,
    GamesWon,
    compare_entrants,
    compare_over_deals,
    compute_head_to_head,
)
from arena.tournament.ratings.rating_input import Floats, Results
from tests.support.tournaments.ratings import draw_sample

TEAMS = ((0, 2), (1, 3))
PLANTED = np.linspace(-300, 300, 8)
"""Elo points of eight entrants."""


def draw_pairs(matches: int, seed: int, planted: Floats = PLANTED) -> Results:
    """Draw tables of four in two pairs, each deal both ways round; the model decides who wins."""
    random = np.random.default_rng(seed)
    tables = [random.permutation(len(planted))[:4] for _ in range(matches // 2)]
    seats = np.concatenate([tables, np.roll(tables, 1, axis=1)])
    lead = planted[seats] @ [1, -1, 1, -1] / 2 / ELO
    won = random.random(len(seats)) < 1 / (1 + np.exp(-lead))
    places = np.where(won[:, None], [1, 2, 1, 2], [2, 1, 2, 1])
    deal = np.tile(np.arange(matches // 2), 2)
    names = tuple(f"bot{number}@1" for number in range(len(planted)))
    return Results(names, deal, seats, places, -places.astype(float), TEAMS)


def test_planted_strengths_are_recovered() -> None:
    """Strengths of partners are on the scale of entrants that play both seats."""
    found = BradleyTerry().fit(draw_pairs(8000, 1))
    assert found.rating == pytest.approx(PLANTED, abs=30)
    alone = BradleyTerry().fit(evolve(draw_pairs(8000, 1), teams=None))
    assert np.ptp(alone.rating) < 250


def test_intervals_contain_the_planted_strengths() -> None:
    """About 95 of 100 intervals contain the strengths, with few deals and with many."""
    for matches in (40, 400):
        fits = [BradleyTerry().fit(draw_pairs(matches, seed)) for seed in range(60)]
        inside = [(fit.low <= PLANTED) & (fit.high >= PLANTED) for fit in fits]
        assert 0.92 < np.mean(inside) < 0.99


def test_teams_of_one_are_rated_as_entrants_are() -> None:
    """The model of teams is that of entrants, but for the luck of a schedule by results."""
    results = draw_sample(3, 2, 6, 500)
    alone = BradleyTerry().fit(results)
    teams = BradleyTerry().fit(evolve(results, teams=((0,), (1,))))
    assert teams.rating == pytest.approx(alone.rating, abs=1e-6)
    assert teams.high == pytest.approx(alone.high, abs=0.1)


def test_a_team_without_one_of_its_members_has_met_nobody() -> None:
    """The result of an incomplete team says nothing about others, as its strength is unknown."""
    results = draw_pairs(40, 2)
    seats = results.seats.copy()
    seats[:20, 3] = -1
    found = BradleyTerry().fit(evolve(results, seats=seats))
    kept = evolve(
        results,
        **{name: getattr(results, name)[20:] for name in ("deal", "seats", "places", "scores")},
    )
    assert found.rating == pytest.approx(BradleyTerry().fit(kept).rating)


def test_partners_have_not_met_each_other() -> None:
    """Head to head counts opponents only: four meetings of a match."""
    results = draw_pairs(400, 3)
    met = compute_head_to_head(results)
    assert met.matches.sum() == 4 * 400
    assert met.level.sum() == 0


DEALS = 200
PLANTED_SHARES = 0.6, 0.55, 0.3
"""The share of the deals that each of three entrants can win."""


def draw_deals(seed: int) -> Results:
    """Draw deals that each plays alone; the cards decide, so that who is better wins all more."""
    luck = np.random.default_rng(seed).random(DEALS)
    won = np.array([luck < share for share in PLANTED_SHARES])
    return Results(
        ("a@1", "b@1", "c@1"),
        np.tile(np.arange(DEALS), 3),
        np.repeat(np.arange(3), DEALS)[:, None],
        np.where(won, 1, 2).reshape(-1, 1),
        10.0 * won.reshape(-1, 1),
    )


def test_planted_shares_of_games_are_recovered() -> None:
    """About 95 of 100 intervals contain the share of games won."""
    fits = [GamesWon().fit(draw_deals(seed)) for seed in range(100)]
    truth = 100 * np.array(PLANTED_SHARES)
    inside = np.mean([(fit.low <= truth) & (fit.high >= truth) for fit in fits])
    assert 0.9 < inside < 0.99


def test_entrants_are_compared_over_the_same_deals() -> None:
    """Cards that both were dealt are no difference, so that the better entrant is clear."""
    same = draw_deals(0)
    apart = evolve(same, deal=np.arange(3 * DEALS))
    assert GamesWon().fit(same).superiority[0, 1] > 0.99
    assert GamesWon().fit(apart).superiority[0, 1] < 0.95
    assert GamesWon().fit(same).rating == pytest.approx(GamesWon().fit(apart).rating)


def test_a_comparison_counts_the_deals_that_both_have_played() -> None:
    """The differences of the shares and of the scores lie within their intervals."""
    results = draw_deals(2)
    rows = np.flatnonzero((results.seats[:, 0] != 1) | (results.deal < 150))
    columns = ("deal", "seats", "places", "scores")
    part = evolve(results, **{name: getattr(results, name)[rows] for name in columns})
    found = compare_entrants(part, np.array([0]), np.array([1]))
    assert found.deals == 150
    share, score = found.won_difference, found.score_difference
    assert share.value == pytest.approx((found.won[0] - found.won[1]) / 150)
    assert 0 < share.low < 0.05 < share.high
    assert score.value == pytest.approx(found.mean_scores[0] - found.mean_scores[1])
    assert score.low < 0.5 < score.high
    nothing = compare_entrants(part, np.array([0]), np.array([], int))
    assert nothing.deals == 0


def test_scores_that_never_differ_have_unknown_ends() -> None:
    """What has no interval is written with question marks, and packed as None."""
    won = np.tile([1.0, 1.0], (20, 1))
    found = compare_over_deals(won, won * [[25, 24]])
    assert found.format()[1] == "+1.00 (? to ?)"
    assert found.pack()["score_difference"] == {"value": 1.0, "low": None, "high": None}
