"""Tuning on a planted optimum, beside optuna's TPE and CMA-ES with the same matches.

    python -m benchmarks.tuning.planted                  # 20 seeds of each; two processes
    python -m benchmarks.tuning.planted 5 1000 5000      # 5 seeds, two budgets

A match is a coin whose chance is a known function of five numbers: 0.15 for the default, 0.993 for
the planted optimum. On the slope each step towards the optimum shows; on the plateau the default
and its neighbourhood all have 0.15. What a method ends with is judged by its true chance.

Points of optuna play 20 or 100 matches each, the first is the default, and its own best counts,
as in its tutorials. `pip install optuna` (5.0 was measured): without it its rows are left out.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from math import exp
from statistics import fmean
from typing import Any

import numpy as np

from arena.rules import derive_seed
from arena_tune.parameters import INTEGER, REAL, Parameter, Settings
from arena_tune.plan import EXPLORE_SHARE, Generation, TuningTerms
from arena_tune.stages import Course, GenerationResults

PARAMETERS = (
    *(Parameter(name, REAL, 0.2, 0.0, 1.0) for name in "abcd"),
    Parameter("k", INTEGER, 2, 0, 10),
)
BEST = {"a": 0.75, "b": 0.6, "c": 0.85, "d": 0.7, "k": 7}
DEFAULT_CHANCE, BEST_CHANCE = 0.15, 0.993
PLATEAU_WIDTH = 0.25  # standard deviations of the bump on it, as a share of a range
BUDGETS = (1_000, 5_000, 20_000)
SHARES = (0.0, EXPLORE_SHARE)  # explored
TRIAL_MATCHES = (20, 100)  # of a point of optuna


def compute_distance(settings: Settings) -> float:
    """Return the squared distance from the optimum, in ranges."""
    return sum((p.scale(settings[p.name]) - p.scale(BEST[p.name])) ** 2 for p in PARAMETERS)


FIRST_DISTANCE = compute_distance({p.name: p.default for p in PARAMETERS})


def climb_slope(settings: Settings) -> float:
    """Return the chance on the slope."""
    lost = (BEST_CHANCE - DEFAULT_CHANCE) * compute_distance(settings) / FIRST_DISTANCE
    return max(0.01, BEST_CHANCE - lost)


def cross_plateau(settings: Settings) -> float:
    """Return the chance on the plateau."""
    bump = exp(-compute_distance(settings) / (2 * PLATEAU_WIDTH**2))
    return DEFAULT_CHANCE + (BEST_CHANCE - DEFAULT_CHANCE) * bump


PROBLEMS: dict[str, Callable[[Settings], float]] = {
    "slope": climb_slope,
    "plateau": cross_plateau,
}


def tune(problem: str, seed: int, matches: int, explore: float) -> Settings:
    """Return what `arena tune` ends with."""
    rng = np.random.default_rng(int(derive_seed("planted", problem, seed), 16) % 2**63)

    def play(generation: Generation) -> GenerationResults:
        shape = len(generation.candidates), len(generation.pairings)
        chances = np.array([PROBLEMS[problem](settings) for settings in generation.candidates])
        return GenerationResults((rng.random(shape) < chances[:, None]).astype(float))

    course = Course(
        TuningTerms(PARAMETERS, (0,), (1,), matches=matches, seed=f"{seed}", explore=explore), play
    )
    course.run()
    assert course.winner is not None
    return course.winner


def ask_optuna(sampler: str, each: int, problem: str, seed: int, matches: int) -> Settings:
    """Return the best point of a study whose points play `each` matches."""
    optuna: Any = import_module("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.filterwarnings("ignore", "`x0` has been deprecated")
    rng = np.random.default_rng(seed)

    def play(trial: Any) -> float:
        settings = {
            p.name: trial.suggest_int(p.name, int(p.low), int(p.high))
            if p.kind == INTEGER
            else trial.suggest_float(p.name, p.low, p.high)
            for p in PARAMETERS
        }
        return float(rng.binomial(each, PROBLEMS[problem](settings))) / each

    default = {p.name: p.default for p in PARAMETERS}
    if sampler == "TPE":
        asked = optuna.samplers.TPESampler(seed=seed)
    else:
        asked = optuna.samplers.CmaEsSampler(seed=seed, x0=default)
    study = optuna.create_study(direction="maximize", sampler=asked)
    study.enqueue_trial(default)
    study.optimize(play, n_trials=matches // each)
    best: Settings = study.best_params
    return best


def list_methods() -> dict[str, Callable[[str, int, int], Settings]]:
    """Return the methods by name; those of optuna where it is installed."""
    methods: dict[str, Callable[[str, int, int], Settings]] = {
        f"arena tune, explore = {share:g}": partial(tune, explore=share) for share in SHARES
    }
    if find_spec("optuna"):
        for sampler in ("TPE", "CMA-ES"):
            for each in TRIAL_MATCHES:
                methods[f"optuna, {sampler}, {each} matches a point"] = partial(
                    ask_optuna, sampler, each
                )
    return methods


def measure(job: tuple[str, str, int, int]) -> float:
    """Return the true chance of what a method ends with."""
    method, problem, seed, matches = job
    return PROBLEMS[problem](list_methods()[method](problem, seed, matches))


def main(words: Sequence[str]) -> None:
    """Print the mean and the worst chance of each method, by problem and budget."""
    seeds, *budgets = map(int, words or ["20"])
    with ProcessPoolExecutor(2) as workers:
        for problem in PROBLEMS:
            for matches in budgets or BUDGETS:
                for method in list_methods():
                    jobs = [(method, problem, seed, matches) for seed in range(seeds)]
                    chances = list(workers.map(measure, jobs))
                    near = sum(chance > BEST_CHANCE - 0.05 for chance in chances)
                    print(
                        f"{problem}, {matches} matches, {method}: mean {fmean(chances):.3f}, worst"
                        f" {min(chances):.3f}, {near} of {seeds} within 0.05",
                        flush=True,
                    )


if __name__ == "__main__":
    main(sys.argv[1:])
