"""The search of a run: its terms and its plan, then search, race, tests, and effects.

What is played next follows from the terms and from the scores so far, and from nothing else. So
the same run comes to the same end, however often it was cut off and whoever plays its matches.

All candidates of a generation play the same deals, in the same seats, against the same opponents.
Over a run every opponent is met equally often, within one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, log2
from random import Random

import numpy as np
from attrs import Factory, define, evolve, field, frozen
from numpy.typing import NDArray

from arena.rules import derive_seed
from arena.tournament.ratings import Sprt, score_to_elo
from arena_tune.optimiser import CANDIDATES, CmaOptimiser
from arena_tune.parameters import CHOICE, Parameter, Settings, Value, get_defaults

MATCHES_BY_BUDGET = ((15_000, 32), (5_000, 16), (0, 8))  # matches of a candidate in a generation
MAX_MARGIN_MATCHES = 16  # the same, where margins are compared, which tell more
RACE_SHARES = ((15_000, 0.3), (0, 0.2))  # of a budget, by its matches
MIN_GENERATIONS = 6  # of a search; below, candidates play fewer matches
RACERS = 16  # at most: the default, two averages, and means
EXPLORE_SHARE = 0.2  # of a budget; less misses far optima, more costs near ones
EXPLORED_POINTS = (256, 128, 64, 32, 16)
EXPLORED_MATCHES = 8  # of a random point in the first round, at least
BLOCK_DEALS = 8  # between two decisions of a test, for two seats; fewer for more
MAX_VARIANTS = 3  # of a choice, to see what it counts for
WIN, PLACE, POINTS = "win", "place", "points"
WIDE_MATCHES = 1_000  # matches for each parameter, from which on a search starts wide
WIDE_SPREAD, NARROW_SPREAD = 0.2, 0.1


@frozen
class TuningTerms:
    """All that the search of a run depends on, beside the results of its matches."""

    parameters: tuple[Parameter, ...]
    pool: tuple[int, ...]  #: numbers of the opponents of the search, the race and the gate
    held_out: tuple[int, ...]  #: numbers of the opponents of the last test
    seats: int = 2  #: of a match, or teams: how many bots play it
    matches: int = 20_000  #: of exploring, the search and the race
    seed: str = "1"
    spread: float | None = None  #: of each range, at the start; None: by the budget
    gain: float = 0.05  #: in the mean score, that the tests are to tell from none
    pairs: int = 3_000  #: at most, of each test
    objective: str = WIN  #: win, place or points
    explore: float = EXPLORE_SHARE  #: share of the budget for random settings before the search
    earlier: tuple[int, ...] = ()  #: budgets that were spent before this one was given

    @property
    def budgets(self) -> tuple[int, ...]:
        """The budgets of all stages: a raised one is spent in a stage of its own."""
        spent = 0
        budgets = []
        for matches in (*self.earlier, self.matches):
            budgets.append(matches - spent)
            spent = matches
        return tuple(budgets)

    @property
    def gate_test(self) -> Sprt:
        """The test on the pool, whether the winner is better by the gain rather than equal."""
        return Sprt(0.0, score_to_elo((1 + self.gain) / 2))

    @property
    def held_test(self) -> Sprt:
        """The test on those held out, whether it is equal rather than worse by the gain."""
        return Sprt(score_to_elo((1 - self.gain) / 2), 0.0)

    @property
    def block_deals(self) -> int:
        """The deals of a test between two decisions."""
        return max(1, 2 * BLOCK_DEALS // self.seats)

    @property
    def decisive_pairs(self) -> int:
        """The fewest pairs with which both tests can end with H1, if each is won."""
        deals = 1
        for test in (self.gate_test, self.held_test):
            while test.decide([0, 0, 0, 0, deals]) != "H1":
                deals += 1
        return deals * self.seats

    @property
    def compares_margins(self) -> bool:
        """Whether the search compares candidates by margins: for wins at tables of two."""
        return self.objective == WIN and self.seats == 2  # noqa: PLR2004

    @property
    def first_spread(self) -> float:
        """The spread of the first generation."""
        if self.spread is not None:
            return self.spread
        wide = self.matches >= WIDE_MATCHES * len(self.parameters)
        return WIDE_SPREAD if wide else NARROW_SPREAD


@frozen
class RunDescription:
    """What a run is about; stored with it, so that it can be read without its bots."""

    game: str
    bot: str
    opponents: tuple[str, ...]  #: all: the pool, then those held out; as the file names them
    terms: TuningTerms


@frozen
class Pairing:
    """A match without its candidate: the deal, the candidate's seat, and the opponents."""

    deal: int
    rotation: int  #: the seat of the candidate
    opponents: tuple[int, ...]  #: their numbers, in the order in which they sit behind it


@frozen
class Generation:
    """Candidates, and the matches that each of them plays."""

    number: int
    stage: str  #: search, race, gate, held or effects
    candidates: tuple[Settings, ...]  #: the first is the bot as it is, but in `effects`
    pairings: tuple[Pairing, ...]

    @property
    def matches(self) -> int:
        """The number of matches."""
        return len(self.candidates) * len(self.pairings)


@frozen
class Budget:
    """How the matches of a run are divided."""

    generations: int  #: of the search
    matches: int  #: of a candidate in each of them
    race: int  #: matches of the whole race
    explore: int  #: matches before the search


def plan_budget(terms: TuningTerms) -> Budget:
    """Divide a budget: for each generation the candidates and the default, then the race."""
    share = next(share for least, share in RACE_SHARES if terms.matches >= least)
    race, explore = int(share * terms.matches), int(terms.explore * terms.matches)
    if explore < 2 * EXPLORED_POINTS[-1] * terms.seats:  # too few for one deal each
        explore = 0
    search, table = terms.matches - race - explore, CANDIDATES + 1
    usual = next(matches for least, matches in MATCHES_BY_BUDGET if terms.matches >= least)
    if terms.compares_margins:
        usual = min(usual, MAX_MARGIN_MATCHES)
    most = min(usual, search // (table * MIN_GENERATIONS))
    matches = max(1, most // terms.seats) * terms.seats
    generations = max(1, search // (table * matches))
    return Budget(generations, matches, race, explore)


def choose_exploration(terms: TuningTerms) -> int:
    """Return the number of random settings to try: as many as can play a few matches each."""
    matches = plan_budget(terms).explore
    return next(
        points
        for points in EXPLORED_POINTS
        if points == EXPLORED_POINTS[-1] or matches >= EXPLORED_MATCHES * points * log2(points)
    )


@define
class PairingPlanner:
    """Draws pairings; each deal is another one, whatever stage it is for."""

    terms: TuningTerms
    _deals: int = 0
    _drawn: dict[tuple[int, ...], int] = field(default=Factory(dict))  # opponents so far, by pool

    def draw(self, deals: int, pool: tuple[int, ...]) -> tuple[Pairing, ...]:
        """Return this number of deals against a pool, each in every rotation of the seats."""
        pairings = []
        for _ in range(deals):
            opponents = tuple(self._draw_opponent(pool) for _ in range(self.terms.seats - 1))
            pairings += [
                Pairing(self._deals, rotation, opponents) for rotation in range(self.terms.seats)
            ]
            self._deals += 1
        return tuple(pairings)

    def _draw_opponent(self, pool: Sequence[int]) -> int:
        """Return the next opponent: each of the pool once, in an order that is drawn, and anew."""
        key = tuple(pool)
        turn, place = divmod(self._drawn.get(key, 0), len(pool))
        self._drawn[key] = self._drawn.get(key, 0) + 1
        order = list(pool)
        Random(derive_seed(self.terms.seed, "opponents", *pool, turn)).shuffle(order)
        return order[place]


def choose_racers(parameters: Sequence[Parameter], means: Sequence[Settings]) -> list[Settings]:
    """Return the default, the averages of late means, and late means, the latest first.

    Late are those of the last half of the generations. An average has less noise than its means,
    and may lie where none of them does. Equal racers are left out. Who comes first wins a tie, so
    the default stays where nothing counts.
    """
    late = means[len(means) // 2 :]
    averages = [
        average_settings(parameters, late[len(late) // 2 :]),
        average_settings(parameters, late),
    ]
    places = np.linspace(len(late) - 1, 0, RACERS - 1 - len(averages)).round().astype(int)
    racers = [get_defaults(tuple(parameters))]
    for racer in (*averages, *(late[place] for place in places)):
        if racer not in racers:
            racers.append(racer)
    return racers


def average_settings(parameters: Sequence[Parameter], points: Sequence[Settings]) -> Settings:
    """Return the mean of each number, and the commonest value of each choice."""
    average = {}
    for parameter in parameters:
        values = [point[parameter.name] for point in points]
        if parameter.kind == CHOICE:
            average[parameter.name] = max(parameter.choices, key=values.count)
        else:
            position = float(np.mean([parameter.scale(value) for value in values]))
            average[parameter.name] = parameter.unscale(position)
    return average


def draw_settings(parameters: Sequence[Parameter], rng: Random) -> Settings:
    """Draw settings, uniformly over each range and from the choices."""
    return {
        parameter.name: rng.choice(parameter.choices)
        if parameter.kind == CHOICE
        else parameter.unscale(rng.random())
        for parameter in parameters
    }


def list_variants(parameter: Parameter, settings: Settings) -> list[Value]:
    """Return values of a parameter that differ from its present one as far as possible."""
    present = settings[parameter.name]
    if parameter.kind == CHOICE:
        return [choice for choice in parameter.choices if choice != present][:MAX_VARIANTS]
    ends = [parameter.unscale(0.0), parameter.unscale(1.0)]
    return [value for value in ends if value != present]


SCALE, EXPLORE, SEARCH, RACE = "scale", "explore", "search", "race"
GATE, HELD, EFFECTS = "gate", "held", "effects"
BETTER, NOT_SHOWN, WORSE_HELD_OUT = "better", "not shown", "worse held out"
EFFECT_MATCHES = 32  # of a variant
SCALE_MATCHES = 128  # of the default, from which points are scaled
SEED_BITS = 32  # as numpy takes them
COUNT_DIGITS = 6  # of shares of pairs: thirds add up to whole numbers
POINT_DEVIATIONS = 4.0  # standard deviations of the default's points that are a score of 1
LOGISTIC_SLOPE = 1.702  # with it the logistic function is near the normal distribution's

Scores = NDArray[np.float64]
"""A row for each candidate, a column for each pairing; nan for a void match."""


@frozen
class GenerationResults:
    """The results of a generation's matches."""

    scores: Scores
    margins: Scores | None = None
    """At tables of two, the points by which the candidate was ahead; nan where nobody counted."""


@frozen
class Step:
    """A generation that was played, and what the run knew after it."""

    generation: Generation
    scores: Scores
    settings: Settings  # the middle of the search, or the candidate that leads or is tested
    spread: dict[str, float]  # of the search
    counts: tuple[float, ...] = ()  # pairs so far, in a test
    llr: float = 0.0
    decision: str | None = None  # H0 or H1, in a test

    @property
    def means(self) -> list[float]:
        """The mean score of each candidate; 0 where every match was void."""
        return compute_means(self.scores)

    @property
    def candidates_mean(self) -> float:
        """The mean score of all candidates but the default, or its own where it plays alone."""
        return float(np.mean(self.means[1:] or self.means))


class IncompleteError(Exception):
    """Matches of a generation are missing, and nobody plays them."""


@define
class StagedSearch:
    """The search of a run, whose matches `play` plays; it raises IncompleteError where it may not.

    `on_step` is called after each generation. Where wins between two are the objective, the search
    and the race compare candidates by smoothed wins; the tests count wins.
    """

    terms: TuningTerms
    play: Callable[[Generation], GenerationResults]
    on_step: Callable[[Step], None] = lambda _: None
    steps: list[Step] = Factory(list)
    winner: Settings | None = None
    conclusion: str | None = None  # when the run is complete
    _stage_begin: int = 0  # the place of its first step
    _scale: Scores | None = None  # points of the default, where these are the objective
    _planner: PairingPlanner = Factory(lambda self: PairingPlanner(self.terms), takes_self=True)

    @property
    def default(self) -> Settings:
        """The bot as it is."""
        return get_defaults(self.terms.parameters)

    @property
    def latest_steps(self) -> list[Step]:
        """The generations since the budget was raised for the last time."""
        return self.steps[self._stage_begin :]

    def run(self) -> bool:
        """Run until the end, or until matches are missing; return whether it is the end."""
        try:
            if self.terms.objective == POINTS:
                self._play_scale()
            for number, matches in enumerate(self.terms.budgets):
                self._run_stage(number, evolve(self.terms, matches=matches, earlier=()))
        except IncompleteError:
            return False
        return True

    def _run_stage(self, number: int, terms: TuningTerms) -> None:
        """Spend a budget: search from the last winner, race, test."""
        start = self.winner or self.default
        if number:
            terms = evolve(terms, spread=terms.spread or NARROW_SPREAD)
        self._stage_begin, self.conclusion = len(self.steps), None
        if plan_budget(terms).explore:
            start = self._explore(number, terms, start)
        means = self._search(number, terms, start)
        racers = choose_racers(terms.parameters, means)
        if self.winner and self.winner not in racers:
            racers.append(self.winner)
        self.winner = self._halve(RACE, racers, plan_budget(terms).race)
        conclusion = self._conclude(self.winner)
        self._measure_effects(self.winner)
        self.conclusion = conclusion

    def _play_scale(self) -> None:
        """Let the default play, so that its points say how points are scaled."""
        deals = max(1, SCALE_MATCHES // self.terms.seats)
        generation, results = self._play(SCALE, [self.default], deals, self.terms.pool)
        self._scale = results.scores
        scores = scale_points(results.scores, results.scores)
        self._add(Step(generation, scores, self.default, {}))

    def _explore(self, number: int, terms: TuningTerms, start: Settings) -> Settings:
        """Return the best of random settings and where the search would begin otherwise."""
        rng = Random(derive_seed(terms.seed, "explore", number))
        points = choose_exploration(terms)
        racers = [start, *(draw_settings(terms.parameters, rng) for _ in range(points - 1))]
        return self._halve(EXPLORE, racers, plan_budget(terms).explore)

    def _search(self, number: int, terms: TuningTerms, start: Settings) -> list[Settings]:
        """Search from a start; return the means of all generations."""
        budget = plan_budget(terms)
        optimiser = build_optimiser(terms, number, start)
        deals, means = budget.matches // terms.seats, []
        for _ in range(budget.generations):
            candidates = [self.default, *optimiser.ask()]
            generation, results = self._play(SEARCH, candidates, deals, terms.pool)
            optimiser.tell(compute_means(self._choose_scores(results))[1:])
            means.append(optimiser.mean)
            self._add(Step(generation, results.scores, optimiser.mean, dict(optimiser.spread)))
        return means

    def _halve(self, stage: str, racers: Sequence[Settings], budget: int) -> Settings:
        """Return the best of some settings, of which half leave after each round."""
        rounds = ceil(log2(len(racers)))
        totals = np.zeros((len(racers), 2))  # points and matches
        alive = list(range(len(racers)))
        while len(alive) > 1:
            deals = max(1, budget // (rounds * len(alive)) // self.terms.seats)
            candidates = [racers[place] for place in alive]
            generation, results = self._play(stage, candidates, deals, self.terms.pool)
            scores = self._choose_scores(results)
            totals[alive] += np.stack([np.nansum(scores, 1), (~np.isnan(scores)).sum(1)], 1)
            ranks = totals[:, 0] / np.maximum(totals[:, 1], 1)
            alive = sorted(alive, key=lambda place: -ranks[place])[: (len(alive) + 1) // 2]
            self._add(Step(generation, results.scores, racers[alive[0]], {}))
        return racers[alive[0]]

    def _conclude(self, winner: Settings) -> str:
        """Test the winner against the default, and return the conclusion."""
        if winner == self.default:
            return NOT_SHOWN
        if self._test(GATE, winner, self.terms.pool, self.terms.gate_test) != "H1":
            return NOT_SHOWN
        held = self._test(HELD, winner, self.terms.held_out, self.terms.held_test)
        return {"H1": BETTER, "H0": WORSE_HELD_OUT}.get(held or "", NOT_SHOWN)

    def _test(self, stage: str, winner: Settings, pool: tuple[int, ...], sprt: Sprt) -> str | None:
        """Play both on the same fresh deals until the test decides, or the limit is reached.

        The pairs of a deal share its luck, and may even be one match played twice, so that the test
        counts each deal once.
        """
        counts: list[float] = [0] * 5
        deals: list[float] = [0] * 5
        played, decision = 0, None
        while decision is None and played < self.terms.pairs:
            candidates = [self.default, winner]
            generation, results = self._play(stage, candidates, self.terms.block_deals, pool)
            played += len(generation.pairings)
            counts = add_counts(counts, count_pair_results(results.scores))
            deals = add_counts(
                deals, count_pair_results(average_deals(results.scores, self.terms.seats))
            )
            decision, llr = sprt.decide(deals), sprt.compute_llr(deals)
            self._add(Step(generation, results.scores, winner, {}, tuple(counts), llr, decision))
        return decision

    def _measure_effects(self, winner: Settings) -> None:
        """Play variants of the winner in which one parameter has an extreme or another value."""
        candidates = [winner]
        for parameter in self.terms.parameters:
            candidates += [
                {**winner, parameter.name: value} for value in list_variants(parameter, winner)
            ]
        deals = max(1, EFFECT_MATCHES // self.terms.seats)
        generation, results = self._play(EFFECTS, candidates, deals, self.terms.pool)
        self._add(Step(generation, results.scores, winner, {}))

    def _play(
        self, stage: str, candidates: Sequence[Settings], deals: int, pool: tuple[int, ...]
    ) -> tuple[Generation, GenerationResults]:
        pairings: tuple[Pairing, ...] = self._planner.draw(deals, pool)
        generation = Generation(len(self.steps), stage, tuple(candidates), pairings)
        results = self.play(generation)
        if self._scale is not None:
            results = GenerationResults(scale_points(results.scores, self._scale))
        return generation, results

    def _choose_scores(self, results: GenerationResults) -> Scores:
        """Return the scores by which the search and the race compare candidates."""
        return smooth_wins(results) if self.terms.compares_margins else results.scores

    def _add(self, step: Step) -> None:
        self.steps.append(step)
        self.on_step(step)


def build_optimiser(terms: TuningTerms, number: int, start: Settings) -> CmaOptimiser:
    """Return the optimiser of a stage, in its first state, which begins at a start."""
    words = ["optimiser", number] if number else ["optimiser"]
    seed = int(derive_seed(terms.seed, *words), 16) % 2**SEED_BITS
    parameters = [
        evolve(parameter, default=start[parameter.name]) for parameter in terms.parameters
    ]
    return CmaOptimiser(parameters, terms.first_spread, seed)


def compute_means(scores: Scores) -> list[float]:
    """Return the mean score of each candidate; 0 where every match was void."""
    counts = (~np.isnan(scores)).sum(axis=1)
    means: list[float] = (np.nansum(scores, axis=1) / np.maximum(counts, 1)).tolist()
    return means


def smooth_wins(results: GenerationResults) -> Scores:
    """Return scores in which a match counts the more, the further the candidate was ahead.

    A win by one point and a defeat by one point are luck for the most part, and differ by 1 in
    scores of 1 and 0. Here a match counts as the share of wins that would be expected with
    further luck: the logistic function of its margin, in standard deviations of all margins. So
    candidates differ by less noise, and are ranked nearly as by wins. Where there are no margins,
    or all are the same, scores stay as they are.
    """
    if results.margins is None or np.isnan(results.margins).all():
        return results.scores
    width = float(np.nanstd(results.margins))
    if not width:
        return results.scores
    shares = (1 + np.tanh(LOGISTIC_SLOPE / 2 * results.margins / width)) / 2  # never overflows
    return np.where(np.isnan(shares), results.scores, shares)


def count_pair_results(scores: Scores) -> list[float]:
    """Count pairs of matches by the difference of the second candidate's score to the first's.

    The differences -1, -1/2, 0, 1/2 and 1 are the five results of a pair. A difference between two
    of them, as at tables of more than two, counts partly for each, so that the mean stays what it
    is; to count it for the nearest would make an equal bot look better or worse. Pairs with a void
    match do not count.

    >>> count_pair_results(np.array([[0.0, 1.0, 0.5], [0.25, 1.0, 0.0]]))
    [0, 1, 1.5, 0.5, 0]
    """
    differences = scores[1] - scores[0]
    positions = 2 * differences[~np.isnan(differences)] + 2
    lower = np.floor(positions).astype(int)
    upper_shares = positions - lower
    counts = np.bincount(lower, 1 - upper_shares, 6) + np.bincount(lower + 1, upper_shares, 6)
    return [tidy_count(count) for count in counts[:5].tolist()]


def average_deals(scores: Scores, seats: int) -> Scores:
    """Return the mean scores over the rotations of each deal; nan where one was void.

    >>> average_deals(np.array([[0.0, 1.0, 0.0, 0.0], [1.0, 1.0, np.nan, 1.0]]), 2)
    array([[0.5, 0. ],
           [1. , nan]])
    """
    return np.asarray(scores.reshape(len(scores), -1, seats).mean(axis=2))


def add_counts(before: Sequence[float], more: Sequence[float]) -> list[float]:
    """Return the sums of counts of pairs."""
    return [tidy_count(first + second) for first, second in zip(before, more, strict=True)]


def tidy_count(count: float) -> float:
    """Round a count of pairs, to an int where it is whole."""
    rounded = round(float(count), COUNT_DIGITS)
    return int(rounded) if rounded.is_integer() else rounded


def scale_points(points: Scores, default: Scores) -> Scores:
    """Return points as scores from 0 to 1, in which the mean of the default's is 1/2.

    A standard deviation of the default's points is a quarter. A candidate that failed has minus
    infinity, which becomes 0.
    """
    width = POINT_DEVIATIONS * float(np.nanstd(default)) or POINT_DEVIATIONS
    return np.clip(0.5 + (points - np.nanmean(default)) / width, 0.0, 1.0)
