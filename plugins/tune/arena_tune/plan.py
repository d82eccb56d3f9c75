"""What is to be played: a generation's candidates and matches, fixed before the first of them.

All candidates of a generation play the same deals, in the same seats, against the same opponents.
Over a run every opponent is met equally often, within one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from random import Random

import numpy as np
from attrs import Factory, define, field, frozen

from arena.rules import derive_seed
from arena.tournament.ratings import Sprt, score_to_elo
from arena_tune.optimiser import CANDIDATES
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
    """All that the course of a run depends on, beside the results of its matches."""

    parameters: tuple[Parameter, ...]
    pool: tuple[int, ...]  #: numbers of the opponents of the search, the race and the gate
    held_out: tuple[int, ...]  #: numbers of the opponents of the last test
    seats: int = 2  #: of a match, or teams: how many bots play it
    matches: int = 20_000  #: of exploring, the search and the race
    seed: str = "1"
    spread: float | None = None  #: of each range, at the start; None: by the budget
    gain: float = 0.03  #: in the mean score, that the tests are to tell from none
    pairs: int = 2_000  #: at most, of each test
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
        pairs = 1
        for test in (self.gate_test, self.held_test):
            while test.decide([0, 0, 0, 0, pairs]) != "H1":
                pairs += 1
        return pairs

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
