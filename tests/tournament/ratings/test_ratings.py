"""Ratings: other programs' fits, laws, and the corners."""

from __future__ import annotations

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from arena.rules import UserError
from arena.tournament.ratings import ELO, MODELS, BradleyTerry, PlackettLuce
from arena.tournament.ratings.luce_models import RIDGE
from arena.tournament.result_columns import Floats, Ints, Results
from tests.support.tournaments.random_results import (
    SOME,
    build_results,
    compute_log_chances,
    list_rankings,
)
from tests.support.tournaments.ratings import assert_same, build_duels, draw_sample, results


@pytest.mark.slow
def test_duels_without_ties_are_rated_as_choix_rates_them() -> None:
    """To a thousandth of a unit of log strength."""
    import choix  # which imports all of scipy.stats

    found = draw_sample(1, 2, 6, 5000, ties=False)
    seats = np.take_along_axis(found.seats, np.argsort(found.places, axis=1), axis=1)
    expected = choix.ilsr_pairwise(6, seats.tolist())
    for model in MODELS:
        assert model.fit(found).rating / ELO == pytest.approx(expected, abs=1e-3)


@pytest.mark.slow
def test_rankings_without_ties_are_rated_as_choix_rates_them() -> None:
    """To a thousandth of a unit of log strength."""
    import choix  # which imports all of scipy.stats

    found = draw_sample(2, 4, 6, 2000, ties=False)
    seats = np.take_along_axis(found.seats, np.argsort(found.places, axis=1), axis=1)
    expected = choix.ilsr_rankings(6, seats.tolist())
    assert PlackettLuce().fit(found).rating / ELO == pytest.approx(expected, abs=1e-3)


def test_two_are_rated_as_davidson_does() -> None:
    """Wins to losses are the odds, ties to the root of both the tie parameter."""
    ratings = BradleyTerry().fit(build_duels((0, 1, 1, 6000), (0, 1, -1, 2000), (0, 1, 0, 1500)))
    assert (ratings.rating[0] - ratings.rating[1]) / ELO == pytest.approx(np.log(3), abs=1e-4)
    assert ratings.ties == {(2, 2): pytest.approx(1500 / (6000 * 2000) ** 0.5, abs=1e-4)}


def test_at_the_maximum_the_likelihood_has_no_slope_but_the_penalty() -> None:
    """By another way of reckoning the likelihood: all rankings listed, and differences."""
    found = draw_sample(3, 4, 6, 400)
    ratings = PlackettLuce().fit(found)
    listed = {places: row for row, places in enumerate(list_rankings(4, SOME))}
    which = [listed[places] for places in map(tuple, found.places.tolist())]

    def value(strength: Floats) -> float:
        chances = compute_log_chances(strength[found.seats], ratings.ties)
        return float(chances[np.arange(len(which)), which].sum())

    strength = ratings.rating / ELO
    steps = np.eye(6) * 1e-4
    slope = [(value(strength + step) - value(strength - step)) / 2e-4 for step in steps]
    assert slope == pytest.approx(RIDGE * strength, abs=1e-4)


@given(results(table=2))
def test_on_duels_both_models_are_one(found: Results) -> None:
    """Plackett-Luce with ties is Bradley-Terry with Davidson's."""
    assert_same(BradleyTerry().fit(found), PlackettLuce().fit(found))


@given(results(), st.permutations(range(5)))
def test_ratings_know_no_order_of_entrants(found: Results, order: list[int]) -> None:
    """Entrants in another order have the same ratings, in that order."""
    n = len(found.entrants)
    new = np.array([index for index in order if index < n])  # new[k] is who stands k-th now
    place = np.append(np.argsort(new), -1)
    names = tuple(found.entrants[index] for index in new)
    one = PlackettLuce().fit(found)
    other = PlackettLuce().fit(evolve(found, entrants=names, seats=place[found.seats]))
    assert other.rating == pytest.approx(one.rating[new], abs=1e-4)
    assert other.low == pytest.approx(one.low[new], abs=1e-4)
    assert other.superiority == pytest.approx(one.superiority[np.ix_(new, new)], abs=1e-6)


@given(results())
def test_ratings_know_no_order_of_matches_and_seats(found: Results) -> None:
    """Nor the numbers of deals, nor empty seats."""
    rows, columns = np.arange(len(found.deal))[::-1], [2, 0, 1]
    seats, places = (array[rows][:, columns] for array in (found.seats, found.places))
    pad = np.zeros((len(rows), 1), np.int64)
    other = build_results(
        np.hstack([pad - 1, seats]),
        np.hstack([pad, places]),
        7 - 3 * found.deal[rows],
        len(found.entrants),
    )
    assert_same(PlackettLuce().fit(found), PlackettLuce().fit(other))


@given(results())
def test_the_same_again_in_new_deals_narrows_the_intervals(found: Results) -> None:
    """More deals, surer ratings."""
    twice = build_results(
        np.vstack([found.seats] * 2),
        np.vstack([found.places] * 2),
        np.concatenate([found.deal, found.deal + 100]),
        len(found.entrants),
    )
    once, again = PlackettLuce().fit(found), PlackettLuce().fit(twice)
    known = (once.deals > 1) & (np.bincount(once.group)[once.group] > 1)
    assert np.all((again.high - again.low)[known] < (once.high - once.low)[known])
    assert np.array_equal(again.deals, 2 * once.deals)


@given(results())
def test_whatever_comes_ratings_are_finite_and_whole(found: Results) -> None:
    """Each group's mean is 0, intervals lie around ratings, superiority is a probability."""
    ratings = PlackettLuce().fit(found)
    n = len(found.entrants)
    assert np.isfinite(ratings.rating).all()
    assert np.bincount(ratings.group, ratings.rating) == pytest.approx(0, abs=1e-6)
    assert np.all((ratings.low <= ratings.rating) & (ratings.rating <= ratings.high))
    assert ratings.superiority + ratings.superiority.T == pytest.approx(np.ones((n, n)))
    assert np.all((ratings.superiority >= 0) & (ratings.superiority <= 1))
    assert sorted(ratings.ranking()) == [*range(n)]


@pytest.mark.parametrize("deals", [10, 30, 100, 1000])
def test_who_always_wins_is_far_ahead_but_nobody_knows_how_far(deals: int) -> None:
    """The difference's low end is about where the exact interval's is, and surely above 0."""
    ratings = BradleyTerry().fit(build_duels((0, 1, 1, deals)))
    ahead, low = 2 * ratings.rating[0], 2 * ratings.low[0]
    lost = 1 - 0.025 ** (1 / deals)
    exact = 400 * np.log10((1 - lost) / lost)
    assert exact - 600 < low < exact + 100
    assert exact + 300 < ahead < 2000
    assert 0.9 < ratings.superiority[0, 1] < 1


@pytest.mark.parametrize("wins", [2, 3, 5])
def test_a_few_wins_without_a_loss_are_no_proof(wins: int) -> None:
    """Five of five are not enough for 95 per cent."""
    assert 0.5 < BradleyTerry().fit(build_duels((0, 1, 1, wins))).superiority[0, 1] < 0.95


def test_five_equals_are_equal() -> None:
    """However often five were level, it tells nothing of their strengths."""
    seats = np.tile(np.arange(5), (30, 1))
    ratings = PlackettLuce().fit(build_results(seats, np.ones_like(seats)))
    assert ratings.rating == pytest.approx(0, abs=1e-9)
    assert ratings.superiority == pytest.approx(0.5)
    assert np.all(ratings.high > 2000)


def test_where_all_but_the_winner_are_level_the_wins_count() -> None:
    """Who won twice as often has twice the strength, and no parameter runs off."""
    seats = np.tile(np.arange(4), (700, 1))
    winner = np.repeat([0, 0, 0, 0, 1, 1, 2], 100)[:, None]
    ratings = PlackettLuce().fit(build_results(seats, np.where(seats == winner, 1, 2)))
    assert np.diff(ratings.rating[:3]) / ELO == pytest.approx(-np.log([2, 2]), abs=1e-3)
    assert ratings.ties == {}


def test_a_tied_first_is_better_than_third() -> None:
    """Equal places are equal, whoever sits first."""
    seats = np.tile(np.arange(5), (20, 1))
    ratings = PlackettLuce().fit(build_results(seats, np.tile([1, 1, 3, 4, 5], (20, 1))))
    assert ratings.rating[0] == pytest.approx(ratings.rating[1])
    assert np.all(np.diff(ratings.rating[1:]) < 0)


def test_groups_that_never_met_are_rated_apart() -> None:
    """Each has a mean of 0, and nothing is said of one against the other."""
    pairs = [(0, 1, 1, 20), (0, 1, -1, 10), (2, 3, 1, 15), (2, 3, -1, 15)]
    ratings = BradleyTerry().fit(build_duels(*pairs))
    alone = BradleyTerry().fit(build_duels(*pairs[:2]))
    assert ratings.group.tolist() == [0, 0, 1, 1]
    assert ratings.rating == pytest.approx([*alone.rating, 0, 0], abs=1e-6)
    assert ratings.low[:2] == pytest.approx(alone.low, abs=1e-6)
    assert ratings.superiority[:2, 2:] == pytest.approx(0.5)


def test_who_was_in_one_deal_has_an_interval_without_ends() -> None:
    """One deal says nothing of the luck of deals."""
    found = build_duels((0, 1, 1, 5), (0, 1, -1, 4), (0, 2, 1, 1))
    ratings = BradleyTerry().fit(found)
    assert ratings.deals.tolist() == [10, 9, 1]
    assert np.isinf(ratings.high).tolist() == [False, False, True]
    assert ratings.superiority[2] == pytest.approx(0.5)
    assert ratings.superiority[0, 1] > 0.5


@pytest.mark.parametrize("entrants", [0, 1, 3])
@pytest.mark.parametrize("table", [0, 1, 2, 4])
def test_without_results_nothing_is_known(entrants: int, table: int) -> None:
    """All are 0, with intervals without ends."""
    nothing = np.zeros((0, table), np.int64)
    for model in MODELS:
        ratings = model.fit(build_results(nothing, nothing, entrants=entrants))
        assert ratings.rating.tolist() == [0] * entrants
        assert np.isneginf(ratings.low).all()
        assert ratings.superiority == pytest.approx(np.full((entrants, entrants), 0.5))


def test_a_table_of_one_tells_nothing() -> None:
    """Whether somebody else sat there once or not."""
    alone: Ints = np.array([[0, -1], [1, -1]])
    ratings = BradleyTerry().fit(build_results(alone, np.array([[1, 0], [1, 0]])))
    assert ratings.rating.tolist() == [0, 0]
    assert ratings.group.tolist() == [0, 1]


def test_models_say_which_tables_suit_them() -> None:
    """Models refuse tables that do not suit them, in one line."""
    assert [model.name for model in MODELS] == ["bradley-terry", "plackett-luce"]
    suited = [[table for table in range(20) if model.suits(table)] for model in MODELS]
    assert suited == [[2], [*range(2, 13)]]
    with pytest.raises(UserError, match="bradley-terry cannot rate a table of 3"):
        BradleyTerry().fit(draw_sample(1, 3, 4, 5))
    with pytest.raises(UserError, match="plackett-luce cannot rate a table of 13"):
        PlackettLuce().fit(build_results(np.arange(13)[None], np.arange(1, 14)[None]))


@pytest.mark.parametrize("level", [0, 1, 1.5, -0.1])
def test_a_level_is_a_probability(level: float) -> None:
    """Anything else is refused."""
    with pytest.raises(UserError, match="between 0 and 1"):
        BradleyTerry().fit(draw_sample(1, 2, 3, 5), level)


def test_a_higher_level_gives_a_wider_interval() -> None:
    """Around the same ratings."""
    found = draw_sample(4, 3, 5, 60)
    one, other = (PlackettLuce().fit(found, level) for level in (0.8, 0.99))
    assert np.array_equal(one.rating, other.rating)
    assert np.all(one.low > other.low)
    assert np.all(one.high < other.high)


def test_many_at_a_table_are_rated_too() -> None:
    """Twelve with all kinds of ties, thirty times."""
    random = np.random.default_rng(5)
    seats = np.stack([random.permutation(14)[:12] for _ in range(30)])
    scores = np.round(random.gumbel(size=seats.shape) + seats / 5)
    places = 1 + (scores[:, None, :] > scores[:, :, None]).sum(axis=2)
    ratings = PlackettLuce().fit(build_results(seats, places))
    assert np.corrcoef(ratings.rating, np.arange(14))[0, 1] > 0.9
