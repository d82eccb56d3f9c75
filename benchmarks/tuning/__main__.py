"""Tuning against random search and a plain genetic algorithm, with the same matches.

    python -m benchmarks.tuning                 # 20 seeds of each, 20,000 matches; two processes
    python -m benchmarks.tuning 5 2000          # 5 seeds, 2,000 matches
    python -m benchmarks.tuning nothing 20      # how often a gain is claimed where there is none

A bot of GOPS with six parameters is tuned against the bundled bots, in the simulation of
`gops_simulation`. What each method proposes is played again in fresh matches, the same for all,
against the best known settings.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from random import Random
from statistics import fmean
from typing import Any

import numpy as np

from arena.rules import derive_seed
from arena_tune.parameters import INTEGER, REAL, Parameter, Settings, get_defaults
from arena_tune.plan import Generation, TuningTerms
from arena_tune.stages import BETTER, Course, GenerationResults
from benchmarks.tuning.gops_simulation import RIVALS, build_line_bidder, play_game

PARAMETERS = (
    Parameter("a", REAL, 1.0, 0.5, 1.5),
    Parameter("b", REAL, 0.0, -2.0, 2.0),
    Parameter("c", REAL, 0.0, -2.0, 2.0),
    Parameter("d", REAL, 0.0, -0.5, 0.5),
    Parameter("e", REAL, 0.0, -0.5, 0.5),
    Parameter("t", INTEGER, 10, 1, 13),
)
BEST_KNOWN: Settings = {"a": 0.9104, "b": 1.5489, "c": -0.4168, "d": -0.0504, "e": 0.2665, "t": 12}
FRESH_MATCHES = 10_000
RANDOM_MATCHES = 40  # of each point of the random search
POPULATION, MUTATION, ELITE = 16, 0.1, 4  # of the genetic algorithm

Score = Callable[[Settings, str, int], float]


def play_pairing(settings: Settings, opponents: Sequence[int], seed: str, rotation: int) -> int:
    """Return the points by which a bot with settings is ahead in the end; a seed has the deal."""
    bot = build_line_bidder(settings)
    number = int(derive_seed(seed), 16)
    rivals = (*RIVALS, build_line_bidder(get_defaults(PARAMETERS)))
    rival = rivals[opponents[0]]
    if rotation:
        return -play_game(rival, bot, number)
    return play_game(bot, rival, number)


def play_generation(seed: str, generation: Generation) -> GenerationResults:
    """Play a generation in this process."""
    margins = np.array([
        [
            play_pairing(
                settings, pairing.opponents, f"{seed} {pairing.deal}", pairing.rotation
            )
            for pairing in generation.pairings
        ]
        for settings in generation.candidates
    ], float)  # fmt: skip
    return GenerationResults(np.heaviside(margins, 0.5), margins)


def build_terms(seed: int, matches: int, **changes: Any) -> TuningTerms:
    """Return the terms of a run: all rivals are played against, the default is held out."""
    pool = tuple(range(len(RIVALS)))
    terms: dict[str, Any] = {"parameters": PARAMETERS, **changes}
    return TuningTerms(pool=pool, held_out=(len(RIVALS),), matches=matches, seed=f"{seed}", **terms)


def tune(seed: int, matches: int) -> Settings:
    """Tune; return the winner."""
    course = Course(build_terms(seed, matches), partial(play_generation, f"tune {seed}"))
    course.run()
    assert course.winner is not None
    return course.winner


def measure_score(settings: Settings, seed: str, matches: int) -> float:
    """Return the mean score against all rivals, in matches of a seed."""
    margins = [
        play_pairing(settings, (number // 2 % len(RIVALS),), f"{seed} {number // 2}", number % 2)
        for number in range(matches)
    ]
    return float(np.heaviside(margins, 0.5).mean())


def search_randomly(seed: int, matches: int) -> Settings:
    """Return the best of random points."""
    rng = Random(f"random {seed}")
    points = [draw_point(rng) for _ in range(matches // RANDOM_MATCHES)]
    return max(
        points,
        key=lambda point: measure_score(point, f"random {seed} {point}", RANDOM_MATCHES),
    )


def evolve_plainly(seed: int, matches: int) -> Settings:
    """Return the best of the last generation of a plain genetic algorithm."""
    rng = Random(f"genetic {seed}")
    each = 16
    population = [get_defaults(PARAMETERS), *(draw_point(rng) for _ in range(POPULATION - 1))]
    ranked = population
    for generation in range(matches // (each * POPULATION)):
        scored = [
            (measure_score(point, f"genetic {seed} {generation} {place}", each), place)
            for place, point in enumerate(population)
        ]
        ranked = [population[place] for _, place in sorted(scored, reverse=True)]
        parents = ranked[: POPULATION // 2]
        children = [cross_over(rng, *rng.sample(parents, 2)) for _ in range(POPULATION - ELITE)]
        population = [*ranked[:ELITE], *children]
    return ranked[0]


def draw_point(rng: Random) -> Settings:
    """Return a random point of the ranges."""
    return {parameter.name: parameter.unscale(rng.random()) for parameter in PARAMETERS}


def cross_over(rng: Random, mother: Settings, father: Settings) -> Settings:
    """Return a child: each parameter of either parent, moved a little."""
    child = {}
    for parameter in PARAMETERS:
        value = rng.choice((mother, father))[parameter.name]
        child[parameter.name] = parameter.unscale(parameter.scale(value) + rng.gauss(0.0, MUTATION))
    return child


METHODS: Mapping[str, Callable[[int, int], Settings]] = {
    "arena tune": tune,
    "a plain genetic algorithm": evolve_plainly,
    "random search": search_randomly,
}


def measure(job: tuple[str, int, int]) -> tuple[float, Settings]:
    """Return the score of a method's result in fresh matches, and the result."""
    method, seed, matches = job
    found = METHODS[method](seed, matches)
    return measure_score(found, "fresh", FRESH_MATCHES), found


def claims_gain(seed: int) -> bool:
    """Return whether a run from the best known settings claims a gain."""
    from attrs import evolve

    best = tuple(evolve(parameter, default=BEST_KNOWN[parameter.name]) for parameter in PARAMETERS)
    terms = build_terms(seed, 2_000, parameters=best)
    course = Course(terms, partial(play_generation, f"nothing {seed}"))
    course.run()
    return course.conclusion == BETTER


def compare(seeds: int, matches: int) -> None:
    """Print what each method reaches."""
    default = measure_score(get_defaults(PARAMETERS), "fresh", FRESH_MATCHES)
    best = measure_score(BEST_KNOWN, "fresh", FRESH_MATCHES)
    print(f"{matches} matches, {seeds} seeds; default {default:.3f}, best known {best:.3f}")
    with ProcessPoolExecutor(2) as workers:
        for method in METHODS:
            jobs = [(method, seed, matches) for seed in range(seeds)]
            results = sorted(workers.map(measure, jobs), key=lambda result: result[0])
            scores = [score for score, _ in results]
            near = sum(score >= best - 0.01 for score in scores)
            gain = (fmean(scores) - default) / (best - default)
            print(
                f"{method:28} mean {fmean(scores):.3f}, worst {scores[0]:.3f}, second worst"
                f" {scores[min(1, seeds - 1)]:.3f}; {near} within 0.01; {gain:.2f} of the gain"
            )
            print(f"{'':28} best: {scores[-1]:.4f} {dict(results[-1][1])}", flush=True)


def main(words: Sequence[str]) -> None:
    """Run what the command line asks for."""
    if words[:1] == ["nothing"]:
        seeds = int(words[1]) if words[1:] else 20
        with ProcessPoolExecutor(2) as workers:
            claims = sum(workers.map(claims_gain, range(seeds)))
        print(f"nothing to gain: {claims} of {seeds} runs claim a gain")
        return
    compare(int(words[0]) if words else 20, int(words[1]) if words[1:] else 20_000)


if __name__ == "__main__":
    main(sys.argv[1:])
