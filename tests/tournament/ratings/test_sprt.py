"""The sequential test: its errors by exact computation and simulation, its corners by hand."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import logsumexp

from arena.rules import UserError
from arena.tournament.ratings import Sprt, estimate_elo_difference
from arena.tournament.ratings.rating_input import Floats
from arena.tournament.ratings.stopping import SCORES, compute_evidence, elo_to_score
from benchmarks.sequential import compute_ending, list_two_results

pytestmark = pytest.mark.slow  # thousands of tests
LUCK = {
    "independent": np.convolve([0.35, 0.3, 0.35], [0.35, 0.3, 0.35]),
    "cancels": np.array([0.02, 0.05, 0.86, 0.05, 0.02]),
    "adds": np.array([0.4, 0.05, 0.1, 0.05, 0.4]),
}
"""How often pairs between equals have each number of points, with ties."""

five = st.lists(st.integers(0, 300), min_size=5, max_size=5)


def tilt_chances(base: Floats, elo: float) -> Floats:
    """Tilt these chances so that the expected score is that of an Elo difference."""

    def tilted(by: float) -> Floats:
        weight = base * np.exp(by * SCORES)
        return np.asarray(weight / weight.sum())

    return tilted(float(brentq(lambda by: float(tilted(by) @ SCORES) - elo_to_score(elo), -60, 60)))


def run_tests(test: Sprt, chances: Floats, tests: int = 500, longest: int = 1500) -> Floats:
    """Run many tests at once; return the shares of H0 and H1 accepted."""
    random = np.random.default_rng(7)
    drawn = random.choice(5, size=(tests, longest), p=chances)
    counts = np.cumsum(drawn[:, :, None] == np.arange(5), axis=1)
    ratios = test.compute_ratios(counts)
    over, under = ratios >= test.bounds[1], ratios <= test.bounds[0]
    first = (over | under).argmax(axis=1)
    runs = np.arange(tests)
    return np.array([under[runs, first].mean(), over[runs, first].mean()])


@pytest.mark.each("luck", "ahead")
@pytest.mark.parametrize("luck", LUCK)
@pytest.mark.parametrize("ahead", [40, 100])
def test_errors_are_as_rare_as_was_asked_for(luck: str, ahead: int) -> None:
    """At most one test in twenty errs, apart from the chance of five hundred tests."""
    test = Sprt(0, ahead)
    assert run_tests(test, tilt_chances(LUCK[luck], 0))[1] < 0.08
    assert run_tests(test, tilt_chances(LUCK[luck], ahead))[0] < 0.08


def test_tests_end() -> None:
    """Nearly all tests accept a hypothesis within fifteen hundred pairs."""
    assert run_tests(Sprt(0, 40), tilt_chances(LUCK["independent"], 20)).sum() > 0.98


def test_bounds_are_the_evidence_that_errors_seldom_reach() -> None:
    """Evidence of 1/alpha is reached in alpha of all tests at most."""
    assert Sprt(0, 5).bounds == pytest.approx((log(0.05), -log(0.05)))
    assert Sprt(0, 5, 0.01, 0.1).bounds == pytest.approx((log(0.1), -log(0.01)))


@pytest.mark.each("elo0", "elo1")
@pytest.mark.parametrize(("elo0", "elo1"), [(0, 400), (0, 100), (-50, 0)])
def test_exact_errors_are_as_rare_as_was_asked_for(elo0: float, elo1: float) -> None:
    """Errors are rare also with the most skewed pairs, such as level ones and a few wins."""
    test = Sprt(elo0, elo1)
    for chances in list_two_results(elo_to_score(elo0)):
        assert compute_ending(chances, test.compute_ratios, *test.bounds).h1 <= test.alpha
    for chances in list_two_results(elo_to_score(elo1)):
        assert compute_ending(chances, test.compute_ratios, *test.bounds).h0 <= test.beta


@given(five, st.integers(0, 4))
def test_a_pair_adds_no_evidence_against_what_is_true(counts: list[int], result: int) -> None:
    """Before a pair between equals, the evidence against their equality is the mean of after it."""
    now = compute_evidence(np.array(counts), 1 / 2, 0.02)
    after = np.array(counts) + np.eye(5, dtype=int)[[result, 4 - result]]
    assert logsumexp(compute_evidence(after, 1 / 2, 0.02)) - log(2) == pytest.approx(float(now))


@given(five)
def test_the_other_side_sees_the_same(counts: list[int]) -> None:
    """With counts reversed and hypotheses negated the ratio is negated."""
    ratio = Sprt(0, 30).compute_llr(counts)
    assert Sprt(-30, 0).compute_llr(counts[::-1]) == pytest.approx(-ratio)
    assert np.isfinite(ratio)


@given(five, st.integers(0, 3))
def test_a_better_pair_speaks_for_h1(counts: list[int], worse: int) -> None:
    """A better pair raises the ratio, at least where hypotheses are near to the estimate."""
    counts[worse] += 1
    better = [*counts]
    better[worse] -= 1
    better[worse + 1] += 1
    assert estimate_elo_difference(better).value > estimate_elo_difference(counts).value


@pytest.mark.parametrize(
    ("counts", "decision"),
    [
        ([0, 0, 0, 0, 0], None),
        ([0, 0, 0, 0, 1], None),
        ([0, 0, 0, 0, 5], None),
        ([0, 0, 0, 0, 100], "H1"),
        ([0, 0, 5, 0, 0], None),
        ([0, 0, 500, 0, 0], "H0"),
        ([5, 0, 0, 0, 0], None),
        ([100, 0, 0, 0, 0], "H0"),
        ([10, 20, 30, 20, 10], None),
    ],
)
def test_a_verdict_takes_more_than_a_few_pairs(counts: list[int], decision: str | None) -> None:
    """A few pairs decide nothing, also where all are equal and have no variance."""
    assert Sprt(0, 40).decide(counts) == decision


def test_before_the_first_pair_nothing_is_known() -> None:
    """Before the first pair ratio and difference are 0, and the interval is infinite."""
    assert Sprt(0, 5).compute_llr([0] * 5) == 0
    found = estimate_elo_difference([0] * 5)
    assert (found.value, found.low, found.high) == (0, -np.inf, np.inf)


def test_who_won_all_is_infinitely_far_ahead_but_surely_by_something() -> None:
    """The interval after wins alone has a lower end."""
    found = estimate_elo_difference([0, 0, 0, 0, 50])
    assert found.value == found.high == np.inf
    assert 200 < found.low < 1000
    assert estimate_elo_difference([50, 0, 0, 0, 0]).high == pytest.approx(-found.low)


@pytest.mark.parametrize("luck", LUCK)
def test_the_interval_of_the_difference_covers_the_truth(luck: str) -> None:
    """After fifty pairs 95 of a hundred intervals cover the truth."""
    random = np.random.default_rng(3)
    drawn = random.multinomial(50, tilt_chances(LUCK[luck], 60), size=400).tolist()
    found = [estimate_elo_difference(counts) for counts in drawn]
    assert 0.91 < np.mean([interval.low <= 60 <= interval.high for interval in found]) < 0.985


def test_what_makes_no_test_is_refused() -> None:
    """Hypotheses in the wrong order and invalid error rates are refused."""
    with pytest.raises(UserError, match="is not a number below elo1"):
        Sprt(5, 5)
    for rates in ((0, 0.05), (0.05, 0.5), (-1, 0.1)):
        with pytest.raises(UserError, match=r"(alpha|beta): .* is not a number between 0 and 0\.5"):
            Sprt(0, 5, *rates)
