"""Ratings of entrants whose partners are drawn: the strength of a team is its members' mean."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve

from arena.tournament.rating_input import Floats, Results
from arena.tournament.ratings import ELO, BradleyTerry, compute_head_to_head
from tests.support.tournaments.ratings import draw_sample

PAIRS = ((0, 2), (1, 3))
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
    return Results(names, deal, seats, places, -places.astype(float), PAIRS)


def test_planted_strengths_are_recovered() -> None:
    """On the scale of entrants that play both seats; pairs of opponents alone would shrink it."""
    found = BradleyTerry().fit(draw_pairs(8000, 1))
    assert found.rating == pytest.approx(PLANTED, abs=30)
    alone = BradleyTerry().fit(evolve(draw_pairs(8000, 1), teams=None))
    assert np.ptp(alone.rating) < 250


def test_intervals_contain_the_planted_strengths() -> None:
    """About 95 of 100 of them, with few deals and with many."""
    for matches in (40, 400):
        fits = [BradleyTerry().fit(draw_pairs(matches, seed)) for seed in range(60)]
        inside = [(fit.low <= PLANTED) & (fit.high >= PLANTED) for fit in fits]
        assert 0.92 < np.mean(inside) < 0.99


def test_teams_of_one_are_rated_as_entrants_are() -> None:
    """The model of teams is that of entrants where nobody has a partner."""
    results = draw_sample(3, 2, 6, 500)
    alone = BradleyTerry().fit(results)
    teams = BradleyTerry().fit(evolve(results, teams=((0,), (1,))))
    assert teams.rating == pytest.approx(alone.rating, abs=1e-6)
    assert teams.high == pytest.approx(alone.high, rel=1e-6)


def test_a_team_without_one_of_its_members_has_met_nobody() -> None:
    """What it did tells nothing of the others, as its strength is not known."""
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
    """Head to head counts opponents only: four meetings of a match, each in both ways."""
    results = draw_pairs(400, 3)
    met = compute_head_to_head(results)
    assert met.matches.sum() == 2 * 4 * 400
    assert met.level.sum() == 0
