"""CMA-ES: what the library does not offer is read in one place, and each type of parameter."""

from __future__ import annotations

import numpy as np
import pytest

from arena_tune.optimiser import CANDIDATES, CmaOptimiser, read_distribution
from arena_tune.parameters import CHOICE, INTEGER, REAL, Parameter, get_defaults
from tests.support.tuning.coins import PARAMETERS

pytestmark = pytest.mark.slow  # CMA's library imports scipy.stats, which takes a second


def test_the_distribution_is_the_one_that_candidates_are_drawn_from() -> None:
    """The mean, the deviation and the shares that are read fit thousands of the library's draws."""
    from cmaes import CatCMAwM  # here, so that other workers need not

    optimiser = CatCMAwM(
        x_space=[[0.0, 1.0]], z_space=[[0.0, 0.25, 0.5, 0.75, 1.0]], c_space=[3],
        mean=np.array([0.4, 0.5]), cov=np.diag([0.01, 0.04]),
        cat_param=np.array([[0.5, 0.3, 0.2]]), population_size=CANDIDATES, seed=1,
    )  # fmt: skip
    for _ in range(3):
        found = read_distribution(optimiser)
        drawn = [optimiser.ask() for _ in range(4_000)]
        raw = np.array([solution._v_raw for solution in drawn])
        assert raw.mean(axis=0) == pytest.approx(found.mean, abs=0.02)
        assert raw.std(axis=0) == pytest.approx(found.deviation, rel=0.1)
        shares = np.mean([solution.c for solution in drawn], axis=0)
        assert shares == pytest.approx(found.shares, abs=0.04)
        losses = [(solution, float(solution.x[0])) for solution in drawn[:CANDIDATES]]
        optimiser.tell(losses)


@pytest.mark.parametrize(
    "parameter",
    [
        Parameter("p", REAL, 0.5, -2.0, 2.0),
        Parameter("p", INTEGER, 3, 0, 10),
        Parameter("p", REAL, 0.02, 0.01, 1.0, log=True),
        Parameter("p", INTEGER, 2, 1, 100, log=True),
        Parameter("p", INTEGER, 0, 0, 1),
        Parameter("p", INTEGER, 500, 0, 1_000_000),
        Parameter("p", CHOICE, "a", choices=("a", "b", "c")),
        Parameter("p", CHOICE, False, choices=(False, True)),
    ],
)
def test_each_type_is_tuned_alone(parameter: Parameter) -> None:
    """A search begins at the default, stays within the range, and finds the better half."""
    optimiser = CmaOptimiser([parameter], 0.25, 1)
    assert optimiser.mean == {"p": parameter.default}
    for _ in range(12):
        values = [settings["p"] for settings in optimiser.ask()]
        if parameter.kind == CHOICE:
            scores = [float(parameter.choices.index(value)) for value in values]
        else:
            assert all(parameter.low <= float(value) <= parameter.high for value in values)
            assert {type(value) for value in values} == {type(parameter.default)}
            scores = [parameter.scale(value) for value in values]
        optimiser.tell(scores)
    best = optimiser.mean["p"]
    assert best == parameter.choices[-1] if parameter.choices else parameter.scale(best) > 0.5
    assert 0 <= optimiser.spread["p"] <= 1


def test_equal_scores_do_no_harm() -> None:
    """Where all candidates score the same, the search goes on with finite numbers."""
    optimiser = CmaOptimiser(PARAMETERS, 0.25, 1)
    for _ in range(5):
        optimiser.ask()
        optimiser.tell([0.5] * CANDIDATES)
    assert all(np.isfinite(value) for value in optimiser.spread.values())
    assert optimiser.mean.keys() == get_defaults(PARAMETERS).keys()
