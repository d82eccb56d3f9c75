"""The search of a run, with coins for matches: what is found, and what is claimed."""

from __future__ import annotations

from random import Random
from statistics import NormalDist

import numpy as np
import pytest
from attrs import evolve

from arena_tune.optimiser import CANDIDATES
from arena_tune.parameters import CHOICE, REAL, Parameter, Settings, get_defaults
from arena_tune.staged_search import (
    BETTER,
    EFFECTS,
    EXPLORE,
    GATE,
    NOT_SHOWN,
    POINTS,
    RACE,
    RACERS,
    SCALE,
    SEARCH,
    WORSE_HELD_OUT,
    Generation,
    GenerationResults,
    IncompleteError,
    PairingPlanner,
    StagedSearch,
    TuningTerms,
    average_settings,
    choose_racers,
    compute_means,
    count_pair_results,
    list_variants,
    plan_budget,
    scale_points,
    smooth_wins,
)
from arena_tune.tune_file import SearchConfig
from tests.support.tuning.coins import (
    BEST_CHANCE,
    PARAMETERS,
    CoinPlayer,
    build_terms,
    compute_hill,
    tune_coin,
)

pytestmark = pytest.mark.slow  # whole runs, many times


def test_a_planted_optimum_is_found_under_noise() -> None:
    """Six parameters of all types come within 0.05 of the best chance, for both of two seeds."""
    for seed in range(2):
        search = tune_coin(compute_hill, seed, 10_000)
        assert search.winner is not None
        assert compute_hill(search.winner) > BEST_CHANCE - 0.05
        assert search.conclusion == BETTER


@pytest.mark.parametrize("repeats", [True, False])
def test_nothing_is_claimed_where_nothing_can_be_gained(repeats: bool) -> None:
    """Of twenty runs of a bot that its parameters do not change, at most one claims a gain."""
    conclusions = [
        tune_coin(lambda _: 0.6, seed, 400, repeats=repeats, pairs=300).conclusion
        for seed in range(20)
    ]
    assert conclusions.count(BETTER) <= 1
    assert set(conclusions) <= {BETTER, NOT_SHOWN}


def test_a_gain_that_costs_elsewhere_is_not_called_better() -> None:
    """What wins against the pool and loses where it was held out has a conclusion of its own."""
    held_out = 3

    def play(generation: Generation) -> GenerationResults:
        results = CoinPlayer(compute_hill, 1)(generation)
        if generation.pairings[0].opponents == (held_out,):
            results.scores[:] = [[1.0], [0.0]]
        return results

    search = StagedSearch(build_terms(1, 5_000), play)
    assert search.run()
    assert search.conclusion == WORSE_HELD_OUT


def test_a_run_plays_what_its_budget_says() -> None:
    """Exploring, the search and the race stay within the budget, and use most of it."""
    search = tune_coin(compute_hill, 1, 2_000)
    played = {
        stage: sum(step.generation.matches for step in search.steps
                   if step.generation.stage == stage)
        for stage in (EXPLORE, SEARCH, RACE)
    }  # fmt: skip
    assert 0.85 * 2_000 < sum(played.values()) <= 2_000
    assert search.steps[-1].generation.stage == EFFECTS


def test_a_budget_too_small_for_exploring_has_none() -> None:
    """A deal for each of sixteen random settings must be paid for, at each number of seats."""
    shares = [plan_budget(build_terms(1, matches)).explore for matches in (100, 300, 400)]
    assert shares == [0, 0, 80]
    assert plan_budget(build_terms(1, 400, seats=4)).explore == 0


def test_a_gate_is_reached_by_no_fewer_pairs() -> None:
    """With this number of pairs that are all won both tests end, and with one less one does not."""
    terms = build_terms(1, 1_000)
    fewest = terms.decisive_pairs // terms.seats  # deals
    tests = terms.gate_test, terms.held_test
    assert [test.decide([0, 0, 0, 0, fewest]) for test in tests] == ["H1", "H1"]
    short = [test.decide([0, 0, 0, 0, fewest - 1]) for test in tests]
    assert short != ["H1", "H1"]


@pytest.mark.parametrize("matches", [100, 300, 2_000, 20_000])
def test_every_budget_has_a_search(matches: int) -> None:
    """Small budgets have short generations, and each has a match in every rotation."""
    budget = plan_budget(build_terms(1, matches))
    assert budget.generations >= 1
    assert budget.matches % 2 == 0
    assert budget.generations * budget.matches * (CANDIDATES + 1) <= (
        matches - budget.race - budget.explore
    )


def test_opponents_are_met_equally_often() -> None:
    """Over a run every opponent of the pool is met equally often, within one deal."""
    planner = PairingPlanner(build_terms(1, 1_000))
    met = [
        pairing.opponents[0]
        for deals in (4, 5, 7)
        for pairing in planner.draw(deals, (0, 1, 2))
        if pairing.rotation == 0
    ]
    assert sorted(met.count(opponent) for opponent in range(3)) == [5, 5, 6]


def test_no_deal_is_played_in_two_generations() -> None:
    """The race, the tests and the effects are played with fresh deals."""
    search = tune_coin(compute_hill, 1, 400)
    deals = [{pairing.deal for pairing in step.generation.pairings} for step in search.steps]
    assert sum(map(len, deals)) == len(set[int]().union(*deals))


def test_a_run_that_is_cut_off_comes_to_the_same_end() -> None:
    """Told the stored generations again, a run asks for the same candidates as it did."""
    whole = tune_coin(compute_hill, 5, 400)
    stored = [(step.generation, GenerationResults(step.scores)) for step in whole.steps]
    for complete in (0, 3, len(whole.steps)):
        again = replay(whole, stored[:complete])
        assert [step.settings for step in again.steps] == [
            step.settings for step in whole.steps[:complete]
        ]
        assert len(again.steps) == complete
    assert replay(whole, stored).conclusion == whole.conclusion


def replay(whole: StagedSearch, left: list[tuple[Generation, GenerationResults]]) -> StagedSearch:
    def play(generation: Generation) -> GenerationResults:
        for known, results in left:
            if known == generation:
                return results
        raise IncompleteError

    search = StagedSearch(whole.terms, play)
    search.run()
    return search


def test_a_clear_win_counts_more_than_a_narrow_one() -> None:
    """A match without a margin counts as it does otherwise; margins that are alike tell nothing."""
    wins = np.array([[1.0, 1.0, 0.5, 0.0, 0.0, np.nan]])
    margins = np.array([[10.0, 1.0, 0.0, -1.0, np.nan, np.nan]])
    shares = smooth_wins(GenerationResults(wins, margins))[0]
    assert shares[0] > 0.9 > shares[1] > 0.5 == shares[2] > shares[3] > 0.1 > shares[4] == 0
    assert shares[1] + shares[3] == pytest.approx(1)
    assert np.isnan(shares[5])
    assert smooth_wins(GenerationResults(wins)) is wins
    assert smooth_wins(GenerationResults(wins, np.full_like(wins, np.nan))) is wins
    assert smooth_wins(GenerationResults(wins, np.ones_like(wins))) is wins


def test_margins_find_a_better_bot_than_wins_alone() -> None:
    """With the same matches, the mean chance of ten winners is higher if their margins are known."""

    def find_winner(seed: int, *, knows_margins: bool) -> float:
        def play(generation: Generation) -> GenerationResults:
            margins = np.array([
                [play_margin(compute_hill(settings), f"{seed} {pairing.deal} {pairing.rotation}")
                 for pairing in generation.pairings]
                for settings in generation.candidates
            ])  # fmt: skip
            return GenerationResults(np.heaviside(margins, 0.5), margins if knows_margins else None)

        search = StagedSearch(build_terms(seed, 2_000), play)
        assert search.run()
        assert search.winner is not None
        return compute_hill(search.winner)

    by_margins, by_wins = (
        np.mean([find_winner(seed, knows_margins=known) for seed in range(6)])
        for known in (True, False)
    )
    assert by_margins > by_wins + 0.01


def play_margin(chance: float, seed: str) -> float:
    return NormalDist(NormalDist().inv_cdf(chance)).inv_cdf(Random(seed).random())


def test_void_matches_do_not_count() -> None:
    """A candidate's mean is that of its other matches, and 0 where all were void."""
    scores = np.array([[1.0, np.nan, 0.5], [np.nan, np.nan, np.nan]])
    assert compute_means(scores) == [0.75, 0.0]
    scores = np.array([[1.0, 0.0, np.nan, 0.5], [0.0, 1.0, 1.0, 0.5]])
    assert count_pair_results(scores) == [1, 0, 1, 0, 1]


def test_a_deal_that_is_one_match_played_twice_counts_once_in_a_test() -> None:
    """Where seats do not matter, swapping them is no further evidence."""
    player = CoinPlayer(compute_hill, 1, repeats=False)

    def play_twice(generation: Generation) -> GenerationResults:
        pairings = tuple(evolve(pairing, rotation=0) for pairing in generation.pairings)
        return player(evolve(generation, pairings=pairings))

    search = StagedSearch(build_terms(1, 5_000), play_twice)
    search.run()
    tests = [step for step in search.steps if step.generation.stage == GATE]
    assert tests
    for step in tests:
        deals = [count / 2 for count in step.counts]
        assert step.llr == pytest.approx(search.terms.gate_test.compute_llr(deals))


def test_pairs_of_larger_tables_keep_their_mean() -> None:
    """Two gains of a third and a loss of two thirds are no gain, and whole pairs stay whole."""
    third = 1 / 3
    counts = count_pair_results(np.array([[0.0, third, 1.0], [third, 2 * third, third]]))
    assert sum(counts) == 3
    assert float(np.dot(counts, [-1, -0.5, 0, 0.5, 1])) == pytest.approx(0, abs=1e-6)
    assert count_pair_results(np.array([[0.0, 0.0, 1.0]] * 2)) == [0, 0, 3, 0, 0]


def test_racers_are_the_default_averages_and_late_means() -> None:
    """They are the last half's, spread over it, each once, and the averages of late ones."""
    parameter = Parameter("k", REAL, 0.0, 0.0, 100.0)
    means: list[Settings] = [{"k": float(number)} for number in range(40)]
    racers = choose_racers([parameter], means)
    assert len(racers) == RACERS
    assert racers[:3] == [{"k": 0.0}, {"k": 34.5}, {"k": 29.5}]
    assert {racer["k"] for racer in racers[3:]} <= set(range(20, 40))
    assert choose_racers([parameter], [{"k": 0.0}] * 8) == [{"k": 0.0}]


def test_an_average_has_the_commonest_choice() -> None:
    """Numbers are averaged on their scale, so the middle of 1 and 100 may be 10."""
    parameters = (
        Parameter("rate", REAL, 1.0, 1.0, 100.0, log=True),
        Parameter("style", CHOICE, "low", choices=("low", "middle", "high")),
    )
    points: list[Settings] = [
        {"rate": 1.0, "style": "high"}, {"rate": 100.0, "style": "high"},
        {"rate": 10.0, "style": "low"},
    ]  # fmt: skip
    assert average_settings(parameters, points) == {"rate": 10.0, "style": "high"}


def test_variants_are_far_from_the_settings() -> None:
    """A number has the ends of its range, a choice the others."""
    settings = get_defaults(PARAMETERS)
    found = {parameter.name: list_variants(parameter, settings) for parameter in PARAMETERS}
    assert found["a"] == [-1.0, 1.0]
    assert found["m"] == [0]
    assert found["style"] == ["middle", "high"]
    assert found["bold"] == [True]


TRAP = (
    Parameter("place", REAL, 0.2, 0.0, 1.0),
    Parameter("style", CHOICE, "low", choices=("low", "high")),
)


def compute_trap(settings: Settings) -> float:
    """Return the chance on a low hill around the default, and a higher one far from it."""
    distance = abs(float(settings["place"]) - (0.85 if settings["style"] == "high" else 0.2))
    top = 0.9 if settings["style"] == "high" else 0.6
    return max(0.1, top - 4 * distance)


def test_exploring_finds_a_hill_that_the_search_alone_does_not() -> None:
    """With the share for random settings that a file has by default, most runs leave its hill."""
    default = SearchConfig().explore
    found = {
        share: sum(
            compute_trap(tune_coin(
                compute_trap, seed, 3_000, parameters=TRAP, explore=share
            ).winner or {"place": 0.0, "style": "low"}) > 0.65
            for seed in range(6)
        )
        for share in (0.0, default)
    }  # fmt: skip
    assert found[default] >= 5
    assert found[0.0] < found[default]


def test_points_are_scaled_by_the_spread_of_the_default() -> None:
    """The default's mean is 1/2, a standard deviation a quarter, and failing is the worst."""
    default = np.array([[-10.0, 10.0, -10.0, 10.0]])
    points = np.array([[0.0, 10.0, -np.inf, np.nan]])
    scores = scale_points(points, default)
    assert scores.tolist()[0][:3] == [0.5, 0.75, 0.0]
    assert np.isnan(scores[0, 3])
    assert scale_points(np.array([[3.0]]), np.array([[3.0, 3.0]])).tolist() == [[0.5]]


def test_points_find_a_gain_that_places_do_not_show() -> None:
    """A bot that wins by more, and not more often, is better by points alone."""
    parameter = Parameter("size", REAL, 0.2, 0.0, 1.0)

    def play(generation: Generation) -> GenerationResults:
        coins = CoinPlayer(lambda _: 0.6, 1)(generation).scores
        sizes = np.array([[float(settings["size"])] for settings in generation.candidates])
        return GenerationResults(np.where(coins == 1, 10 * sizes, -2.0))

    search = StagedSearch(build_terms(1, 1_000, parameters=(parameter,), objective=POINTS), play)
    assert search.run()
    assert search.steps[0].generation.stage == SCALE
    assert search.conclusion == BETTER
    assert search.winner is not None
    assert float(search.winner["size"]) > 0.5


def test_a_raised_budget_is_spent_in_a_stage_of_its_own() -> None:
    """The stages before it stay as they were, and their winner is among the racers."""
    short = tune_coin(compute_hill, 3, 400)
    raised = tune_coin(compute_hill, 3, 1_400, earlier=(400,))
    before = len(short.steps)
    assert [step.generation for step in raised.steps[:before]] == [
        step.generation for step in short.steps
    ]
    assert raised.latest_steps == raised.steps[before:]
    race = next(step for step in raised.latest_steps if step.generation.stage == RACE)
    assert short.winner in race.generation.candidates
    assert TuningTerms((), (), (), matches=1_400, earlier=(400, 900)).budgets == (400, 500, 500)
    late = sum(
        step.generation.matches
        for step in raised.latest_steps
        if step.generation.stage in (EXPLORE, SEARCH, RACE)
    )
    assert 0.8 * 1_000 < late <= 1_000
