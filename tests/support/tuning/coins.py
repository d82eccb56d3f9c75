"""Coins to be tuned: matches whose chance of winning is a known function of the parameters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from attrs import frozen

from arena.wires import converter
from arena_tune.match_store import CandidateMatch, MatchStore
from arena_tune.parameters import CHOICE, INTEGER, REAL, Parameter, Settings
from arena_tune.run import DESCRIPTION
from arena_tune.staged_search import (
    Generation,
    GenerationResults,
    IncompleteError,
    RunDescription,
    StagedSearch,
    TuningTerms,
)

PARAMETERS = (
    Parameter("a", REAL, 0.0, -1.0, 1.0),
    Parameter("b", REAL, 2.0, 0.0, 4.0),
    Parameter("k", INTEGER, 3, 0, 12),
    Parameter("m", INTEGER, 1, 0, 1),
    Parameter("style", CHOICE, "low", choices=("low", "middle", "high")),
    Parameter("bold", CHOICE, False, choices=(False, True)),
)
BEST: Settings = {"a": 0.5, "b": 1.0, "k": 8, "m": 0, "style": "high", "bold": True}
BEST_CHANCE, WORST_CHANCE = 0.9, 0.02
PENALTIES = {"a": 0.1, "b": 0.1, "k": 0.1, "m": 0.05, "style": 0.1, "bold": 0.05}

Chance = Callable[[Settings], float]


def compute_hill(settings: Settings) -> float:
    """Return the chance on a hill with its top at BEST."""
    chance = BEST_CHANCE
    for parameter in PARAMETERS:
        value, best = settings[parameter.name], BEST[parameter.name]
        cost = PENALTIES[parameter.name]
        if parameter.kind == CHOICE:
            chance -= cost * (value != best)
        else:
            chance -= 10 * cost * (parameter.scale(value) - parameter.scale(best)) ** 2
    return max(WORST_CHANCE, chance)


@frozen
class CoinPlayer:
    """Plays generations; each deal brings its luck for all candidates, or each match its own."""

    chance: Chance
    seed: int
    repeats: bool = True  # do equal settings come to the same in a deal?

    def __call__(self, generation: Generation) -> GenerationResults:
        """Return the results of a generation, without margins."""
        return GenerationResults(np.array([
            [float(self.chance(settings) > self._draw(pairing, place))
             for pairing in generation.pairings]
            for place, settings in enumerate(generation.candidates)
        ]))  # fmt: skip

    def _draw(self, pairing: Any, place: int) -> float:
        own = () if self.repeats else (place,)
        return Random(f"{self.seed} {pairing.deal} {pairing.rotation} {own}").random()


def build_terms(seed: int, matches: int, **changes: Any) -> TuningTerms:
    """Return terms with three opponents in the pool, and one held out."""
    terms: dict[str, Any] = {"parameters": PARAMETERS, "pool": (0, 1, 2), "held_out": (3,)}
    return TuningTerms(**{**terms, "matches": matches, "seed": f"{seed}", **changes})


def tune_coin(
    chance: Chance, seed: int, matches: int, *, repeats: bool = True, **changes: Any
) -> StagedSearch:
    """Run a search to its end."""
    search = StagedSearch(build_terms(seed, matches, **changes), CoinPlayer(chance, seed, repeats))
    assert search.run()
    return search


def store_coin_run(
    database: Path, terms: TuningTerms, bot: str, opponents: tuple[str, ...], most: int = 1_000
) -> None:
    """Store a run of coins, of which at most so many generations are played."""
    player = CoinPlayer(compute_hill, 1)
    with MatchStore.open(str(database), write=True) as store:
        run = RunDescription("gops", bot, opponents, terms)
        store.add_facts({DESCRIPTION: converter.unstructure(run)})

        def play(generation: Generation) -> GenerationResults:
            if generation.number >= most:
                raise IncompleteError
            store.check_generation(generation, write=True)
            results = player(generation)
            store.add_matches(
                CandidateMatch(
                    generation.number, place, number, "played", float(score), None, None, None,
                    "", 0.001,
                )
                for place, row in enumerate(results.scores)
                for number, score in enumerate(row)
            )  # fmt: skip
            return results

        StagedSearch(terms, play).run()
