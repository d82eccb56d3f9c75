"""The course of a run: search, race, gate, the test against those held out, effects.

What is played next follows from the terms and from the scores so far, and from nothing else. So
the same run comes to the same end, however often it was cut off and whoever plays its matches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from attrs import Factory, define, frozen
from numpy.typing import NDArray

from arena.rules import derive_seed
from arena.tournament.ratings import Sprt
from arena.tuning.optimisers import Optimiser
from arena.tuning.parameters import CHOICE, Parameter, Settings, Value, get_defaults
from arena.tuning.plan import RACERS, Generation, Pairing, PairingPlanner, TuningTerms, plan_budget

Scores = NDArray[np.float64]
"""A row for each candidate, a column for each pairing; nan for a void match."""

SEARCH, RACE, GATE, HELD, EFFECTS = "search", "race", "gate", "held", "effects"
BETTER, NOT_SHOWN, WORSE_HELD_OUT = "better", "not shown", "worse held out"
BLOCK_DEALS = 8  # between two decisions of a test, for two seats; fewer for more
HELD_ELO0 = -10.0  # points: what counts as worse against the opponents that were held out
EFFECT_MATCHES = 32  # of a variant
MAX_VARIANTS = 3  # of a choice
SEED_BITS = 32  # as numpy takes them


@frozen
class Step:
    """A generation that was played, and what the run knew after it."""

    generation: Generation
    scores: Scores
    settings: Settings  # the middle of the search, or the candidate that leads or is tested
    spread: dict[str, float]  # of the search
    counts: tuple[int, ...] = ()  # pairs so far, in a test
    llr: float = 0.0
    decision: str | None = None  # H0 or H1, in a test

    @property
    def means(self) -> list[float]:
        """The mean score of each candidate; 0 where every match was void."""
        return compute_means(self.scores)


class IncompleteError(Exception):
    """Matches of a generation are missing, and nobody plays them."""


@define
class Course:
    """The course of a run, whose matches `play` plays; it raises IncompleteError where it may not.

    `on_step` is called after each generation.
    """

    terms: TuningTerms
    play: Callable[[Generation], Scores]
    on_step: Callable[[Step], None] = lambda _: None
    steps: list[Step] = Factory(list)
    winner: Settings | None = None
    conclusion: str | None = None  # when the run is complete
    _planner: PairingPlanner = Factory(lambda self: PairingPlanner(self.terms), takes_self=True)

    @property
    def default(self) -> Settings:
        """The bot as it is."""
        return get_defaults(self.terms.parameters)

    def run(self) -> bool:
        """Run until the end, or until matches are missing; return whether it is the end."""
        try:
            means = self._search()
            self.winner = self._race(means)
            conclusion = self._conclude(self.winner)
            self._measure_effects(self.winner)
        except IncompleteError:
            return False
        self.conclusion = conclusion
        return True

    def _search(self) -> list[Settings]:
        """Search; return the means of all generations."""
        budget = plan_budget(self.terms)
        optimiser = build_optimiser(self.terms, budget.generations, budget.matches)
        deals, means = budget.matches // self.terms.seats, []
        for _ in range(budget.generations):
            candidates = [self.default, *optimiser.ask()]
            generation, scores = self._play(SEARCH, candidates, deals, self.terms.pool)
            optimiser.tell(compute_means(scores)[1:])
            means.append(optimiser.mean)
            self._add(Step(generation, scores, optimiser.mean, dict(optimiser.spread)))
        return means

    def _race(self, means: Sequence[Settings]) -> Settings:
        """Return the best of the default and some late means, of which half go in each round."""
        budget = plan_budget(self.terms)
        racers = choose_racers(self.default, means)
        totals = np.zeros((len(racers), 2))  # points and matches
        alive = list(range(len(racers)))
        while len(alive) > 1:
            matches = budget.race // (budget.rounds * len(alive))
            deals = max(1, matches // self.terms.seats)
            candidates = [racers[place] for place in alive]
            generation, scores = self._play(RACE, candidates, deals, self.terms.pool)
            totals[alive] += np.stack([np.nansum(scores, 1), (~np.isnan(scores)).sum(1)], 1)
            ranks = totals[:, 0] / np.maximum(totals[:, 1], 1)
            alive = sorted(alive, key=lambda place: -ranks[place])[: (len(alive) + 1) // 2]
            self._add(Step(generation, scores, racers[alive[0]], {}))
        return racers[alive[0]]

    def _conclude(self, winner: Settings) -> str:
        """Test the winner against the default, and return the conclusion."""
        if winner == self.default:
            return NOT_SHOWN
        gate = Sprt(0.0, self.terms.elo1)
        if self._test(GATE, winner, self.terms.pool, gate) != "H1":
            return NOT_SHOWN
        held = self._test(HELD, winner, self.terms.held_out, Sprt(HELD_ELO0, 0.0))
        return {"H1": BETTER, "H0": WORSE_HELD_OUT}.get(held or "", NOT_SHOWN)

    def _test(self, stage: str, winner: Settings, pool: tuple[int, ...], sprt: Sprt) -> str | None:
        """Play both on the same fresh deals until the test decides, or the limit is reached."""
        counts, played, decision = np.zeros(5, int), 0, None
        deals = max(1, 2 * BLOCK_DEALS // self.terms.seats)
        while decision is None and played < self.terms.pairs:
            candidates = [self.default, winner]
            generation, scores = self._play(stage, candidates, deals, pool)
            played += len(generation.pairings)
            counts = counts + count_pairs(scores)
            decision, llr = sprt.decide(counts.tolist()), sprt.compute_llr(counts.tolist())
            row = tuple(counts.tolist())
            self._add(Step(generation, scores, winner, {}, row, llr, decision))
        return decision

    def _measure_effects(self, winner: Settings) -> None:
        """Play variants of the winner in which one parameter has an extreme or another value."""
        candidates = [winner]
        for parameter in self.terms.parameters:
            candidates += [
                {**winner, parameter.name: value} for value in list_variants(parameter, winner)
            ]
        deals = max(1, EFFECT_MATCHES // self.terms.seats)
        generation, scores = self._play(EFFECTS, candidates, deals, self.terms.pool)
        self._add(Step(generation, scores, winner, {}))

    def _play(
        self, stage: str, candidates: Sequence[Settings], deals: int, pool: tuple[int, ...]
    ) -> tuple[Generation, Scores]:
        pairings: tuple[Pairing, ...] = self._planner.draw(deals, pool)
        generation = Generation(len(self.steps), stage, tuple(candidates), pairings)
        return generation, self.play(generation)

    def _add(self, step: Step) -> None:
        self.steps.append(step)
        self.on_step(step)


def build_optimiser(terms: TuningTerms, generations: int, matches: int) -> Optimiser:
    """Return the optimiser of a run, in its first state."""
    seed = int(derive_seed(terms.seed, "optimiser"), 16) % 2**SEED_BITS
    if terms.method == "spsa":
        from arena.tuning.spsa import SpsaOptimiser

        return SpsaOptimiser(terms.parameters, generations, matches, seed)
    from arena.tuning.cma import CmaOptimiser  # `cmaes` is not needed otherwise

    return CmaOptimiser(terms.parameters, terms.first_spread, seed)


def compute_means(scores: Scores) -> list[float]:
    """Return the mean score of each candidate; 0 where every match was void."""
    counts = (~np.isnan(scores)).sum(axis=1)
    means: list[float] = (np.nansum(scores, axis=1) / np.maximum(counts, 1)).tolist()
    return means


def choose_racers(default: Settings, means: Sequence[Settings]) -> list[Settings]:
    """Return the default and eight means of the last half of the generations, the latest first.

    Equal ones are left out. Who comes first wins a tie, so the default stays where nothing counts.
    """
    late = means[len(means) // 2 :]
    places = np.unique(np.linspace(len(late) - 1, 0, RACERS - 1).round().astype(int))[::-1]
    racers = [default]
    for place in places:
        if late[place] not in racers:
            racers.append(late[place])
    return racers


def count_pairs(scores: Scores) -> NDArray[np.int_]:
    """Count pairs of matches by the difference of the second candidate's score to the first's.

    The differences -1, -1/2, 0, 1/2 and 1 are the five results of a pair; others, of tables of
    more than two, count as the nearest. Pairs with a void match do not count.
    """
    differences = scores[1] - scores[0]
    differences = differences[~np.isnan(differences)]
    return np.bincount(np.floor(2 * differences + 2.5).astype(int), minlength=5)


def list_variants(parameter: Parameter, settings: Settings) -> list[Value]:
    """Return values of a parameter that differ from its present one as far as possible."""
    present = settings[parameter.name]
    if parameter.kind == CHOICE:
        return [choice for choice in parameter.choices if choice != present][:MAX_VARIANTS]
    ends = [parameter.unscale(0.0), parameter.unscale(1.0)]
    return [value for value in ends if value != present]
