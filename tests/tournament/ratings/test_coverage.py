"""Intervals hold what they promise: 95 of 100 have the true strength in them."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from attrs import evolve
from scipy.sparse import csr_array

from arena.tournament.ratings import (
    ELO,
    BradleyTerry,
    Ratings,
    bradley_terry,
    compute_mean_places,
    compute_mean_scores,
    schedule_luck,
)
from arena.tournament.ratings.rating_input import Floats, Ints, Results
from arena.tournament.ratings.schedule_luck import measure_schedule_luck
from tests.support.tournaments.random_results import (
    NONE,
    SOME,
    Luck,
    Ties,
    build_results,
    draw_opposite_luck,
    draw_own_luck,
    draw_results,
    draw_seatings,
    draw_shared_luck,
)

pytestmark = pytest.mark.slow  # hundreds of fits
TIMES = 60


def simulate_results(
    table: int, deals: int, matches: int, luck: Luck, ties: Ties = SOME, *, times: int = TIMES
) -> list[Results]:
    random = np.random.default_rng([table, deals, matches])
    return [
        draw_results(
            get_strengths(),
            draw_seatings(random, deals, table, 5),
            luck(random, deals, matches),
            ties,
        )
        for _ in range(times)
    ]


def get_strengths() -> Floats:
    return np.array([-1.0, -0.5, 0.0, 0.2, 1.3])


def separate_matches(results: Results) -> Results:
    return evolve(results, deal=np.arange(len(results.deal)))


@cache
def compute_true_ratings(table: int, some_ties: bool) -> Floats:
    """Return the ratings of very many matches, which are the strengths if there are no ties."""
    if not some_ties:
        return get_strengths() * ELO
    (many,) = simulate_results(table, 20_000, 1, draw_own_luck, times=1)
    return BradleyTerry().fit(many).rating


def measure_coverage(fits: list[Ratings], table: int = 2, ties: Ties = SOME) -> float:
    true = compute_true_ratings(table, bool(ties))
    return float(np.mean([(fit.low <= true) & (true <= fit.high) for fit in fits]))


def measure_width(fits: list[Ratings]) -> float:
    return float(np.median([fit.high - fit.low for fit in fits]))


@pytest.mark.parametrize(
    ("table", "deals", "luck", "ties"),
    [
        pytest.param(2, 75, draw_own_luck, NONE, marks=pytest.mark.release),
        (2, 75, draw_shared_luck, SOME),
        (3, 50, draw_shared_luck, SOME),
        pytest.param(4, 20, draw_own_luck, SOME, marks=pytest.mark.release),
        (4, 20, draw_own_luck, NONE),
    ],
)
def test_intervals_cover_the_truth(table: int, deals: int, luck: Luck, ties: Ties) -> None:
    """Intervals cover the truth from sixteen deals for each entrant on, whatever the luck of a deal."""
    fits = [BradleyTerry().fit(sample) for sample in simulate_results(table, deals, 4, luck, ties)]
    assert 0.91 < measure_coverage(fits, table, ties) < 0.985


def test_where_a_deal_lends_its_luck_counting_matches_claims_too_much() -> None:
    """Four matches of one deal do not count as four deals."""
    found = simulate_results(2, 100, 4, draw_shared_luck)
    fits = [BradleyTerry().fit(sample) for sample in found]
    naive = [BradleyTerry().fit(separate_matches(sample)) for sample in found]
    assert 0.91 < measure_coverage(fits) < 0.985
    assert measure_coverage(naive) < 0.8


def test_where_seats_are_swapped_intervals_by_deal_are_much_narrower() -> None:
    """Luck that cancels out narrows the intervals, which still cover the truth."""
    found = simulate_results(2, 100, 2, draw_opposite_luck)
    fits = [BradleyTerry().fit(sample) for sample in found]
    naive = [BradleyTerry().fit(separate_matches(sample)) for sample in found]
    assert 0.91 < measure_coverage(fits) < 0.985
    assert measure_width(fits) < measure_width(naive) / 1.4


def test_of_two_equals_one_is_seldom_surely_stronger() -> None:
    """Superiority of 95 per cent is wrong one time in twenty, for each of them."""
    random = np.random.default_rng(3)
    sure = []
    for _ in range(TIMES * 2):
        seats, luck = draw_seatings(random, 30, 3, 3), draw_shared_luck(random, 30, 3)
        sure.append(BradleyTerry().fit(draw_results(np.zeros(3), seats, luck)).superiority >= 0.95)
    assert np.mean(sure, axis=0)[~np.eye(3, dtype=bool)] == pytest.approx(0.05, abs=0.03)


@pytest.mark.parametrize("luck", [draw_own_luck, draw_shared_luck, draw_opposite_luck])
def test_intervals_of_means_cover_the_truth(luck: Luck) -> None:
    """Intervals of means cover what the same schedule gives with other luck, also after few deals."""
    random, hits = np.random.default_rng(4), []
    for _ in range(5):
        seats = draw_seatings(random, 40, 2, 5)
        many = np.repeat(seats, 400, axis=0)
        true = compute_mean_scores(
            draw_results(get_strengths(), many, draw_own_luck(random, len(many), 1))
        ).mean
        for _ in range(TIMES // 2):
            found = draw_results(get_strengths(), seats, luck(random, 40, 4))
            mean = compute_mean_scores(found)
            hits.append((mean.low <= true) & (true <= mean.high))
    assert 0.91 < np.mean(hits) < 0.985


@pytest.mark.parametrize(
    ("wins", "ties", "deals"), [(0.98, 0.0, 24), (0.9, 0.0, 15), (0.7, 0.9, 30), (0.5, 0.9, 15)]
)
def test_intervals_of_means_cover_what_has_not_happened_yet(
    wins: float, ties: float, deals: int
) -> None:
    """A bot that won or tied every deal so far may lose the next one."""
    random, hits = np.random.default_rng(5), []
    chances = [(1 - ties) * wins, ties, (1 - ties) * (1 - wins)]
    true = 1 + chances[2], chances[0] - chances[2]  # the mean place and the mean score
    pairs = np.array([(0, other) for other in (1, 2, 3)] * (deals // 3))
    for _ in range(TIMES * 3):
        margin = 1 - random.choice(3, size=len(pairs), p=chances)
        found = score_pairs(pairs, margin.astype(np.float64))
        means = compute_mean_places(found), compute_mean_scores(found)
        hits.append(
            [mean.low[0] <= at <= mean.high[0] for mean, at in zip(means, true, strict=True)]
        )
    assert (np.mean(hits, axis=0) > 0.92).all()


def test_who_won_all_has_an_interval_within_what_can_be() -> None:
    """The interval of a mean place of 1 has no ends below 1, and one a little above."""
    pairs = np.array([(0, 1), (0, 2), (1, 2)] * 20)
    margin = np.tile([1.0, 1.0, 0.0], 20)
    margin[2::3] = np.resize([1, -1], 20)
    places = compute_mean_places(score_pairs(pairs, margin))
    assert places.mean[0] == places.low[0] == 1
    assert 1.04 < places.high[0] < 1.15
    for scale in (1e-3, 1e9):
        scores = compute_mean_scores(score_pairs(pairs, margin * scale / 3))
        assert (scores.mean - scores.low)[0] > 0.04 * scale / 3
    alike = compute_mean_scores(score_pairs(pairs, margin * 0))
    assert np.isinf(alike.high).all()


def test_who_tied_all_may_do_anything_else_as_rarely_as_the_exact_bound_allows() -> None:
    """After 14 deals alike up to 23 % of all deals may differ, by as much as those of others."""
    pairs, margin = np.repeat([(0, 1), (2, 3)], 14, axis=0), np.repeat([0.0, 1.0], 14)
    margin[-7:] = -1
    scores = compute_mean_scores(score_pairs(pairs, margin))
    assert scores.high[0] == -scores.low[0] == pytest.approx(1 - 0.025 ** (1 / 14))


def draw_elimination(random: np.random.Generator, entrants: int, deals: int) -> tuple[int, Results]:
    """Return the winner and the results of an elimination between equals, decided by luck."""
    left, pairs, first_wins = [*range(entrants)], [], []
    while len(left) > 1:
        ties = [*zip(left[::2], left[1::2], strict=True)]
        won = random.random((len(ties), deals)) < 1 / 2
        pairs += ties
        first_wins += [*won]
        ahead = won.mean(axis=1) > 1 / 2
        left = [first if ahead[tie] else second for tie, (first, second) in enumerate(ties)]
    margin = np.where(np.concatenate(first_wins), 1.0, -1.0)
    return left[0], score_pairs(np.repeat(pairs, deals, axis=0), margin)


def test_who_met_lucky_winners_has_an_interval_with_the_truth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Luck decides who goes on in an elimination between equals; alone, the spread ignores it."""
    random = np.random.default_rng(6)
    drawn = [draw_elimination(random, 16, 25) for _ in range(TIMES)]

    def measure() -> float:
        fits = ((winner, BradleyTerry().fit(results)) for winner, results in drawn)
        return float(np.mean([fit.low[winner] <= 0 <= fit.high[winner] for winner, fit in fits]))

    assert measure() > 0.91
    monkeypatch.setattr(bradley_terry, "measure_schedule_luck", lambda *given: 0 * given[1])
    assert measure() < 0.7


def test_where_all_meet_all_the_schedule_owes_nothing_to_luck() -> None:
    """A full schedule has no luck, also with a strong entrant and with small groups."""
    meetings = np.full((6, 6), -10.0) + 60 * np.eye(6)
    strength = np.array([1.5, 0.1, -0.2, -0.4, -0.3, -0.7])
    luck = measure_schedule_luck(csr_array(meetings), strength, np.zeros(6, np.int64))
    assert luck == pytest.approx(0, abs=1e-9)
    pair = csr_array(np.array([[10.0, -10, 0], [-10, 10, 0], [0, 0, 0]]))
    groups = np.array([0, 0, 1])
    assert measure_schedule_luck(pair, np.array([1.0, -1, 0]), groups) == pytest.approx(0)


def test_the_luck_of_many_schedules_is_that_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """The luck of a schedule is the same without a decomposition, if entrants have some opponents."""
    random = np.random.default_rng(7)
    ends = np.array([random.choice(60, 2, replace=False) for _ in range(400)])
    sides = np.eye(60)[ends[:, 0]] - np.eye(60)[ends[:, 1]]
    information, strength = csr_array(sides.T @ sides), random.normal(0, 0.3, 60)
    given = information, strength - strength.mean(), np.zeros(60, np.int64)
    exact = measure_schedule_luck(*given)
    monkeypatch.setattr(schedule_luck, "MAX_DECOMPOSED", 0)
    assert np.abs(exact).max() > 0.05
    assert measure_schedule_luck(*given) == pytest.approx(exact, abs=0.01)


@pytest.mark.parametrize("rounds", [3, 12])
def test_intervals_of_means_leave_out_what_the_schedule_fixes(rounds: int) -> None:
    """Opponents of different strengths widen no interval of a round robin."""
    random = np.random.default_rng(rounds)
    pairs = np.array([*combinations(range(8), 2)] * rounds)
    beats = (
        np.linspace(-9, 9, 8) + np.arange(8)[:, None] % 3
    )  # what row gains, not only by strength
    expected = (beats.T - beats)[pairs[:, 0], pairs[:, 1]]
    true = compute_mean_scores(score_pairs(pairs, expected)).mean
    hits, widths, errors = [], [], []
    for _ in range(TIMES):
        found = compute_mean_scores(score_pairs(pairs, expected + random.normal(size=len(pairs))))
        hits.append((found.low <= true) & (true <= found.high))
        widths.append((found.high - found.low) / 2)
        errors.append(found.mean - true)
    assert 0.91 < np.mean(hits) < 0.985
    assert np.mean(widths) < 2.3 * np.std(errors)


def score_pairs(pairs: Ints, margin: Floats) -> Results:
    """Return results in which the first of each pair gains a margin and the second loses it."""
    places = np.stack([1 + (margin < 0), 1 + (margin > 0)], axis=1)
    scores = np.stack([margin, -margin], axis=1)
    return evolve(build_results(pairs, places), scores=scores)
