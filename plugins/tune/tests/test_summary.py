"""What a run is said to have come to, in words and figures."""

from __future__ import annotations

import re
from html import escape
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from arena_tune.report import render_report_body
from arena_tune.run import RunState
from arena_tune.staged_search import (
    EFFECTS,
    GATE,
    HELD,
    PLACE,
    POINTS,
    WIN,
    Generation,
    GenerationResults,
    RunDescription,
    StagedSearch,
)
from arena_tune.summary import TuningSummary, estimate_gain, summarize, title_tests
from arena_tune.tuning_display import show_end
from tests.support.tuning.coins import CoinPlayer, build_terms, compute_hill, tune_coin

pytestmark = pytest.mark.slow

BOTS = ("first", "second", "third", "fourth", "mine")


def summarize_search(search: StagedSearch) -> TuningSummary:
    run = RunDescription("gops", "mine", BOTS, search.terms)
    return summarize(run, RunState(search, {}, 0, 0.0))


def lose_where_held_out(**changes: Any) -> TuningSummary:
    """Summarize a run whose winner loses each match of the last test, and whose default wins it."""

    def play(generation: Generation) -> GenerationResults:
        results = CoinPlayer(compute_hill, 1)(generation)
        if generation.stage == HELD:
            results.scores[:] = [[1.0], [0.0]]
        return results

    search = StagedSearch(build_terms(1, 5_000, **changes), play)
    assert search.run()
    return summarize_search(search)


def test_a_gain_is_told_in_a_sentence() -> None:
    """It compares both bots against the pool, and needs no term explained."""
    summary = summarize_search(tune_coin(compute_hill, 1, 5_000))
    pattern = r"A gain is shown: the tuned bot wins (\d+) % against the pool instead of (\d+) %\."
    found = re.fullmatch(pattern, summary.headline)
    assert found
    gate = summary.tests[GATE]
    assert [int(share) for share in found.groups()] == [
        round(100 * gate.tuned), round(100 * gate.default),
    ]  # fmt: skip
    assert gate.gain == pytest.approx(gate.tuned - gate.default, abs=1e-4)


def test_the_default_alone_is_called_by_its_name() -> None:
    """Where nobody else is held out, whoever is worse there loses to the default itself."""
    summary = lose_where_held_out(held_out=(4,))
    assert summary.headline.endswith("%, but it loses to the default itself.")
    assert summary.conclusion_text == "it loses to the default itself"
    assert title_tests(summary.run.terms)[HELD] == "Test against the default itself"
    summary = lose_where_held_out(held_out=(3, 4))
    assert summary.headline.endswith("%, but it is worse against those held out.")
    assert title_tests(summary.run.terms)[HELD] == "Test against the opponents held out"


def test_where_nothing_is_gained_nothing_is_compared() -> None:
    """The race was won by the default, and no test was played."""
    summary = summarize_search(tune_coin(lambda _: 0.6, 1, 400))
    assert summary.headline == "No gain is shown: nothing did better than the default."


@pytest.mark.parametrize(
    ("objective", "words"),
    [
        (WIN, "wins 62 % against the pool instead of 50 %"),
        (PLACE, "leaves 62 % of the others in the pool behind instead of 50 %"),
        (POINTS, "has a score of 62 % against the pool instead of 50 %"),
    ],
)
def test_each_objective_has_its_words(objective: str, words: str) -> None:
    """A small difference has decimals, so that both sides are not the same figure."""
    row = summarize_search(tune_coin(compute_hill, 1, 5_000)).tests[GATE]
    row = evolve(row, default=0.5, tuned=0.62, gain=0.12)
    assert row.compare_scores(objective) == words
    close = evolve(row, default=0.5, tuned=0.504, gain=0.004).compare_scores(objective)
    assert "50.4 %" in close
    assert "50.0 %" in close


def test_no_interval_is_certain() -> None:
    """Deals that are all alike leave some doubt, the less the more they are."""
    errors = [estimate_gain(np.zeros((2, deals)), range(deals))[1] for deals in (1, 8, 100)]
    assert errors[0] >= 1
    assert errors[0] > errors[1] > errors[2] > 0
    gain, error = estimate_gain(np.array([[0.0] * 20, [1.0] * 20]), range(20))
    assert gain == 1
    assert 0 < error < 0.5


def test_matches_of_a_deal_count_once() -> None:
    """A deal that is played twice with the same result tells no more; void pairs tell nothing."""
    scores = np.array([[0.0, 1.0, 0.0, 0.5], [1.0, 0.0, 1.0, 0.5]])
    once = estimate_gain(scores, range(4))
    assert estimate_gain(np.repeat(scores, 2, axis=1), [0, 0, 1, 1, 2, 2, 3, 3]) == once
    assert estimate_gain(np.repeat(scores, 2, axis=1), range(8))[1] < once[1]
    assert estimate_gain(np.pad(scores, ((0, 0), (0, 2)), constant_values=np.nan), range(6)) == once


def test_all_intervals_of_a_run_count_deals() -> None:
    """In a run whose second seats repeat the first, they are as wide as by the first seats alone."""

    def play(generation: Generation) -> GenerationResults:
        results = CoinPlayer(compute_hill, 1)(generation)
        results.scores[:, 1::2] = results.scores[:, ::2]
        return results

    search = StagedSearch(build_terms(1, 5_000), play)
    assert search.run()
    summary = summarize_search(search)
    for stage, row in summary.tests.items():
        steps = [step for step in search.steps if step.generation.stage == stage]
        scores = np.concatenate([step.scores[:, ::2] for step in steps], axis=1)
        by_deal = estimate_gain(scores, range(scores.shape[1]))
        assert (row.gain, row.error) == pytest.approx(by_deal, abs=1e-4)
    held = next(row for row in summary.opponents if row.held_out)
    assert held.error == summary.tests[HELD].error  # of the only one held out
    effects = next(step for step in search.steps if step.generation.stage == EFFECTS)
    parameter = next(row for row in summary.parameters if row.loss)
    places = [
        place
        for place, variant in enumerate(effects.generation.candidates)
        if variant[parameter.name] != parameter.tuned
    ]
    halves = [effects.scores[[place, 0]][:, ::2] for place in places]
    by_deal = max(estimate_gain(half, range(half.shape[1])) for half in halves)
    assert (parameter.loss, parameter.error) == pytest.approx(by_deal, abs=1e-4)


def test_an_opponent_is_called_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    """What is markup elsewhere is a part of the name, on a terminal and on the page."""
    summary = summarize_search(tune_coin(compute_hill, 1, 5_000))
    name = "[red]<i>.py:One"
    summary = evolve(summary, opponents=(evolve(summary.opponents[0], name=name),))
    show_end(summary)
    assert f"│ {name} │" in capsys.readouterr().out
    assert f'<td class="words">{escape(name)}</td>' in render_report_body(summary)


def test_a_raised_budget_has_its_generations_counted() -> None:
    """They are those of all stages, also for somebody who knew the run before it was raised."""
    search = tune_coin(compute_hill, 3, 1_400, earlier=(400,))
    run = RunDescription("gops", "mine", BOTS, evolve(search.terms, earlier=()))
    summary = summarize(run, RunState(search, {}, 0, 0.0))
    assert len(summary.searched) == summary.generations
