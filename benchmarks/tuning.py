"""What `arena tune` reaches on a planted optimum: `python -m benchmarks.tuning 20 1000 5000`.

A match is a coin whose chance is a known function of five numbers: 0.15 for the default, 0.993 for
the planted optimum. On the slope each step towards the optimum shows; on the plateau the default
and its neighbourhood all have 0.15. What a run ends with is judged by its true chance. So many
seeds are tried with each budget, without exploring first and with it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from math import exp
from statistics import fmean

import numpy as np

from arena.rules import derive_seed
from arena_tune.parameters import INTEGER, REAL, Parameter, Settings
from arena_tune.staged_search import (
    EXPLORE_SHARE,
    Generation,
    GenerationResults,
    StagedSearch,
    TuningTerms,
)

PARAMETERS = (
    *(Parameter(name, REAL, 0.2, 0.0, 1.0) for name in "abcd"),
    Parameter("k", INTEGER, 2, 0, 10),
)
BEST = {"a": 0.75, "b": 0.6, "c": 0.85, "d": 0.7, "k": 7}
DEFAULT_CHANCE, BEST_CHANCE = 0.15, 0.993
PLATEAU_WIDTH = 0.25  # standard deviations of the bump on it, as a share of a range
BUDGETS = (1_000, 5_000, 20_000)
SHARES = (0.0, EXPLORE_SHARE)  # explored


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

    search = StagedSearch(
        TuningTerms(PARAMETERS, (0,), (1,), matches=matches, seed=f"{seed}", explore=explore), play
    )
    search.run()
    assert search.winner is not None
    return search.winner


def measure(job: tuple[str, int, int, float]) -> float:
    """Return the true chance of what a run ends with."""
    return PROBLEMS[job[0]](tune(*job))


def main(words: Sequence[str]) -> None:
    """Print the mean and the worst chance by problem, budget and share of exploring."""
    seeds, *budgets = map(int, words or ["20"])
    with ProcessPoolExecutor(2) as workers:
        for problem, matches, share in product(PROBLEMS, budgets or BUDGETS, SHARES):
            jobs = [(problem, seed, matches, share) for seed in range(seeds)]
            chances = list(workers.map(measure, jobs))
            near = sum(chance > BEST_CHANCE - 0.05 for chance in chances)
            print(
                f"{problem}, {matches} matches, explore = {share:g}: mean {fmean(chances):.3f},"
                f" worst {min(chances):.3f}, {near} of {seeds} within 0.05",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
