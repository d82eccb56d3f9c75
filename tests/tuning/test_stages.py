"""The course of a run, with coins for matches: what is found, and what is claimed."""

from __future__ import annotations

import numpy as np
import pytest

from arena.tuning.optimisers import CANDIDATES
from arena.tuning.parameters import CHOICE, Settings, get_defaults
from arena.tuning.plan import Generation, PairingPlanner, plan_budget
from arena.tuning.stages import (
    BETTER,
    EFFECTS,
    NOT_SHOWN,
    RACE,
    SEARCH,
    WORSE_HELD_OUT,
    Course,
    IncompleteError,
    Scores,
    choose_racers,
    compute_means,
    count_pairs,
    list_variants,
)
from tests.support.tuning.coins import (
    BEST,
    BEST_CHANCE,
    PARAMETERS,
    CoinPlayer,
    build_terms,
    compute_hill,
    tune_coin,
)

NUMBERS = tuple(parameter for parameter in PARAMETERS if parameter.kind != CHOICE)


def test_a_planted_optimum_is_found_under_noise() -> None:
    """Six parameters of all types come within 0.05 of the best chance, for all of five seeds."""
    for seed in range(5):
        course = tune_coin(compute_hill, seed, 10_000)
        assert course.winner is not None
        assert compute_hill(course.winner) > BEST_CHANCE - 0.05
        assert course.conclusion == BETTER


def test_spsa_finds_a_planted_optimum_of_numbers() -> None:
    """The second method comes within 0.1 of the best chance that numbers alone allow."""
    fixed = {"style": BEST["style"], "bold": BEST["bold"]}
    for seed in range(3):
        course = tune_coin(
            lambda settings: compute_hill({**settings, **fixed}), seed, 10_000,
            parameters=NUMBERS, method="spsa",
        )  # fmt: skip
        assert course.winner is not None
        assert compute_hill({**course.winner, **fixed}) > BEST_CHANCE - 0.1
        assert course.conclusion == BETTER


@pytest.mark.parametrize("repeats", [True, False])
def test_nothing_is_claimed_where_nothing_can_be_gained(repeats: bool) -> None:
    """Of twenty runs of a bot that its parameters do not change, at most one claims a gain."""
    conclusions = [
        tune_coin(lambda _: 0.6, seed, 400, repeats=repeats, pairs=300).conclusion
        for seed in range(20)
    ]
    assert conclusions.count(BETTER) <= 1
    assert set(conclusions) <= {BETTER, NOT_SHOWN}


def test_a_flat_bot_keeps_its_default() -> None:
    """Where no parameter counts and deals are shared, the default wins the race's ties."""
    course = tune_coin(lambda _: 0.6, 1, 400)
    assert course.winner == course.default
    assert not [step for step in course.steps if step.counts]


def test_a_gain_that_costs_elsewhere_is_not_called_better() -> None:
    """What wins against the pool and loses where it was held out has a conclusion of its own."""
    held_out = 3

    def play(generation: Generation) -> Scores:
        scores = CoinPlayer(compute_hill, 1)(generation)
        if generation.pairings[0].opponents == (held_out,):
            scores[1] = 0.0
        return scores

    course = Course(build_terms(1, 5_000), play)
    assert course.run()
    assert course.conclusion == WORSE_HELD_OUT


def test_a_run_plays_what_its_budget_says() -> None:
    """The search and the race stay within the budget, and use most of it."""
    course = tune_coin(compute_hill, 1, 2_000)
    played = {
        stage: sum(step.generation.matches for step in course.steps
                   if step.generation.stage == stage)
        for stage in (SEARCH, RACE)
    }  # fmt: skip
    assert 0.85 * 2_000 < sum(played.values()) <= 2_000
    assert course.steps[-1].generation.stage == EFFECTS


@pytest.mark.parametrize("matches", [100, 300, 2_000, 20_000])
def test_every_budget_has_a_search(matches: int) -> None:
    """Small budgets have short generations, and each has a match in every rotation."""
    budget = plan_budget(build_terms(1, matches))
    assert budget.generations >= 1
    assert budget.matches % 2 == 0
    assert budget.generations * budget.matches * (CANDIDATES + 1) <= matches - budget.race


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
    course = tune_coin(compute_hill, 1, 400)
    deals = [{pairing.deal for pairing in step.generation.pairings} for step in course.steps]
    assert sum(map(len, deals)) == len(set[int]().union(*deals))


@pytest.mark.parametrize("method", ["cma", "spsa"])
def test_a_run_that_is_cut_off_comes_to_the_same_end(method: str) -> None:
    """Told the stored generations again, a run asks for the same candidates as it did."""
    parameters = NUMBERS if method == "spsa" else PARAMETERS
    whole = tune_coin(
        lambda settings: compute_hill({**BEST, **settings}), 5, 400,
        method=method, parameters=parameters,
    )  # fmt: skip
    stored = [(step.generation, step.scores) for step in whole.steps]
    for complete in (0, 3, len(whole.steps)):
        again = replay(whole, stored[:complete])
        assert [step.settings for step in again.steps] == [
            step.settings for step in whole.steps[:complete]
        ]
        assert len(again.steps) == complete
    assert replay(whole, stored).conclusion == whole.conclusion


def replay(whole: Course, left: list[tuple[Generation, Scores]]) -> Course:
    """Run again with these generations alone."""

    def play(generation: Generation) -> Scores:
        for known, scores in left:
            if known == generation:
                return scores
        raise IncompleteError

    course = Course(whole.terms, play)
    course.run()
    return course


def test_void_matches_do_not_count() -> None:
    """A candidate's mean is that of its other matches, and 0 where all were void."""
    scores = np.array([[1.0, np.nan, 0.5], [np.nan, np.nan, np.nan]])
    assert compute_means(scores) == [0.75, 0.0]
    assert count_pairs(np.array([[1.0, 0.0, np.nan, 0.5], [0.0, 1.0, 1.0, 0.5]])).tolist() == [
        1, 0, 1, 0, 1,
    ]  # fmt: skip


def test_racers_are_the_default_and_late_means() -> None:
    """They are the last half's, spread over it, each once."""
    means: list[Settings] = [{"k": number} for number in range(40)]
    racers = choose_racers({"k": -1}, means)
    assert len(racers) == 9
    assert racers[0] == {"k": -1}
    assert {racer["k"] for racer in racers[1:]} <= set(range(20, 40))
    assert choose_racers({"k": 1}, [{"k": 1}] * 8) == [{"k": 1}]


def test_variants_are_far_from_the_settings() -> None:
    """A number has the ends of its range, a choice the others."""
    settings = get_defaults(PARAMETERS)
    found = {parameter.name: list_variants(parameter, settings) for parameter in PARAMETERS}
    assert found["a"] == [-1.0, 1.0]
    assert found["m"] == [0]
    assert found["style"] == ["middle", "high"]
    assert found["bold"] == [True]
