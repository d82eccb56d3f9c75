"""Ratings: other programs' fits, laws, and the corners."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from arena.rules import UserError
from arena.tournament.ratings import (
    ELO,
    BradleyTerry,
    compute_mean_scores,
    estimate_elo_difference,
    estimate_share,
    is_ranking_certain,
)
from arena.tournament.ratings.bradley_terry import (
    RIDGE,
    Contests,
    build_sides,
    count_wins,
    fit_strengths,
)
from arena.tournament.ratings.meeting_graph import list_meetings
from arena.tournament.ratings.rating_input import Ints, Results
from tests.support.tournaments.random_results import build_results
from tests.support.tournaments.ratings import assert_same, build_duels, draw_sample, results


@pytest.mark.slow
@pytest.mark.parametrize(("table", "deals"), [(2, 1000), (4, 1000)])
def test_results_without_ties_are_rated_as_choix_rates_all_their_pairs(
    table: int, deals: int
) -> None:
    """Ratings agree with choix to a thousandth of a unit of log strength."""
    import choix  # which imports all of scipy.stats

    found = draw_sample(table, table, 6, deals, ties=False)
    seats = np.take_along_axis(found.seats, np.argsort(found.places, axis=1), axis=1)
    pairs = [pair for row in seats.tolist() for pair in combinations(row, 2)]
    expected = choix.ilsr_pairwise(6, pairs)
    assert BradleyTerry().fit(found).rating / ELO == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("ties", [0, 500, 20_000])
def test_a_difference_is_an_expected_share_whatever_the_ties(ties: int) -> None:
    """A pair with 64 % of the points is 100 points apart, in a tournament and in a duel."""
    found = build_duels((0, 1, 1, 3000), (0, 1, -1, 1000), (0, 1, 0, ties))
    share = (3000 + ties / 2) / (4000 + ties)
    ratings = BradleyTerry().fit(found)
    assert ratings.rating[0] - ratings.rating[1] == pytest.approx(
        400 * np.log10(share / (1 - share)), abs=0.05
    )


def test_a_pair_that_never_loses_but_ties_is_as_far_apart_as_in_a_duel() -> None:
    """A tie is half a win in tournaments and in duels, so that the rating is finite."""
    duel = estimate_elo_difference([0, 0, 0, 60, 0])  # of two matches one is won, one is level
    found = build_duels((0, 1, 1, 60), (0, 1, 0, 60))
    ratings = BradleyTerry().fit(evolve(found, deal=np.tile(np.arange(60), 2)))
    assert ratings.rating[0] - ratings.rating[1] == pytest.approx(duel.value, abs=0.2)
    assert 191 > duel.low > 150


@pytest.mark.parametrize("deals", [3, 10, 100])
def test_a_pair_that_always_ties_has_a_finite_interval(deals: int) -> None:
    """The interval of a pair that ties narrows with its matches, and is never a point."""
    ratings = BradleyTerry().fit(build_duels((0, 1, 0, deals)))
    assert ratings.rating == pytest.approx(0, abs=1e-9)
    assert 100 / deals < ratings.high[0] < 2000 / deals


def test_at_the_maximum_each_has_won_what_was_to_be_expected() -> None:
    """Each entrant has won as much as its rating predicts, apart from the penalty."""
    found = draw_sample(3, 4, 6, 400)
    strength = BradleyTerry().fit(found).rating / ELO
    contests = count_wins(list_meetings(found), 6)
    expected = (contests.won + contests.lost) / (1 + np.exp(-np.asarray(contests.sides @ strength)))
    beyond = contests.sides.T @ (contests.won - expected)
    assert beyond == pytest.approx(RIDGE * strength, abs=1e-6)


@pytest.mark.parametrize("matches", [1, 1e3, 1e9])
def test_however_one_sided_there_is_a_maximum(matches: float) -> None:
    """A fit of one-sided results ends, as steps beyond the maximum are cut."""
    first, second = np.triu_indices(6, 1)
    won = np.full(len(first), matches)
    found = fit_strengths(Contests(build_sides(first, second, 6), won, np.zeros_like(won)))
    assert np.all(np.diff(found.log) < 0)
    assert np.abs(found.log).max() < 60


@given(results(), st.permutations(range(5)))
def test_ratings_know_no_order_of_entrants(found: Results, order: list[int]) -> None:
    """Entrants in another order have the same ratings, in that order."""
    n = len(found.entrants)
    new = np.array([index for index in order if index < n])  # new[k] is who stands k-th now
    place = np.append(np.argsort(new), -1)
    names = tuple(found.entrants[index] for index in new)
    ratings = BradleyTerry().fit(found)
    other_ratings = BradleyTerry().fit(evolve(found, entrants=names, seats=place[found.seats]))
    assert other_ratings.rating == pytest.approx(ratings.rating[new], abs=1e-4)
    assert other_ratings.low == pytest.approx(ratings.low[new], abs=1e-4)
    assert other_ratings.superiority == pytest.approx(
        ratings.superiority[np.ix_(new, new)], abs=1e-6
    )


@given(results())
def test_ratings_know_no_order_of_matches_and_seats(found: Results) -> None:
    """Ratings do not depend on the order of matches and seats, on numbers of deals or empty seats."""
    rows, columns = np.arange(len(found.deal))[::-1], [2, 0, 1]
    seats, places = (array[rows][:, columns] for array in (found.seats, found.places))
    pad = np.zeros((len(rows), 1), np.int64)
    other_ratings = build_results(
        np.hstack([pad - 1, seats]),
        np.hstack([pad, places]),
        7 - 3 * found.deal[rows],
        len(found.entrants),
    )
    assert_same(BradleyTerry().fit(found), BradleyTerry().fit(other_ratings))


@given(results())
def test_the_same_again_in_new_deals_narrows_the_intervals(found: Results) -> None:
    """The same results in more deals give narrower intervals."""
    twice = build_results(
        np.vstack([found.seats] * 2),
        np.vstack([found.places] * 2),
        np.concatenate([found.deal, found.deal + 100]),
        len(found.entrants),
    )
    once, again = BradleyTerry().fit(found), BradleyTerry().fit(twice)
    known = (once.deals > 1) & (np.bincount(once.group)[once.group] > 1)
    assert np.all((again.high - again.low)[known] < (once.high - once.low)[known])
    assert np.array_equal(again.deals, 2 * once.deals)


@given(results())
def test_whatever_comes_ratings_are_finite_and_whole(found: Results) -> None:
    """Each group's mean is 0, intervals lie around ratings, superiority is a probability."""
    ratings = BradleyTerry().fit(found)
    n = len(found.entrants)
    assert np.isfinite(ratings.rating).all()
    assert np.bincount(ratings.group, ratings.rating) == pytest.approx(0, abs=1e-6)
    assert np.all((ratings.low <= ratings.rating) & (ratings.rating <= ratings.high))
    assert ratings.superiority + ratings.superiority.T == pytest.approx(np.ones((n, n)))
    assert np.all((ratings.superiority >= 0) & (ratings.superiority <= 1))
    assert sorted(ratings.ranking()) == [*range(n)]


@pytest.mark.parametrize("deals", [10, 30, 100, 1000])
def test_who_always_wins_is_far_ahead_but_nobody_knows_how_far(deals: int) -> None:
    """The low end of the difference is near that of the exact interval, and above 0."""
    ratings = BradleyTerry().fit(build_duels((0, 1, 1, deals)))
    ahead, low = 2 * ratings.rating[0], 2 * ratings.low[0]
    lost = 1 - 0.025 ** (1 / deals)
    exact = 400 * np.log10((1 - lost) / lost)
    assert exact - 600 < low < exact + 100
    assert exact + 300 < ahead < 2000
    assert 0.9 < ratings.superiority[0, 1] < 1


@pytest.mark.parametrize("wins", [2, 3, 5])
def test_a_few_wins_without_a_loss_are_no_proof(wins: int) -> None:
    """Five wins of five are not enough for 95 per cent."""
    assert 0.5 < BradleyTerry().fit(build_duels((0, 1, 1, wins))).superiority[0, 1] < 0.95


def test_where_all_but_the_winner_are_level_the_wins_count() -> None:
    """The entrant that won more often is ahead."""
    seats = np.tile(np.arange(4), (700, 1))
    winner = np.repeat([0, 0, 0, 0, 1, 1, 2], 100)[:, None]
    ratings = BradleyTerry().fit(build_results(seats, np.where(seats == winner, 1, 2)))
    assert np.all(np.diff(ratings.rating) < -30)


def test_equal_places_are_equal() -> None:
    """Entrants that share places are rated alike, at the top of a table and at all of it."""
    seats = np.tile(np.arange(5), (20, 1))
    level = BradleyTerry().fit(build_results(seats, np.ones_like(seats)))
    assert level.rating == pytest.approx(0, abs=1e-9)
    assert level.superiority == pytest.approx(0.5)
    ratings = BradleyTerry().fit(build_results(seats, np.tile([1, 1, 3, 4, 5], (20, 1))))
    assert ratings.rating[0] == pytest.approx(ratings.rating[1])
    assert np.all(np.diff(ratings.rating[1:]) < 0)


def test_groups_that_never_met_are_rated_apart() -> None:
    """Each group has a mean of 0, and nothing is claimed between groups."""
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
    """Without results all ratings are 0, with infinite intervals."""
    nothing = np.zeros((0, table), np.int64)
    ratings = BradleyTerry().fit(build_results(nothing, nothing, entrants=entrants))
    assert ratings.rating.tolist() == [0] * entrants
    assert np.isneginf(ratings.low).all()
    assert ratings.superiority == pytest.approx(np.full((entrants, entrants), 0.5))


def test_a_table_of_one_tells_nothing() -> None:
    """A match with one entrant changes no rating and connects nobody."""
    alone: Ints = np.array([[0, -1], [1, -1]])
    ratings = BradleyTerry().fit(build_results(alone, np.array([[1, 0], [1, 0]])))
    assert ratings.rating.tolist() == [0, 0]
    assert ratings.group.tolist() == [0, 1]


@pytest.mark.parametrize("level", [0, 1, 1.5, -0.1])
def test_a_level_is_a_probability(level: float) -> None:
    """A level that is not a probability is refused."""
    with pytest.raises(UserError, match="between 0 and 1"):
        BradleyTerry().fit(draw_sample(1, 2, 3, 5), level)


def test_a_higher_level_gives_a_wider_interval() -> None:
    """A higher level widens intervals and keeps the ratings."""
    found = draw_sample(4, 3, 5, 60)
    ratings, other_ratings = (BradleyTerry().fit(found, level) for level in (0.8, 0.99))
    assert np.array_equal(ratings.rating, other_ratings.rating)
    assert np.all(ratings.low > other_ratings.low)
    assert np.all(ratings.high < other_ratings.high)


def force_stepwise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat any number of entrants as so many that no matrix of all of them is inverted."""
    for module in ("bradley_terry", "means"):
        monkeypatch.setattr(f"arena.tournament.ratings.{module}.MAX_DENSE", 0)


@pytest.mark.parametrize(
    ("table", "entrants", "deals"), [(2, 40, 4000), (2, 40, 200), (4, 12, 300)]
)
def test_figures_of_many_entrants_are_those_of_few(
    table: int, entrants: int, deals: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ratings and means are the same; intervals are estimated, the better the more opponents."""
    found = draw_sample(6, table, entrants, deals)
    few, means = BradleyTerry().fit(found), compute_mean_scores(found)
    force_stepwise(monkeypatch)
    many, other_means = BradleyTerry().fit(found), compute_mean_scores(found)
    assert many.rating == pytest.approx(few.rating, abs=1e-5)
    known = np.isfinite(few.high)
    assert (many.high - many.rating)[known] == pytest.approx(
        (few.high - few.rating)[known], rel=0.25
    )
    assert many.superiority == pytest.approx(few.superiority, abs=0.1)
    assert other_means.mean == pytest.approx(means.mean)
    assert other_means.high[known] == pytest.approx(means.high[known], rel=0.01)
    moved, expected = (fit.anchor("e1", 1500) for fit in (many, few))
    assert moved.high[known] == pytest.approx(expected.high[known], rel=0.1)
    assert is_ranking_certain(many, 0.5) == is_ranking_certain(few, 0.5)


def test_intervals_of_many_entrants_are_reproducible(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are drawn from a fixed seed; groups that never met are still rated apart."""
    force_stepwise(monkeypatch)
    found = build_duels((0, 1, 1, 20), (0, 1, -1, 10), (2, 3, 1, 15), (2, 3, -1, 15))
    ratings, other_ratings = BradleyTerry().fit(found), BradleyTerry().fit(found)
    assert np.array_equal(ratings.high, other_ratings.high)
    assert np.bincount(ratings.group, ratings.rating) == pytest.approx(0, abs=1e-6)
    assert ratings.superiority[:2, 2:] == pytest.approx(0.5)


def test_an_anchor_moves_its_group_and_knows_its_own_rating() -> None:
    """An interval excludes the anchor's rating where that much superiority is certain."""
    apart = Results(
        tuple("abcdef"),
        np.arange(2),
        np.array([[0, 1], [2, 3]]),
        np.ones((2, 2), np.int64),
        np.ones((2, 2)),
    )
    assert BradleyTerry().fit(apart).anchor("a", 100).rating.tolist() == [100, 100, 0, 0, 0, 0]
    found = BradleyTerry().fit(draw_sample(4, 3, 5, 60))
    moved = found.anchor(found.entrants[1], 1500)
    assert moved.rating - moved.rating[1] == pytest.approx(found.rating - found.rating[1])
    assert (moved.low[1], moved.rating[1], moved.high[1]) == (1500, 1500, 1500)
    ahead, behind = found.superiority[:, 1] > 0.975, found.superiority[:, 1] < 0.025
    assert ahead.any()
    assert behind.any()
    assert np.array_equal(moved.low > 1500, ahead)
    assert np.array_equal(moved.high < 1500, behind)
    few = BradleyTerry().fit(build_duels((0, 1, 1, 1), (1, 2, 1, 9)))
    assert np.isinf(few.anchor(few.entrants[0], 0).high[1:]).all()


def test_many_at_a_table_are_rated_too() -> None:
    """Thirty tables of twelve with all kinds of ties are rated."""
    random = np.random.default_rng(5)
    seats = np.stack([random.permutation(14)[:12] for _ in range(30)])
    scores = np.round(random.gumbel(size=seats.shape) + seats / 5)
    places = 1 + (scores[:, None, :] > scores[:, :, None]).sum(axis=2)
    ratings = BradleyTerry().fit(build_results(seats, places))
    assert np.corrcoef(ratings.rating, np.arange(14))[0, 1] > 0.9


def test_a_share_is_as_certain_as_its_deals_differ() -> None:
    """The interval of a share has a width, also where all deals are wins or ties."""
    won, level = estimate_share(np.ones(3)), estimate_share(np.full(40, 0.5))
    assert won.low < 0.5 < won.high == 1
    assert 0.002 < level.value - level.low < 0.03
    cancelled = estimate_share(np.tile([0.5, 0.5, 0.75, 0.25], 10))
    single = estimate_share(np.tile([0.0, 1.0, 1.0, 0.0], 10))
    assert cancelled.high - cancelled.low < (single.high - single.low) / 2
    nothing = estimate_share(np.zeros(0))
    assert (nothing.value, nothing.low, nothing.high) == (0.5, 0, 1)
